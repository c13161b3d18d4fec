"""Products of random sizes with schedules, on this CPU and in the simulator: random_sizes.py KGEN FOLDER [--count N] [--seed S]

Each size has one of three nests (cores outside of K, cores inside of it, large blocks) in turn, with one buffer, whose border parts are split, and with two,
whose border parts are padded; each product is of i32, and, every third one, also of f32 with a bias and a limit after it. `kgen bench` compares with plain loops, i32 to the last bit; `kgen simulate --data`
compares what the machine computes, and finds races and reads of what nobody wrote. The first sizes are always the same, all others are the seed's.
"""
import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

SIZES = [(1, 1, 1), (7, 3, 5), (65, 63, 257), (64, 64, 256), (1000, 500, 2040)]  # m, n, k
FEWEST = 4  # of them in every run; the last one takes a second in the simulator

NESTS = {
    "own": [
        "{forall: block, m: 64, n: 64, keep: {out: L2}}",
        "{forall: core, m: 32, n: 32, keep: {out: L1}}",
        "{for: k, step: 64, keep: {lhs: L2, rhs: L2}, BUFFERS}",
        "{for: k, step: 32, keep: {lhs: L1, rhs: L1}, BUFFERS}",
    ],
    "shared": [
        "{forall: block, m: 64, n: 64, keep: {out: L2}}",
        "{for: k, step: 256, keep: {lhs: L2, rhs: L2}, BUFFERS}",
        "{forall: core, m: 32, n: 32, keep: {out: L1}}",
        "{for: k, step: 32, keep: {lhs: L1, rhs: L1}, BUFFERS}",
    ],
    "large": [
        "{forall: block, m: 256, n: 128, keep: {out: L2}}",
        "{for: k, step: 64, keep: {lhs: L2, rhs: L2}, BUFFERS}",
        "{forall: core, m: 128, n: 64, keep: {out: L1}}",
        "{for: k, step: 16, keep: {lhs: L1, rhs: L1}, BUFFERS}",
    ],
}

# More memory than array-2x2 has: here results count.
MACHINE = """machine: roomy
grid: {block: 1, core: [2, 2]}
memories: {L2: {of: block, bytes: 1MiB}, L1: {of: core, bytes: 128KiB}}
bytes_per_cycle: {L3: 32, L2: 16}
products_per_cycle: {i32: 32, f32: 32}
"""


def schedule(name, buffers):
    lines = [f"  {name}{buffers}:", "    nest:"]
    lines += ["    - " + level.replace("BUFFERS", f"buffers: {buffers}") for level in NESTS[name]]
    lines += ["    tiles: {m: 4, n: 8, k: 8}", "    layout: {lhs: kmmk, rhs: nkkn, out: nmmn}", "    fuse: epilogue"]
    lines += [f"    ragged: {'split' if buffers == 1 else 'pad'}"]
    return "\n".join(lines)


def graph(name, size, chosen, element, has_epilogue):
    m, n, k = size
    inputs = f'x: "{element}[{m}, {k}]", w: "{element}[{k}, {n}]"'
    nodes = [f"{{name: product, op: MatMul, inputs: [x, w], schedule: {chosen}}}"]
    if has_epilogue:
        inputs += f', b: "{element}[{n}]"'
        nodes += ["{name: sum, op: Add, inputs: [product, b]}", "{name: limited, op: Relu, inputs: [sum]}"]
    result = "limited" if has_epilogue else "product"
    lines = [f"  - name: {name}", f"    inputs: {{{inputs}}}", "    nodes:", *(f"      - {node}" for node in nodes)]
    return "\n".join([*lines, f"    outputs: [{result}]"])


def sizes(count, seed):
    numbers = random.Random(seed)
    fixed = SIZES[: FEWEST if count < len(SIZES) + 5 else len(SIZES)]

    def one():
        return numbers.choice([numbers.randint(1, 16), numbers.randint(1, 80), numbers.randint(1, 300)])

    return [*fixed, *((one(), one(), one()) for _ in range(count - len(fixed)))]


def graphs(count, seed):
    """(name, text) of each graph."""
    for number, size in enumerate(sizes(count, seed)):
        for buffers in (1, 2):
            chosen = list(NESTS)[(number + buffers) % len(NESTS)] + str(buffers)
            name = "g" + "_".join(map(str, (number, *size))) + "_" + chosen
            yield name, graph(name, size, chosen, "i32", False)
            if (number + buffers) % 3 == 0:
                yield name + "_f32", graph(name + "_f32", size, chosen, "f32", True)


def run(what, command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode != 0:
        print(f"{what}: exit code {result.returncode}\n{' '.join(command)}\n{result.stdout}")
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgen")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "roomy.yaml").write_text(MACHINE)
    every = list(graphs(options.count, options.seed))
    schedules = "\n".join(schedule(name, buffers) for name in NESTS for buffers in (1, 2))
    failed = 0
    for first in range(0, len(every), 20):  # a library each
        part = every[first : first + 20]
        spec = options.folder / f"part{first // 20}.yaml"
        texts = "\n".join(text for _, text in part)
        spec.write_text(f"library: part\ntargets: [x86-64-v3]\nschedules:\n{schedules}\ngraphs:\n{texts}\n")
        measured = run(spec.name, [options.kgen, "bench", str(spec), "--time", "0.0001", "--hot", "--threads", "1", "--json", "-"])
        failed += measured.returncode != 0
        if measured.returncode == 0:
            result = json.loads(measured.stdout)
            if len(result["results"]) != len(part) and not result["not_measured"]:  # this CPU may lack AVX2
                print(f"{spec.name}: {len(result['results'])} of {len(part)} functions were run")
                failed += 1
        for name, _ in part:
            command = [options.kgen, "simulate", str(spec), "--graph", name, "--machine", str(options.folder / "roomy.yaml"), "--data"]
            simulated = run(name, command)
            failed += simulated.returncode != 0 or "all results agree" not in simulated.stdout
    print(f"{len(every)} graphs of {options.count} sizes, {failed} failures")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
