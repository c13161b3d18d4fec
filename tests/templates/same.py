"""Writes two specs into FOLDER: kgen's own operators, and the templates of FILE that should give the same code."""
import sys
from pathlib import Path

OPERATORS = {  # inputs, nodes of kgen's, node of the template
    "rms": (["x: \"{t}[5, 24]\"", "w: \"{t}[24]\""],
            ["{name: y, op: RMSNormalization, inputs: [x, w], attributes: {epsilon: 1.0e-6}}"],
            ["{name: y, op: my.rms_norm, inputs: [x, w], attributes: {Epsilon: 1.0e-6}}"]),
    "gelu": (["x: \"{t}[5, 24]\""], ["{name: y, op: Gelu, inputs: [x]}"], ["{name: y, op: my.gelu, inputs: [x]}"]),
    "softmax": (["x: \"{t}[5, 24]\""], ["{name: y, op: Softmax, inputs: [x], attributes: {axis: -1}}"],
                ["{name: y, op: my.softmax, inputs: [x]}"]),
    "dense": (["a: \"{t}[5, 24]\"", "b: \"{t}[24, 16]\"", "c: \"{t}[16]\""],
              ["{name: m, op: MatMul, inputs: [a, b]}", "{name: s, op: Add, inputs: [m, c]}", "{name: y, op: Relu, inputs: [s]}"],
              ["{name: y, op: my.dense, inputs: [a, b, c]}"])}


def spec(own, templates):
    lines = ["library: same", "targets: [x86-64-v2, x86-64-v3, x86-64-v4, x86-64-v4-bf16]"]
    lines += [f"templates: [{templates}]"] if own else []
    lines.append("graphs:")
    for name, (inputs, builtin, template) in OPERATORS.items():
        for element in ["f32", "bf16"]:
            given = ", ".join(text.replace("{t}", element) for text in inputs)
            lines += [f"  - name: {name}_{element}", f"    inputs: {{{given}}}", "    nodes:"]
            lines += ["      - " + node for node in (template if own else builtin)]
            lines.append("    outputs: [y]")
    return "\n".join(lines) + "\n"


def main():
    templates, folder = sys.argv[1:3]
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / "builtin.yaml").write_text(spec(False, templates))
    (Path(folder) / "own.yaml").write_text(spec(True, templates))


main()
