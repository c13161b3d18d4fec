"""Networks of specs/graphs with their normalizations, Gelu, SiLU and softmaxes as two exporters take them apart: exporters.py KGEN FOLDER [results|bench]

`torch` writes powers, quotients and negative axes; `tensorflow` writes products, inverses, and reductions that drop dimensions. Each node that was taken
apart must be recognized, and attention must be fused as before (`kgen explain --json`). With `results`, they are compared
with those of plain loops; with `bench`, the times of both are printed beside those of the composed operators.
"""
import json
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "lib"))
import share
from commands import run

GRAPHS = Path(__file__).parents[3] / "specs/graphs"
NETWORKS = {"bert-base": ["layer"], "vit-small": ["layer"], "whisper-tiny": ["step"], "unet": ["residual"], "attention": ["heads"]}


def number(value):
    return f'{{type: "f32[]", value: {value}}}'


def layer_torch(n, x, scale, bias, epsilon):
    return {"two": number(2), "epsilon": number(epsilon)}, [
        ("mean", "ReduceMean", [x], "{axes: [-1]}"), ("centred", "Sub", [x, "mean"]), ("squares", "Pow", ["centred", "two"]),
        ("variance", "ReduceMean", ["squares"], "{axes: [-1]}"), ("shifted", "Add", ["variance", "epsilon"]), ("root", "Sqrt", ["shifted"]),
        ("quotient", "Div", ["centred", "root"]), ("scaled", "Mul", ["quotient", scale]), (n, "Add", ["scaled", bias])]


def layer_tensorflow(n, x, scale, bias, epsilon):
    return {"epsilon": number(epsilon)}, [
        ("mean", "ReduceMean", [x], "{axes: [1]}"), ("centred", "Sub", [x, "mean"]), ("squares", "Mul", ["centred", "centred"]),
        ("variance", "ReduceMean", ["squares"], "{axes: [1]}"), ("shifted", "Add", ["variance", "epsilon"]), ("root", "Sqrt", ["shifted"]),
        ("inverse", "Reciprocal", ["root"]), ("k", "Mul", ["inverse", scale]), ("xk", "Mul", [x, "k"]), ("mk", "Mul", ["mean", "k"]),
        ("rest", "Sub", [bias, "mk"]), (n, "Add", ["xk", "rest"])]


def group_torch(n, x, scale, shift):
    return {"ones": '{type: "f32[32]", value: 1}', "zeros": '{type: "f32[32]", value: 0}', "rows": '{type: "i64[3]", value: [1, 32, -1]}',
            "image": '{type: "i64[4]", value: [1, $from, 32, 32]}'}, [
        ("flat", "Reshape", [x, "rows"]), ("each", "InstanceNormalization", ["flat", "ones", "zeros"]), ("back", "Reshape", ["each", "image"]),
        ("by", "Unsqueeze", [scale], "{axes: [1, 2]}"), ("scaled", "Mul", ["back", "by"]), ("plus", "Unsqueeze", [shift], "{axes: [1, 2]}"),
        (n, "Add", ["scaled", "plus"])]


def group_tensorflow(n, x, scale, shift):
    return {"groups": '{type: "i64[5]", value: [1, 32, $(from / 32), 32, 32]}', "image": '{type: "i64[4]", value: [1, $from, 32, 32]}',
            "epsilon": number("1.0e-5")}, [
        ("grouped", "Reshape", [x, "groups"]), ("mean", "ReduceMean", ["grouped"], "{axes: [2, 3, 4]}"), ("centred", "Sub", ["grouped", "mean"]),
        ("squares", "Mul", ["centred", "centred"]), ("variance", "ReduceMean", ["squares"], "{axes: [2, 3, 4]}"),
        ("shifted", "Add", ["variance", "epsilon"]), ("root", "Sqrt", ["shifted"]), ("quotient", "Div", ["centred", "root"]),
        ("back", "Reshape", ["quotient", "image"]), ("by", "Unsqueeze", [scale], "{axes: [1, 2]}"), ("scaled", "Mul", ["by", "back"]),
        ("plus", "Unsqueeze", [shift], "{axes: [1, 2]}"), (n, "Add", ["plus", "scaled"])]


