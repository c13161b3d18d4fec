"""Quantized layers: their results, and what they take.

  quantized.py KGEN WORK_FOLDER [--target NAME ...] [--only ROWS ...] [--peer] [--rounds N] [--json FILE]
  quantized.py KGEN WORK_FOLDER --smoke [--target NAME ...]

ROWS are of
  depthwise  20 convolutions of each channel by itself, 3x3 and 5x5: the time with floats, and what part of it the same layer with bytes takes,
             as QLinearConv and as Q/DQ; in turns
  mobile     a Q/DQ block of mobile networks (1x1, Relu, 3x3 of each channel, Relu, 1x1)
  products   Q/DQ convolutions and products: the fraction of the peak of the target's exact instructions for bytes
  blocks     MatMulNBits, 4 bits in blocks of 32: bytes of weights a second as a part of what the memory gives, or the fraction of the peak

Every result is compared with numpy's in double precision before anything is measured (quantized_results.py). Of all times, which are one
thread's processor time, the median counts. --peer takes onnxruntime from npm, in turns with the best target's code. --smoke compares the
results of small layers, and measures nothing. Targets that this CPU lacks are left out. A wrong result ends with 1, what cannot be done with 2.
"""
import argparse
import datetime
import functools
import json
import math
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # nothing outside of the work folder
try:
    import numpy as np
    import onnx
except ImportError as error:
    print(f"skipped: {error} (python3-numpy, python3-onnx)")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "networks"))
import quantized_models as models  # noqa: E402
import quantized_results as results  # noqa: E402
from built import Library, generate, in_parallel, run  # noqa: E402

TARGETS = ["x86-64-v3", "x86-64-v4-vnni"]
READING = 2e6  # nanoseconds of a reading at least
PEER_READING = 2e8  # long enough for what the other one left in the caches not to count
GOAL = 0.8  # of the time with floats
FIRST_BLOCKS_ROWS = 64  # from here on the peak limits blocks, not the memory
PEER_AGREES = 0.05  # root of the mean square of the difference: the runtime rounds otherwise
PAGE, MOVED = 4096, 9 * 64  # bytes, and those that memory is moved by from round to round
SKIPPED = 77


class WrongResult(Exception):
    pass


class Built:
    """A layer's library, whose results are right."""

    def __init__(self, options, layer):
        self.layer, self.options = layer, options
        self.path = options.work / f"{layer.name}.onnx"
        onnx.save(layer.model, self.path)
        folder = options.work / layer.name
        manifest = generate(options.kgen, self.path, folder, options.target, "--library", layer.name)
        self.library = Library(os.environ.get("CC", "cc"), folder, manifest)
        self.ranks = {variant["target"]: variant["rank"] for variant in manifest["variants"]}

    def prepare(self, target):
        self.library.prepare(0, target, 0)
        self.library.set_input(0, self.layer.x.tobytes())
        self.library.call()

    def y(self):
        return results.result(self.layer, self.library.outputs()[0])

    def check(self, targets):
        bounds = results.bounds(self.layer)
        for target in targets:
            self.prepare(target)
            if wrong := results.first_wrong(self.y(), *bounds):
                raise WrongResult(f"{self.layer.name}, {target}: {wrong}")
            if self.options.smoke and not results.first_wrong(results.spoiled(self.y()), *bounds):
                raise WrongResult(f"{self.layer.name}, {target}: another result counts as right, too")
        return self

    def calls(self, nanoseconds):
        """How many calls a reading has."""
        return max(1, math.ceil(nanoseconds / max(1.0, min(self.time(1) for _ in range(5)))))

    def time(self, calls):
        """Nanoseconds of a call, of processor time."""
        start = time.process_time_ns()
        self.library.time(calls)
        return (time.process_time_ns() - start) / calls

    def bench(self, target):
        """The median time and fraction of the peak of some runs of kgen bench, its instruction, and bytes a second that memory gives."""
        found, file = [], self.options.work / "bench.json"
        for _ in range(self.options.few):
            run([self.options.kgen, "bench", self.path, "--target", target, "--threads", 1, "--hot", "--json", file])
            found.append(json.loads(file.read_text()))
        lines = [one["results"][0] for one in found]
        memory = [level["gbytes_per_second"] * 1e9 for one in found for level in one["bandwidths"] if level["of"] == "memory, reads"]
        return {"us": statistics.median(line["seconds"]["median"] for line in lines) * 1e6,
                "peak_fraction": statistics.median(line["peak_fraction"] for line in lines), "instruction": lines[0]["instruction"],
                "memory": statistics.median(memory)}


