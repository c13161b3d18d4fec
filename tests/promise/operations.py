"""Runs the table of operations: each function that `kgen check` accepts is compiled for all targets, and right.

operations.py KGEN CC FOLDER [--full] [--seed N] [--only TEXT]

Some cells for all targets; with `--full` all of them, each for one target, whose turn changes with the seed: in three days, each for all.
"""
import argparse
import collections
import datetime
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
import operations_text as texts
from operations_table import fill_table, reason_of
from operations_values import distance, numbers, stored

TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]


def run(*command, seconds=900):
    """Runs a command, for so many seconds of CPU time at most."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    return done.returncode, done.stdout + done.stderr


class Batch:
    """Cells in one file and one library."""

    def __init__(self, arguments, cells, folder, targets=None, options=()):
        self.kgen, self.cc, self.cells, self.folder = arguments.kgen, arguments.cc, cells, folder
        self.targets, self.options = targets or arguments.targets, options
        self.variants = [v for v in arguments.variants if v in self.targets]
        shutil.rmtree(folder, ignore_errors=True)  # a run that was cut off may have left it
        folder.mkdir(parents=True)

    def write(self, cells):
        lines = {}
        with open(self.folder / "cells.mlir", "w") as file:
            at = 1
            for cell in cells:
                file.write(cell.text)
                count = cell.text.count("\n")
                lines.update((at + i, cell) for i in range(count))
                at += count
        used = [d for d in texts.SIZES if any(d in c.dims for c in cells)]
        self.sizes = [f"--dim={d}=1..40" for d in used]
        return lines

    def check(self):
        """Cells that are accepted; of the others, what is wrong."""
        refused, left = {}, list(self.cells)
        while left:
            lines = self.write(left)
            code, output = run(self.kgen, "check", self.folder / "cells.mlir", *self.sizes)
            if code == 0:
                break
            found = {}
            for line, message in re.findall(r"cells\.mlir:(\d+):\d+: error: (.*)", output):
                if int(line) in lines:
                    found.setdefault(lines[int(line)].name, message)
            if not found:
                return left, refused, output  # it says no place
            refused.update(found)
            left = [c for c in left if c.name not in found]
        return left, refused, ""

    def generate(self, cells):
        self.write(cells)
        return run(self.kgen, "generate", self.folder / "cells.mlir", *self.sizes, "--python", "-j", "1", "--always", "-o", self.folder / "lib",
                   *(f"--target={t}" for t in self.targets), *self.options)

    def compile(self, cells, failed):
        """What is left when those are left out that do not compile; the library has these."""
        left, compiled, whole = list(cells), [], False
        while left:
            code, output = self.generate(left)
            if code == 0:
                whole = not compiled
                compiled += left
                break
            named = {}
            for name, message in re.findall(r"^(?:\S+: error: )?(f\d+)\.x86\S+: (?!stage )(.*)$", output, re.M):
                named.setdefault(name, f"exit code {code}: {message[-300:]}")
            bad = [c for c in left if c.name in named]
            failed.update(named)
            if not bad:  # it crashed
                begun = list(dict.fromkeys(re.findall(r"^\[\d+/\d+\] (f\d+)\.", output, re.M)))
                at = max(0, len(begun) - 1)
                suspects = left[at : at + 2]
                compiled += left[:at]
                for cell in suspects:
                    code, output = self.generate([cell])
                    if code:
                        bad.append(cell)
                        failed[cell.name] = f"exit code {code}: " + output.strip()[-300:]
                if not bad:
                    failed[left[at].name] = "a crash that does not come again: " + output[-300:]
                    bad = [left[at]]
                left = left[at:]
            left = [c for c in left if c not in bad]
        compiled = [c for c in compiled if c.name not in failed]
        return compiled if whole or not compiled else self.compile(compiled, failed)

    def link(self):
        objects = sorted((self.folder / "lib" / "objects").glob("*.o"))
        code, output = run(self.cc, "-O1", "-shared", "-fPIC", "-o", self.folder / "lib" / "libcells.so", self.folder / "lib" / "cells.c", *objects)
        if code:
            sys.exit(output)

    def results(self, cells, seed, wrong):
        """Calls the library in a process of its own, as it may crash."""
        for variant in self.variants:
            path = self.folder / "calls.txt"
            path.write_text("\n".join(c.name for c in cells))
            code, output = run(sys.executable, "-B", __file__, "--calls", self.folder, variant, seed)
            for name, what in re.findall(r"^wrong (\S+) (.*)$", output, re.M):
                wrong.setdefault(name, f"{variant}: {what}")
            if code:
                last = (re.findall(r"^at (\S+)$", output, re.M) or [""])[-1]
                wrong.setdefault(last, f"{variant}: exit code {code}: {output[-200:]}")
                rest = [c for c in cells if c.name != last]
                if last and len(rest) < len(cells):
                    return self.results(rest, seed, wrong)


def compare(cell, function, seed, sizes):
    random = np.random.default_rng([seed, int(cell.name[1:])])
    given = texts.values_of(cell, random, sizes)
    with np.errstate(all="ignore"):
        expected = cell.expected(*given)
    expected = expected if isinstance(expected, tuple) else (expected,)
    results = function(*(stored(v, e) for v, (e, _) in zip(given, cell.inputs)))
    results = results if isinstance(results, tuple) else (results,)
    for at, (found, right, (element, shape)) in enumerate(zip(results, expected, cell.outputs, strict=True)):
        found = numbers(found, element)
        right = np.asarray(right)
        if found.shape != right.shape:
            return f"result {at} has the shape {found.shape} instead of {right.shape}"
        apart = distance(found, right, element)
        with np.errstate(all="ignore"):
            bad = (apart > cell.ulp) & ~(np.abs(found.astype(float) - right.astype(float)) <= cell.near)
        if bad.any():
            place = tuple(map(int, np.argwhere(bad)[0]))
            return (f"result {at} at {list(place)}: {found[place]} instead of {right[place]}, {apart[place]:.3g} ulp, "
                    f"{bad.sum()} of {bad.size}; inputs there {[v[place] if v.shape == found.shape else '' for v in given]}")
    return ""


def calls(folder, variant, seed):
    sys.path.insert(0, str(Path(folder) / "lib"))
    import cells as module
    library = module.load(variant=variant)
    cells = {c.name: c for c in texts.TABLE}
    for name in (Path(folder) / "calls.txt").read_text().split():
        cell = cells[name]
        print("at", name, flush=True)
        for sizes in (texts.SIZES, texts.OTHERS) if cell.sizes == "open" else (texts.SIZES,):
            try:
                problem = compare(cell, getattr(library, name), int(seed), sizes)
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            if problem:
                print("wrong", name, problem.replace("\n", " "), flush=True)
                break


def supported():
    flags = set(re.search(r"flags\s*: (.*)", Path("/proc/cpuinfo").read_text())[1].split())
    return [t for t, needed in zip(TARGETS, ("sse4_2", "avx2", "avx512vl")) if needed in flags]


def batches(cells, targets, size, seed):
    """Lists of cells, and the targets of each. With several turns neighbours, an operation's types and sizes, have different targets."""
    if size * len(targets) > len(cells):
        return [(cells[i : i + size], targets) for i in range(0, len(cells), size)]
    windows = [cells[i : i + size * len(targets)] for i in range(0, len(cells), size * len(targets))]
    return [(window[turn :: len(targets)], [targets[(turn + seed) % len(targets)]]) for window in windows for turn in range(len(targets))]


