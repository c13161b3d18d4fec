"""What schedules move: counted by kgen simulate, and by the formula of each schedule, for each way between two memories. Where both
come from the same sizes by hand, these, too.

    formula.py KGEN DIRECTORY
"""

import json
import pathlib
import subprocess
import sys

NESTS = {
    "own": ["{forall: block, m: 64, n: 64, keep: {out: L2}}", "{forall: core, m: 32, n: 32, keep: {out: L1}}",
            "{for: k, step: 256, keep: {lhs: L2, rhs: L2}}", "{for: k, step: 32, keep: {lhs: L1, rhs: L1}}"],
    "shared": ["{forall: block, m: 64, n: 64, keep: {out: L2}}", "{for: k, step: 256, keep: {lhs: L2, rhs: L2}, buffers: 2}",
               "{forall: core, m: 32, n: 32, keep: {out: L1}}", "{for: k, step: 32, keep: {lhs: L1, rhs: L1}, buffers: 2}"],
}
SIZES = [(1024, 512, 2048), (1000, 500, 2040), (7, 3, 5), (64, 64, 256), (65, 33, 100), (33, 65, 257)]
EPILOGUES = [(128, 128, 512), (70, 130, 300), (100, 50, 60), (7, 3, 5)]


def spec():
    lines = ["library: formula", "targets: [x86-64-v3]", "schedules:"]
    for name, nest in NESTS.items():
        lines += [f"  {name}:", "    nest:"] + [f"    - {level}" for level in nest]
        lines += ["    tiles: {m: 4, n: 8, k: 8}", "    fuse: epilogue"]
        lines += ["    layout: {lhs: kmmk, rhs: nkkn, out: nmmn}"] if name == "own" else []
    lines.append("graphs:")
    names = []

    def add(name, inputs, nodes, output="y"):
        names.append(name)
        given = ", ".join(f'{key}: "{value}"' for key, value in inputs.items())
        lines.append(f"- {{name: {name}, inputs: {{{given}}}, nodes: [{', '.join(nodes)}], outputs: [{output}]}}")

    for schedule in [*NESTS, "default"]:
        named = "" if schedule == "default" else f", schedule: {schedule}"
        for m, n, k in SIZES:
            add(f"{schedule}_{m}_{n}_{k}", {"x": f"i32[{m}, {k}]", "w": f"i32[{k}, {n}]"},
                [f"{{name: y, op: MatMul, inputs: [x, w]{named}}}"])
        for m, n, k in EPILOGUES:
            add(f"{schedule}_epilogue_{m}_{n}_{k}", {"x": f"f32[{m}, {k}]", "w": f"f32[{k}, {n}]", "b": f"f32[{n}]"},
                [f"{{name: p, op: MatMul, inputs: [x, w]{named}}}", "{name: q, op: Add, inputs: [p, b]}",
                 "{name: y, op: Relu, inputs: [q]}"])
    # The product is not the first operand of the node after it, which reads one of its own twice.
    add("residual", {"x": "f32[128, 64]", "w": "f32[64, 128]", "b": "f32[128, 128]", "c": "f32[128]"},
        ["{name: p, op: MatMul, inputs: [x, w]}", "{name: q, op: Sub, inputs: [b, p]}", "{name: r, op: Mul, inputs: [c, q]}",
         "{name: y, op: Add, inputs: [r, b]}"])
    add("batch", {"x": "f32[4, 64, 96]", "w": "f32[4, 96, 48]"}, ["{name: y, op: MatMul, inputs: [x, w]}"])
    add("ragged_batch", {"x": "f32[3, 65, 70]", "w": "f32[3, 70, 33]"}, ["{name: y, op: MatMul, inputs: [x, w]}"])
    add("convolution", {"x": "f32[1, 64, 56, 56]", "w": "f32[64, 64, 3, 3]"},
        ["{name: y, op: Conv, inputs: [x, w], attributes: {pads: [1, 1, 1, 1]}}"])
    add("strided", {"x": "f32[1, 16, 28, 28]", "w": "f32[32, 16, 3, 3]", "b": "f32[32]"},
        ["{name: p, op: Conv, inputs: [x, w, b], attributes: {strides: [2, 2]}}", "{name: y, op: Relu, inputs: [p]}"])
    add("elementwise", {"x": "f32[100, 128]", "z": "f32[100, 128]"},
        ["{name: a, op: Add, inputs: [x, z]}", "{name: b, op: Relu, inputs: [a]}", "{name: y, op: Mul, inputs: [b, x]}"])
    add("broadcast", {"x": "f32[3, 50, 70]", "z": "f32[70]"}, ["{name: y, op: Add, inputs: [x, z]}"])
    add("perceptron", {"x": "f32[100, 128]", "w0": "f32[128, 192]", "b0": "f32[192]", "w1": "f32[192, 64]", "b1": "f32[64]",
                       "w2": "f32[64, 10]", "b2": "f32[10]"},
        ["{name: p0, op: Gemm, inputs: [x, w0, b0]}", "{name: r0, op: Relu, inputs: [p0]}", "{name: p1, op: Gemm, inputs: [r0, w1, b1]}",
         "{name: r1, op: Relu, inputs: [p1]}", "{name: p2, op: Gemm, inputs: [r1, w2, b2]}"], "p2")
    return "\n".join(lines) + "\n", names