def in_turns(builts, target, rounds):
    """Nanoseconds of each in each round. Outputs and workspaces lie elsewhere in each: some distances are slow, by up to a half."""
    for built in builts:
        built.prepare(target)
    calls = [built.calls(READING) for built in builts]
    times = [[] for _ in builts]
    for i in range(rounds):
        for built, count, own in zip(builts, calls, times):
            built.library.move_memory(i * MOVED % PAGE)
            own.append(built.time(count))
    return times


def compared_with_peer(options, built, target):
    """The runtime's microseconds and how many times as fast kgen is, or nothing without --peer."""
    if not options.peer:
        return {}
    import runtime
    x, y = (options.work / f"{built.layer.name}.{end}" for end in ("x", "y"))
    built.layer.x.tofile(x)
    peer = runtime.Peer(options.work, built.path, x, y)
    built.prepare(target)
    mean = runtime.difference(built.y(), np.fromfile(y, np.float32))[1]
    if not mean <= PEER_AGREES:
        raise WrongResult(f"{built.layer.name}, {target}: {mean:.2e} in the mean from onnxruntime's")
    own, theirs, calls = [], [], built.calls(PEER_READING)
    peer.time(max(1, calls // 10))
    for _ in range(options.few):
        own.append(built.time(calls) / 1e3)
        theirs.append(peer.time(max(1, calls // 3)))
    peer.close()
    return {"in_turns_us": statistics.median(own), "peer_us": statistics.median(theirs), "ratio": statistics.median(b / a for a, b in zip(own, theirs))}


class Table:
    """Aligned lines, each as soon as it is known; the first column has `width` characters."""

    def __init__(self, title, width, columns):
        self.width, self.columns = width, columns
        print(f"\n{title}\n{columns[0]:{width}}" + "".join(f"  {name:>{self.wide(name)}}" for name in columns[1:]))

    @staticmethod
    def wide(name):
        return max(9, len(name))

    def line(self, first, *cells):
        print(f"{first:{self.width}}" + "".join(f"  {cell:>{self.wide(name)}}" for name, cell in zip(self.columns[1:], cells)), flush=True)


def peer_cells(row):
    return [f"{row['peer_us']:.1f}", f"{row['ratio']:.2f}"] if "ratio" in row else ["-", "-"]


def depthwise(options, targets, built):
    rows = []
    for target in targets:
        table = Table(f"depthwise convolutions, {target}: time with floats, and the part of it with bytes", 32, ["layer", "f32, us", "QLinear", "Q/DQ"])
        for first in range(0, len(built), len(models.FORMS)):
            three = built[first:first + len(models.FORMS)]
            times = in_turns(three, target, options.rounds)
            ratios = [statistics.median(b / f for f, b in zip(times[0], other)) for other in times[1:]]
            rows.append({"target": target, "layer": three[0].layer.title, "f32_us": statistics.median(times[0]) / 1e3, "qlinear": ratios[0], "qdq": ratios[1]})
            table.line(three[0].layer.title, f"{rows[-1]['f32_us']:.2f}", *(f"{ratio:.2f}" for ratio in ratios))
        own = [row for row in rows if row["target"] == target]
        counts = [sum(row[form] <= GOAL for row in own) for form in ("qlinear", "qdq")]
        print(f"{target}, rows of at most {GOAL}: {counts[0]} of {len(own)} with QLinear, {counts[1]} of {len(own)} with Q/DQ")
    return rows


def mobile(options, targets, built):
    rows, best = [], max(targets, key=built[0].ranks.get)
    table = Table(f"mobile blocks, {best}", 32, ["layer", "kgen, us", "peer, us", "times as fast"])
    for one in built:
        times = in_turns([one], best, options.rounds)
        row = {"target": best, "layer": one.layer.title, "us": statistics.median(times[0]) / 1e3, **compared_with_peer(options, one, best)}
        rows.append(row)
        table.line(row["layer"], f"{row['us']:.1f}", *peer_cells(row))
    return rows


def products(options, targets, built):
    rows = []
    for target in targets:
        table = Table(f"convolutions and products, {target}", 32, ["layer", "kgen, us", "of peak", "instructions"])
        for one in built:
            row = {"target": target, "layer": one.layer.title, **one.bench(target)}
            rows.append(row)
            table.line(row["layer"], f"{row['us']:.1f}", f"{row['peak_fraction']:.3f}", row["instruction"])
    return rows


def blocks(options, targets, built):
    """The peer is compared with the best target only."""
    rows, best = [], max(targets, key=built[0].ranks.get)
    for target in targets:
        table = Table(f"weights of four bits in blocks, {target}", 32, ["layer", "kgen, us", "weights, GB/s", "of memory", "of peak", "peer, us", "times as fast"])
        for one in built:
            row = {"target": target, "layer": one.layer.title, **one.bench(target)}
            if target == best:
                row |= compared_with_peer(options, one, best)
            row["bytes_per_second"] = one.layer.quantized_bytes / row["us"] * 1e6
            row["memory_fraction"] = row["bytes_per_second"] / row["memory"]
            rows.append(row)
            few_rows = one.layer.x.shape[0] < FIRST_BLOCKS_ROWS
            rates = [f"{row['bytes_per_second'] / 1e9:.1f}", f"{row['memory_fraction']:.2f}", "-"] if few_rows else ["-", "-", f"{row['peak_fraction']:.3f}"]
            table.line(row["layer"], f"{row['us']:.1f}", *rates, *peer_cells(row))
    return rows


MEASURES = {"depthwise": depthwise, "mobile": mobile, "products": products, "blocks": blocks}


def supported(options):
    """Those of the targets that this CPU has."""
    probe = Built(options, models.product(1, 3, 2))
    found = probe.library.variants_of_this_cpu()
    for target in options.target:
        if target not in found:
            print(f"{target} is left out: this CPU does not have it")
    return [target for target in options.target if target in found]


def cpu_name():
    try:
        return re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1]
    except (OSError, TypeError):
        return platform.processor() or platform.machine()


def with_layers(options, group, targets):
    """The libraries of a group's layers, with right results."""
    found = models.small_layers(group) if options.smoke else models.layers(group)
    if group == "depthwise" and not options.smoke:
        found = [layer for three in found for layer in three]
    built = in_parallel(functools.partial(Built, options), found)
    return [one.check(targets) for one in built]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgen", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--target", nargs="+", action="extend", help=f"default: {' '.join(TARGETS)}")
    parser.add_argument("--only", nargs="+", action="extend", choices=models.GROUPS)
    parser.add_argument("--peer", action="store_true", help="onnxruntime from npm, beside mobile and blocks")
    parser.add_argument("--rounds", type=int, default=15, help="readings of each time (15); of kgen bench and the peer a fifth")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--smoke", action="store_true", help="results of small layers only")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds: expected at least 1")
    if options.smoke and (options.peer or options.json):
        parser.error("--smoke measures nothing: expected neither --peer nor --json")
    options.target = list(dict.fromkeys(options.target or TARGETS))
    options.few = max(1, options.rounds // 5)
    options.kgen, options.work = options.kgen.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    return options


def peer_version(options):
    if not options.peer:
        return None
    package = options.work / "node_modules/onnxruntime-node/package.json"
    for program in ("node",) if package.exists() else ("node", "npm"):
        if not shutil.which(program):
            raise RuntimeError(f"--peer: there is no {program}")
    import runtime
    runtime.install(options.work)
    return json.loads(package.read_text())["version"]


def main(options):
    targets = supported(options)
    if not targets:
        print("skipped: this CPU has none of the targets")
        return SKIPPED
    peer = peer_version(options)
    head = {"cpu": cpu_name(), "targets": targets, "kgen": run([options.kgen, "--version"]).strip(), "date": str(datetime.date.today()), "onnxruntime": peer}
    print(f"{head['cpu']}; {', '.join(targets)}; {head['kgen']}; {f'onnxruntime-node {peer}; ' if peer else ''}{head['date']}", flush=True)
    for group in options.only or models.GROUPS:
        built = with_layers(options, group, targets)
        if options.smoke:
            print(f"{group}: layers with right results: {len(built)}", flush=True)
        else:
            head[group] = MEASURES[group](options, targets, built)
    if options.json:
        options.json.write_text(json.dumps(head, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(arguments()))
    except WrongResult as error:
        sys.exit(f"wrong result: {error}")
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