def gelu_torch(n, x):
    return {"root2": number(1.4142135381698608), "one": number(1), "half": number(0.5)}, [
        ("quotient", "Div", [x, "root2"]), ("erf", "Erf", ["quotient"]), ("sum", "Add", ["erf", "one"]), ("product", "Mul", [x, "sum"]),
        (n, "Mul", ["product", "half"])]


def gelu_tensorflow(n, x):
    return {"factor": number(0.70710678), "one": number(1), "half": number(0.5)}, [
        ("product", "Mul", ["factor", x]), ("erf", "Erf", ["product"]), ("sum", "Add", ["one", "erf"]), ("halved", "Mul", ["half", x]),
        (n, "Mul", ["halved", "sum"])]


def softmax_torch(n, x):
    return {}, [("largest", "ReduceMax", [x], "{axes: [-1]}"), ("difference", "Sub", [x, "largest"]), ("power", "Exp", ["difference"]),
                ("total", "ReduceSum", ["power"], "{axes: [-1]}"), (n, "Div", ["power", "total"])]


def softmax_tensorflow(n, x):
    return {}, [("maximum", "ReduceMax", [x], "{axes: [2], keepdims: 0}"), ("largest", "Unsqueeze", ["maximum"], "{axes: [2]}"),
                ("difference", "Sub", [x, "largest"]), ("power", "Exp", ["difference"]), ("sum", "ReduceSum", ["power"], "{axes: [2], keepdims: 0}"),
                ("total", "Unsqueeze", ["sum"], "{axes: [-1]}"), (n, "Div", ["power", "total"])]


def logistic_tensorflow(n, x):
    return {"one": number(1)}, [("negative", "Neg", [x]), ("power", "Exp", ["negative"]), ("sum", "Add", ["power", "one"]),
                                (n, "Reciprocal", ["sum"])]


def rules(style):
    """Operators, what they become, and the passes that recognize them."""
    of = lambda name: globals()[f"{name}_{style}"]
    found = {"LayerNormalization": of("layer"), "GroupNormalization": of("group"), "Gelu": of("gelu"), "Softmax": of("softmax")}
    if style == "tensorflow":
        found["Sigmoid"] = logistic_tensorflow
    return found


NODE = re.compile(r"( *)- \{name: (\w+), op: (\w+), inputs: \[([^\]]*)\](?:, attributes: \{([^}]*)\})?\}")


def taken_apart(text, style):
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        node = NODE.fullmatch(lines[at])
        rule = rules(style).get(node[3]) if node else None
        at += 1
        if not rule:
            continue
        indent, name, inputs = node[1], node[2], [each.strip() for each in node[4].split(",")]
        epsilon = re.search(r"epsilon: (\S+?)[,}]?$", node[5] or "")
        arguments = inputs + ([epsilon[1]] if node[3] == "LayerNormalization" else [])
        weights, nodes = rule(name, *arguments)
        own = {each for each in list(weights) + [n[0] for n in nodes] if each != name}
        prefixed = lambda each: f"{name}_{each}" if each in own else each
        written = []
        for result, op, operands, *attributes in nodes:
            suffix = f", attributes: {attributes[0]}" if attributes else ""
            written.append(f"{indent}- {{name: {prefixed(result)}, op: {op}, inputs: [{', '.join(map(prefixed, operands))}]{suffix}}}")
        lines[at - 1 : at] = written
        at += len(written) - 1
        begin = next(i for i in range(at, -1, -1) if lines[i].strip() == "nodes:")
        outer = lines[begin][: -len("nodes:")]
        head = begin
        while head > 0 and lines[head].startswith(outer) and lines[head] != outer + "weights:":
            head -= 1
        if not weights:
            continue
        declared = [f"{outer}  {prefixed(each)}: {what}" for each, what in weights.items()]
        if lines[head] != outer + "weights:":
            declared.insert(0, outer + "weights:")
            head = begin - 1
        lines[head + 1 : head + 1] = declared
        at += len(declared)
    return "\n".join(lines)


