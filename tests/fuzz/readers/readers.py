#!/usr/bin/env python3
"""Hostile files of each reader: readers.py KGEN WORK COUNT [--seed N] [--first I] [--only READER,...] [--kept FOLDER].

For each reader COUNT files, from grammars (schedules, transform scripts, names) or by changes of good ones. kgen takes or refuses each: exit codes 0, 1 and 2
only (4 where folders are compared), within 20 s of CPU and 4 GB, and a refusal has a message with its place. What failed is kept in WORK and can be repeated
with --first; folders in --kept are cases of earlier failures: their `command.txt` has the arguments."""
import argparse
import datetime
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import scripts
import seeds

SECONDS, MEMORY, MAX_TEXT = 20, 4 << 30, 1 << 20
LOCATED = re.compile(r"^(?!kgen: )[^\s:][^:\n]*(:\d+:\d+)?: ((node|array) '[^\n]*': )?error: |^kgen: error: '/[^']+' ", re.M)
USAGE = re.compile(r"^(--[a-z-]+|'[a-z]+'|[A-Za-z-]+): |^[^\s:]+: error: |kgen .*--help", re.M)


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 2))
    if not os.environ.get("KGEN_SANITIZED"):  # their shadow memory is larger than that
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, folder, timeout=120):
    """(exit code, text); 124 where it waits."""
    environment = {**os.environ, "KGEN_NO_SYNC": "1"}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
                              preexec_fn=limited)
    except subprocess.TimeoutExpired:
        return 124, "it waits"
    return done.returncode, done.stdout.decode("utf-8", "replace")


def problem_of(code, text, case):
    """What is wrong with it, or None."""
    if code < 0:
        return f"signal {signal.Signals(-code).name}"
    if code not in case.codes:
        return f"exit code {code}"
    if len(text) > MAX_TEXT:
        return f"{len(text)} characters of messages"
    if code == 1 and not LOCATED.search(text):
        return "no message with a place"
    if code == 2 and not USAGE.search(text):
        return "no message about the arguments"
    return None


def encoded(text):
    """As UTF-8; a lone surrogate that stands for a byte becomes it, another one what UTF-8 would have for it."""
    return b"".join(one.encode("utf-8", "surrogateescape" if "\udc80" <= one <= "\udcff" else "surrogatepass") for one in text)


def write(case, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data if isinstance(data, bytes) else encoded(data))


def tried(kgen, case, folder):
    """(kind, problem)"""
    write(case, folder)
    code, text = run([kgen, *case.command], folder)
    problem = problem_of(code, text, case)
    if not problem and code == 0 and case.then:
        done = subprocess.run(case.then, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        problem = f"{shlex.join(case.then)}: {done.stdout[:600]}" if done.returncode else None
    return ("failed" if problem else "taken" if code == 0 else "refused"), problem and f"{problem}: {text[:600]}"


def keep(case, folder):
    """A folder that --kept repeats."""
    shutil.rmtree(folder, ignore_errors=True)
    write(case, folder)
    (folder / "command.txt").write_text(shlex.join(case.command) + "\n")


def kept(folder):
    for one in sorted(path for path in (folder.iterdir() if folder.exists() else []) if path.is_dir()):
        files = {str(path.relative_to(one)): path.read_bytes() for path in one.rglob("*") if path.is_file() and path.name != "command.txt"}
        yield one.name, seeds.Case(files, shlex.split((one / "command.txt").read_text()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgen")
    parser.add_argument("work", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--kept", type=Path)
    given = parser.parse_args()
    kgen, work, failed = str(Path(given.kgen).resolve()), given.work.resolve(), 0
    work.mkdir(parents=True, exist_ok=True)
    print(f"seed {given.seed}", flush=True)
    for name, case in kept(given.kept) if given.kept else []:
        kind, problem = tried(kgen, case, work / "case")
        if problem:
            failed += 1
            print(f"{name}: {problem}", flush=True)
    readers = seeds.readers(kgen, work / "seeds")
    readers.update(scripts.readers())
    if "without templates" in run([kgen, "--version"], work)[1]:
        del readers["template"]
    wanted = given.only.split(",") if given.only else list(readers)
    for name in wanted:
        counts = {}
        for number in range(given.first, given.first + given.count):
            case = readers[name](random.Random(f"{given.seed} {name} {number}"), number)
            kind, problem = tried(kgen, case, work / "case")
            if number == 0 and kind == "refused" and name not in ("script", "schedule", "names", "original"):
                kind, problem = "failed", "the good file is refused"
            counts[kind] = counts.get(kind, 0) + 1
            if problem:
                keep(case, work / f"failed-{name}-{number}")
                print(f"{name} {number}: {problem}", flush=True)
        failed += counts.get("failed", 0)
        print(f"{name}: {given.count} files, {', '.join(f'{number} {kind}' for kind, number in sorted(counts.items()))}", flush=True)
        if given.count >= 100 and not (counts.get("taken") and counts.get("refused")):
            failed += 1
            print(f"{name}: expected some to be taken and some to be refused")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
