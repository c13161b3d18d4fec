"""Each idiom as the operator and in the operations of two exporters: the same instructions and constants. same_code.py KGEN FOLDER

Alone, after a product, before a residual, before a cast, and with rows that are counted at run time. WITH_REASON lists what
may differ, and why.
"""
import struct
import subprocess
import sys
from pathlib import Path

TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4-bf16"]


def torch(x, log):
    nodes = [("m", "ReduceMax", [x], "{axes: [-1]}"), ("d", "Sub", [x, "m"], ""), ("e", "Exp", ["d"], ""),
             ("s", "ReduceSum", ["e"], "{axes: [-1]}")]
    return nodes + ([("l", "Log", ["s"], ""), ("y", "Sub", ["d", "l"], "")] if log else [("y", "Div", ["e", "s"], "")])


def tensorflow(x, log):
    nodes = [("largest", "ReduceMax", [x], "{axes: [1], keepdims: 0}"), ("m", "Unsqueeze", ["largest"], "{axes: [1]}"),
             ("d", "Sub", [x, "m"], ""), ("e", "Exp", ["d"], ""), ("total", "ReduceSum", ["e"], "{axes: [1], keepdims: 0}"),
             ("s", "Unsqueeze", ["total"], "{axes: [-1]}")]
    return nodes + ([("l", "Log", ["s"], ""), ("y", "Sub", ["d", "l"], "")] if log else [("y", "Div", ["e", "s"], "")])


def softmax(x, spelling):
    return [("y", "Softmax", [x], "")] if not spelling else spelling(x, False)


def log_softmax(x, spelling):
    return [("y", "LogSoftmax", [x], "")] if not spelling else spelling(x, True)


IDIOMS = {"softmax": softmax, "log_softmax": log_softmax}

# The operator multiplies by the inverse of the sum. A quotient that is spelled is rounded once, as docs/MLIR.md promises.
WITH_REASON = {("softmax", "f32"): "the quotient is rounded as it is spelled"}


def graph(name, idiom, spelling, element, place):
    rows = "n" if place == "open" else "24"
    inputs = {"x": f"{element}[{rows}, 160]"}
    nodes, x, y = [], "x", "y"
    if place == "product":
        inputs = {"a": f"{element}[{rows}, 64]", "b": f"{element}[64, 160]"}
        nodes, x = [("x", "MatMul", ["a", "b"], "")], "x"
    nodes += IDIOMS[idiom](x, spelling)
    if place == "residual":
        inputs["r"] = inputs["x"]
        nodes.append(("z", "Add", ["y", "r"], ""))
        y = "z"
    if place == "cast":
        nodes.append(("z", "Cast", ["y"], "{to: %s}" % ("f16" if element == "f32" else "f32")))
        y = "z"
    text = f"  - name: {name}\n    inputs: {{{', '.join(f'{n}: {chr(34)}{t}{chr(34)}' for n, t in inputs.items())}}}\n    nodes:\n"
    for node, op, operands, attributes in nodes:
        text += f"      - {{name: {node}, op: {op}, inputs: [{', '.join(operands)}]{', attributes: ' + attributes if attributes else ''}}}\n"
    return text + f"    outputs: [{y}]\n"


PLACES = ["alone", "product", "residual", "cast", "open"]
CASES = [(i, e, p) for i in IDIOMS for e in ("f32", "bf16", "f16") for p in PLACES]


def spec(spelling):
    text = f"library: same\ntargets: [{', '.join(TARGETS)}]\ndims: {{n: {{max: 40}}}}\ngraphs:\n"
    return text + "".join(graph("_".join(case), case[0], spelling, *case[1:]) for case in CASES)


def sections(path):
    """The bytes of an object's sections of instructions and of constants."""
    data = path.read_bytes()
    start, size, count, names = struct.unpack_from("<Q10xHHH", data, 40)
    headers = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count)]
    table = headers[names][4]
    found = {}
    for name, kind, _, _, offset, length in headers:
        text = data[table + name:data.index(b"\0", table + name)].decode()
        if text.startswith((".text", ".rodata")) and kind == 1:
            found[text] = data[offset:offset + length]
    return found


def main():
    kgen, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    spellings = {"operator": None, "torch": torch, "tensorflow": tensorflow}
    for name, spelling in spellings.items():
        (folder / f"{name}.yaml").write_text(spec(spelling))
        subprocess.run([kgen, "generate", folder / f"{name}.yaml", "-o", folder / name, "--quiet", "--always"], check=True)
    differing, equal = [], 0
    for case in CASES:
        for target in TARGETS:
            path = f"objects/{'_'.join(case)}.{target}.o"
            code = {name: sections(folder / name / path) for name in spellings}
            assert any(section.startswith(".text") and data for section, data in code["operator"].items()), path
            isSame = code["torch"] == code["operator"] and code["tensorflow"] == code["operator"]
            isSpelledSame = code["torch"] == code["tensorflow"]
            mayDiffer = case[:2] in WITH_REASON
            equal += isSame
            if not isSpelledSame or not isSame and not mayDiffer:
                differing.append(f"{' '.join(case)} for {target}: " +
                                 ("the operator's code is another" if isSpelledSame else "each spelling has other code"))
            if isSame and mayDiffer and case[2] == "alone":
                differing.append(f"{' '.join(case)} for {target} is as the operator, but listed: {WITH_REASON[case[:2]]}")
    print(f"{equal} of {len(CASES) * len(TARGETS)} as the operator")
    sys.exit("\n".join(differing) if differing else 0)


main()