def main():
    fill_table()
    if sys.argv[1] == "--calls":
        return calls(*sys.argv[2:])
    parser = argparse.ArgumentParser()
    parser.add_argument("kgen")
    parser.add_argument("cc")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--only", default="")
    parser.add_argument("--targets", nargs="*", default=TARGETS)
    parser.add_argument("--size", type=int, default=200, help="of a library")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--skip", type=int, default=0, help="libraries, to go on where a run was cut off")
    arguments = parser.parse_args()
    arguments.variants = [t for t in supported() if t in arguments.targets]
    cells = [c for c in texts.TABLE if re.search(arguments.only, f"{c.operation} {c.element} {c.sizes}")]
    if not arguments.full:
        chosen = np.random.default_rng(arguments.seed).permutation(len(cells))[: arguments.count]
        cells = [cells[i] for i in sorted(chosen)]
    print(f"seed {arguments.seed}: {len(cells)} of {len(texts.TABLE)} cells")
    refused, failed, wrong, done = {}, {}, {}, []
    chosen = list(enumerate(batches(cells, arguments.targets, arguments.size, arguments.seed)))[arguments.skip :]
    for number, (part, targets) in chosen:
        batch = Batch(arguments, part, arguments.folder / str(number), targets)
        accepted, out, problem = batch.check()
        refused.update(out)
        if problem:
            failed[accepted[0].name] = f"check says no place, of this or another one: {problem[-500:]}"
        good = batch.compile(accepted, failed)
        if good:
            batch.link()
            batch.results(good, arguments.seed, wrong)
        if good and number % 4 == 0:  # plain loops, beside targets
            plain = Batch(arguments, good, batch.folder / "plain", ["x86-64-v3"], ["--reference"])
            good = plain.compile([c for c in good if c.name not in wrong], failed)
            if good:
                plain.link()
                plain.results(good, arguments.seed, wrong)
        shutil.rmtree(batch.folder)
        for cell in batch.cells:
            for what, found in (("failed", failed), ("wrong", wrong)):
                if cell.name in found:
                    print(f"  {what}: {cell.name} {cell.operation} {cell.element} {cell.sizes}: {found[cell.name]}", flush=True)
        done += part
        print(f"library {number}, {' '.join(targets)}; {len(done)} cells: {len(refused)} refused, {len(failed)} failed, {len(wrong)} wrong", flush=True)
    cells = done
    by_name = {c.name: c for c in cells}
    for name, message in refused.items():
        if not reason_of(by_name[name]):
            failed[name] = f"is refused, and REFUSED does not say so: {message}"
    for cell in cells:
        if cell.name not in refused and reason_of(cell):
            failed.setdefault(cell.name, "is taken, and REFUSED says that it is not")
    report(cells, refused, failed, wrong)
    sys.exit(1 if failed or wrong else 0)


def report(cells, refused, failed, wrong):
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"accepted: {len(cells) - len(refused)} of {len(cells)}; CPU seconds: {used.ru_utime + used.ru_stime:.0f}")
    for what, found in (("refused", refused), ("FAILED", failed), ("WRONG", wrong)):
        print(f"{what}: {len(found)}")
        by_reason = collections.defaultdict(list)
        for cell in cells:
            if cell.name in found:
                by_reason[re.sub(r"\bf\d+\b", "F", found[cell.name]) if what != "WRONG" else cell.operation].append(cell)
        for reason, members in sorted(by_reason.items(), key=lambda item: -len(item[1])):
            print(f"  {len(members)}: {reason}")
            for cell in members[:40]:
                print(f"      {cell.name} {cell.operation} {cell.element} {cell.sizes}" + (": " + found[cell.name] if what == "WRONG" else ""))


if __name__ == "__main__":
    main()
