"""Runs what a page shows: onnx_docs.py PAGE [LEAST], in a folder with the files that it begins with, with kgen and cc on the path. A page has at least
LEAST commands, 8 unless that is given.

Blocks of the page, in order: `console` has lines "$ COMMAND", each with exactly what it prints below it; of `console varies`, which shows
times or what this CPU does, the first and the last line count, but no number, no unit of a time and no width of a column in them. `LANGUAGE FILE` is the file FILE, and `LANGUAGE`
alone an excerpt that nothing reads.
"""
import difflib
import re
import subprocess
import sys
from pathlib import Path


def blocks(text):
    """(info string, contents) of each fenced block."""
    return re.findall(r"^```(\S[^\n]*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def ends(lines):
    """What does not vary."""
    numbers = [re.sub(r"\d+(\.\d+)?", "N", line) for line in [*lines[:1], *lines[-1:]]]
    return [re.sub(r" +", " ", re.sub(r"\bN [num]?s\b", "N s", line)) for line in numbers]


def commands(contents):
    """(command, lines that it prints) of a console."""
    for part in re.split(r"^\$ ", contents, flags=re.MULTILINE)[1:]:
        command, *lines = part.splitlines()
        yield command, lines


def main(page, least=8):
    failed, count = [], 0
    for info, contents in blocks(Path(page).read_text()):
        kind, _, rest = info.partition(" ")
        if kind != "console":
            if rest:
                Path(rest).parent.mkdir(parents=True, exist_ok=True)
                Path(rest).write_text(contents)
            continue
        for command, expected in commands(contents):
            count += 1
            result = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            # A slow machine sees progress, "[1/3] run.x86-64-v2" and "run.x86-64-v2: stage llvm took 1.2 s".
            found = [line for line in result.stdout.splitlines() if not re.match(r"\[\d+/\d+\] |\S+: stage \S+ took ", line)]
            if rest == "varies":
                expected, found = ends(expected), ends(found)
            if found != expected:
                failed += [f"$ {command}", *difflib.unified_diff(expected, found, "the page", "kgen", lineterm="")]
    print("\n".join(failed) or f"{count} commands")
    return bool(failed) or count < int(least)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
