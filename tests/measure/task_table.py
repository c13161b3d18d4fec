"""Tasks of libraries for CPUs of several numbers of cores, as a table: task_table.py KGEN TARGET.yaml SPEC... [--document FILE]

Each target is the file's with `cores: N`, as `kgen explain` shows it: the tasks of all launches, and how many times as fast as one thread N
threads are if they do nothing but contractions, each taking the next task when it has done one (the makespan). Nothing is run. It is an error if
more threads are slower, or if stating the cores makes them slower; with --document, too, if the file does not have the rows that are printed.
"""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

CORES = [1, 2, 16, 64, 128]


def parts(kgen, spec, target, cores):
    """The parts that `kgen explain` shows for the target with so many cores; None: as it is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(target).name
        path.write_text(Path(target).read_text() + ("" if cores is None else f"\ncores: {cores}\n"))
        run = subprocess.run([kgen, "explain", spec, "--target", path, "--json"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return json.loads(run.stdout)["parts"]


def products(step):
    """Multiply-adds of all tasks of a step; 0 if it is no contraction."""
    tiling = step.get("tiling")
    return math.prod(tiling[name] for name in ("batch", "m", "n", "k", "tasks")) if tiling else 0


def work_and_time(part, threads):
    """The work of all contractions, and the time that it takes: launches one after another, steps outside of launches on one thread."""
    work = [products(step) for step in part["steps"]]
    launched = {index for launch in part["launches"] for index in launch["steps"]}
    time = sum(amount for index, amount in enumerate(work) if index not in launched)
    for launch in part["launches"]:
        time += sum(work[index] for index in launch["steps"]) * math.ceil(launch["tasks"] / threads) / launch["tasks"]
    return sum(work), time


def speedup(parts_of_library, threads):
    pairs = [work_and_time(part, threads) for part in parts_of_library]
    work, time = (sum(column) for column in zip(*pairs))
    return work / time if time else 1.0


def tasks(parts_of_library):
    return sum(launch["tasks"] for part in parts_of_library for launch in part["launches"])


def rows(kgen, target, spec):
    """Two rows of the table, and an error or None."""
    name, plain = Path(spec).stem, parts(kgen, spec, target, None)
    by_cores = {cores: parts(kgen, spec, target, cores) for cores in CORES}
    without = [speedup(plain, cores) for cores in CORES]
    stated = [speedup(by_cores[cores], cores) for cores in CORES]
    table = [f"| `{name}`, `cores` not stated: {tasks(plain)} tasks | " + " | ".join(f"{speed:.1f}" for speed in without) + " |",
             f"| `{name}`, stated | "
             + " | ".join(f"{speed:.1f} ({tasks(by_cores[cores])})" for cores, speed in zip(CORES, stated)) + " |"]
    for cores, before, speed in zip(CORES, without, stated):
        if speed < before:
            return table, f"{name} on {cores} cores: {speed:.1f} times as fast, but {before:.1f} if they are not stated"
    for speeds in (without, stated):
        if speeds != sorted(speeds):
            return table, f"{name}: more threads are slower: {speeds}"
    return table, None


def main():
    arguments, document = sys.argv[1:], None
    if "--document" in arguments:
        at = arguments.index("--document")
        document = Path(arguments[at + 1]).read_text().splitlines()
        del arguments[at:at + 2]
    kgen, target, *specs = arguments
    print("| times as fast as one thread (tasks) on | " + " | ".join(map(str, CORES)) + " |\n|---|" + "---|" * len(CORES))
    errors = []
    for spec in specs:
        table, error = rows(kgen, target, spec)
        print("\n".join(table), flush=True)
        errors += [error] if error else []
        errors += [f"the document does not have this row: {row}" for row in table if document is not None and row not in document]
    sys.exit("\n".join(errors) or None)


if __name__ == "__main__":
    main()
