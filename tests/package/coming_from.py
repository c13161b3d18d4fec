"""Runs the commands in the tables of docs/Coming-From.md: coming_from.py PAGE, with kgen's programs on the path, in a folder with `tests` and `specs`.

Each command succeeds; one of kgen-opt that runs a pass of kgen changes its file. Of the table of tpp-mlir's passes, each pass of kgen that a row names
is in one of the row's stages.
"""
import re
import shlex
import subprocess
import sys
from pathlib import Path

PROGRAMS = ("kgen ", "kgen-opt ", "kgen-run ")
STAGES = ("raise", "fuse", "pack", "tiling", "vectorize", "bufferize", "macro-kernel", "micro-kernel", "parallel", "llvm")
UPSTREAM = ("canonicalize", "convert-linalg-to-loops", "convert-vector-to-scf", "cse", "eliminate-empty-tensors",
            "expand-strided-metadata", "finalize-memref-to-llvm", "linalg-generalize-named-ops",
            "loop-invariant-code-motion", "lower-affine", "scf-forall-to-parallel")
LEAST = 50  # commands


def run(words):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows(text):
    """The cells of each row of a table."""
    for line in text.splitlines():
        if line.startswith("|") and not re.match(r"\|[-|]+$", line):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def codes(cell):
    return re.findall(r"`([^`]+)`", cell)


def has_effect(words, output):
    """True unless the command prints what it prints without passes."""
    plain = [word for word in words if not word.startswith("--kgen-") or word.startswith("--kgen-target")]
    return len(plain) == len(words) or any("verify" in word for word in words) or run(plain).stdout != output


def command_problems(text):
    commands = {code for row in rows(text) for cell in row for code in codes(cell) if code.startswith(PROGRAMS)}
    commands = sorted(code for code in commands if code == "kgen targets" or len(code.split()) > 2)  # others are names: `kgen tune`
    for command in commands:
        words = shlex.split(command)
        result = run(words)
        if result.returncode:
            yield f"{command}: exit status {result.returncode}\n{result.stderr[:400]}"
        elif words[0] == "kgen-opt" and not has_effect(words, result.stdout):
            yield f"{command}: changes nothing"
    if len(commands) < LEAST:
        yield f"{len(commands)} commands, expected at least {LEAST}"


def passes_of_stages():
    """The passes of each stage, as kgen-opt prints its pipeline."""
    Path("empty.mlir").write_text("module {}\n")
    found = {}
    for stage in STAGES:
        text = run(["kgen-opt", "empty.mlir", "--kgen-target=x86-64-v3", f"--kgen-{stage}-stage", "--dump-pass-pipeline"]).stderr
        found[stage] = set(re.findall(r"[a-z][\w-]+", text))
    return found


def stage_problems(section):
    of_stages = passes_of_stages()
    for row in rows(section):
        if len(row) != 4 or row[1] == "kgen":
            continue
        stages = [code for code in codes(row[2]) if code in STAGES]
        for name in codes(row[1]):
            is_pass = name.startswith("kgen-") and not name.startswith(PROGRAMS) and name != "kgen-run"
            if not stages or "back end" in row[2] or not (is_pass or name in UPSTREAM):
                continue
            # `kgen-fold-into-eltwise` is a list of passes.
            if name != "kgen-fold-into-eltwise" and not any(name in of_stages[stage] for stage in stages):
                yield f"{name}: not in {' or '.join(stages)}"


def main(page):
    text = Path(page).read_text()
    section = re.search(r"^## tpp-mlir\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)[1]
    problems = list(command_problems(text)) + list(stage_problems(section))
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