def by_hand(name):
    """Bytes and transfers of whole sizes: 16 x 8 blocks of 2 x 2 cores, 8 steps of 256, 8 of 32 in each."""
    blocks, cores = 16 * 8, 4
    l3 = blocks * 8 * (64 * 256 + 256 * 64) * 4
    l2 = blocks * cores * 64 * (32 * 32 + 32 * 32) * 4
    if name == "own_1024_512_2048":
        return {("L3", "L2"): (l3 * cores // 2, blocks * cores * 8 * 2), ("L2", "L1"): (l2, blocks * cores * 64 * 2),
                ("L1", "L2"): (1024 * 512 * 4, blocks * cores), ("L2", "L3"): (1024 * 512 * 4, blocks)}
    if name == "shared_1024_512_2048":
        return {("L3", "L2"): (l3, blocks * 8 * 2), ("L2", "L1"): (l2, blocks * cores * 64 * 2),
                ("L1", "L2"): (1024 * 512 * 4, blocks * cores), ("L2", "L3"): (1024 * 512 * 4, blocks)}
    return {}


def main():
    kgen, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    text, names = spec()
    (folder / "formula.yaml").write_text(text)
    failures = 0
    for name in names:
        command = [kgen, "simulate", str(folder / "formula.yaml"), "--graph", name, "--machine", "array-2x2", "--json"]
        run = subprocess.run(command, capture_output=True, text=True)
        report = json.loads(run.stdout)
        wrong = [f"{report['faults']} faults"] if report["faults"] else []
        wanted = by_hand(name)
        for way in report["traffic"]:
            ends = way["from"], way["to"]
            counted = way["bytes"], way["transfers"]
            formula = way["formula_bytes"], way["formula_transfers"]
            # Padding and transposes of images are outside of schedules.
            if ends == ("L3", "L3") and name in ("convolution", "strided") and formula == (None, None):
                continue
            if counted != formula:
                wrong.append(f"{ends}: counted {counted}, formula {formula}")
            if ends in wanted and formula != wanted.pop(ends):
                wrong.append(f"{ends}: {formula} is not what it is by hand")
        wrong += [f"{ends}: nothing" for ends in wanted]
        for bound in report["bounds"]:
            if bound["bytes"] != bound["formula_bytes"] or bound["transfers"] != bound["formula_transfers"]:
                wrong.append(f"{bound['memory']}: in and out is not the formula's")
            if bound["bytes"] < 0.999 * bound["least"]:
                wrong.append(f"{bound['memory']}: {bound['bytes']} is less than the least, {bound['least']}")
        for one in wrong:
            print(f"{name}: {one}")
        failures += len(wrong)
    print(f"{len(names)} graphs, {failures} differences")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
