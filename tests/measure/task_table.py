"""Tasks of a library for CPUs of several numbers of cores: task_table.py KGEN SPEC TARGET.yaml [CORES...] [--check]

The same target with `cores: N`, as `kgen explain` shows it: the tasks of each launch, and how many times as fast as one thread N threads are
if they do nothing but contractions, each taking the next task when it has done one (the makespan). Nothing is run. With --check it is an error if stating the cores makes N threads slower.
"""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path


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


def speedup(part, threads):
    """The work of all contractions by the time that it takes: launches one after another, steps outside of launches on one thread."""
    work = [products(step) for step in part["steps"]]
    launched = {index for launch in part["launches"] for index in launch["steps"]}
    time = sum(amount for index, amount in enumerate(work) if index not in launched)
    for launch in part["launches"]:
        time += sum(work[index] for index in launch["steps"]) * math.ceil(launch["tasks"] / threads) / launch["tasks"]
    return sum(work) / time if time else 1.0


def rows(kgen, spec, target, numbers):
    """(graph, cores, tasks of each launch, speedup) for each graph and number of cores, `None` for the target as it is."""
    for cores in [None, *numbers]:
        for part in parts(kgen, spec, target, cores):
            tasks = [launch["tasks"] for launch in part["launches"]]
            yield part["graph"], cores, tasks, [speedup(part, threads) for threads in ([cores] if cores else numbers)]


def main():
    kgen, spec, target, *numbers = [argument for argument in sys.argv[1:] if argument != "--check"]
    numbers = [int(number) for number in numbers] or [1, 2, 16, 64, 128]
    not_stated = {}
    print(f"{'graph':20} {'cores':>9}  tasks of the launches; times as fast as one thread")
    for graph, cores, tasks, speedups in rows(kgen, spec, target, numbers):
        threads = [cores] if cores else numbers
        print(f"{graph:20} {cores or 'not stated':>9}  {' '.join(map(str, tasks))}; "
              + ", ".join(f"{speed:.1f} on {count}" for speed, count in zip(speedups, threads)))
        for speed, count in zip(speedups, threads):
            if "--check" in sys.argv and speed < not_stated.setdefault((graph, count), speed):
                sys.exit(f"{graph} on {count} cores: {speed:.1f}, but {not_stated[graph, count]:.1f} if they are not stated")


if __name__ == "__main__":
    main()