def only(text, graphs):
    """The spec with these graphs alone."""
    head, _, rest = text.partition("\ngraphs:\n")
    parts = re.split(r"(?m)^(?=  - name: )", rest)
    return head + "\ngraphs:\n" + "".join(p for p in parts if not p.startswith("  - name: ") or p.split("\n")[0].split()[-1] in graphs)


def write(folder, style):
    """All specs, with nodes taken apart unless the style is `composed`."""
    apart = (lambda text: text) if style == "composed" else (lambda text: taken_apart(text, style))
    (folder / style / "modules").mkdir(parents=True, exist_ok=True)
    for module in (GRAPHS / "modules").glob("*.yaml"):
        (folder / style / "modules" / module.name).write_text(apart(module.read_text()))
    for network, graphs in NETWORKS.items():
        (folder / style / f"{network}.yaml").write_text(apart(only((GRAPHS / f"{network}.yaml").read_text(), graphs)))


def explained(kgen, spec):
    return json.loads(run(kgen, "explain", spec, "--target", "x86-64-v3", "--json"))["parts"]


def applied(explanations, which):
    return Counter(r["applied"].split(" over ")[0].split(" of ")[0] for e in explanations for r in e["remarks"] if "applied" in r and r["pass"] == which)


def check(kgen, folder, style, network):
    before = explained(kgen, folder / "composed" / f"{network}.yaml")
    after = explained(kgen, folder / style / f"{network}.yaml")
    ops = Counter(node["op"] for e in before for node in e["nodes"])
    raised = applied(after, "kgen-raise-idioms")
    attentions = sum(applied(before, "kgen-fuse-attention").values()) # of softmaxes between two products
    expected = {"layer normalization": ops["LayerNormalization"], "group normalization": ops["GroupNormalization"],
                "gelu": ops["Gelu"], "sigmoid": ops["Sigmoid"] if style == "tensorflow" else 0, "softmax": ops["Softmax"],
                "attention": attentions}
    found = {"layer normalization": raised["layer normalization"], "group normalization": raised["group normalization"],
             "gelu": raised["gelu"], "sigmoid": raised["sigmoid"] + raised["silu"] + raised["a product with sigmoid"],
             "softmax": raised["softmax"], "attention": sum(applied(after, "kgen-fuse-attention").values())}
    left = [r for e in after for r in e["remarks"] if "refused" in r and r["pass"] == "kgen-raise-idioms"]
    assert sum(expected.values()) > 0, network
    assert found == expected and not left, f"{style}/{network}: expected {expected}, found {found}, left {left}"
    print(f"{style}/{network}: {', '.join(f'{n} {what}' for what, n in found.items() if n)}")


def main():
    kgen, folder = sys.argv[1], Path(sys.argv[2])
    for style in ("composed", "torch", "tensorflow"):
        write(folder, style)
    cases = [(network, style) for network in NETWORKS for style in ("torch", "tensorflow")]
    for network, style in cases if "results" in sys.argv else share.today(4, cases):
        check(kgen, folder, style, network)
        if "results" in sys.argv:
            run(kgen, "bench", folder / style / f"{network}.yaml", "--hot", "--threads", "1", "--time", "0.001", "--target", "x86-64-v3")
    if "bench" in sys.argv:
        for network in NETWORKS:
            for style in ("composed", "torch", "tensorflow") * 3:
                for line in run(kgen, "bench", folder / style / f"{network}.yaml", "--hot", "--threads", "1", "--target", "x86-64-v3", "--target", "x86-64-v4").split("\n"):
                    if " hot " in line:
                        print(f"{network:14}{style:12}{line}")


if __name__ == "__main__":
    main()
