"""Each idiom as the operator and in the operations of two exporters: the same instructions and constants. same_code.py KGEN FOLDER

Alone, after a product, before a residual, before a cast, and with rows that are counted at run time. reason() says what may
differ, and why.
"""
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "lib"))
import share

TARGETS = ["x86-64-v2", "x86-64-v3", "x86-64-v4-bf16"]


# Nodes: name, operator, inputs, attributes. Weights: name, elements (None: the graph's), shape, numbers.


def softmax(x):
    return [], [("y", "Softmax", [x], "")]


def softmax_torch(x, log=False):
    nodes = [("m", "ReduceMax", [x], "{axes: [-1]}"), ("d", "Sub", [x, "m"], ""), ("e", "Exp", ["d"], ""),
             ("s", "ReduceSum", ["e"], "{axes: [-1]}")]
    return [], nodes + ([("l", "Log", ["s"], ""), ("y", "Sub", ["d", "l"], "")] if log else [("y", "Div", ["e", "s"], "")])


def softmax_tensorflow(x, log=False):
    nodes = [("largest", "ReduceMax", [x], "{axes: [1], keepdims: 0}"), ("m", "Unsqueeze", ["largest"], "{axes: [1]}"),
             ("d", "Sub", [x, "m"], ""), ("e", "Exp", ["d"], ""), ("total", "ReduceSum", ["e"], "{axes: [1], keepdims: 0}"),
             ("s", "Unsqueeze", ["total"], "{axes: [-1]}")]
    return [], nodes + ([("l", "Log", ["s"], ""), ("y", "Sub", ["d", "l"], "")] if log else [("y", "Div", ["e", "s"], "")])


def log_softmax(x):
    return [], [("y", "LogSoftmax", [x], "")]


def log_softmax_torch(x):
    return softmax_torch(x, log=True)


def log_softmax_tensorflow(x):
    return softmax_tensorflow(x, log=True)


SMALL = 2**-16  # a number of all types
EPSILON, TWO = ("epsilon", None, "", f"value: {SMALL}"), ("two", None, "", "value: 2")


def row_weights(size):
    return [("scale", None, size, "random: {seed: 1}"), ("bias", None, size, "random: {seed: 2}")]


def layer(x):
    return row_weights(160), [("y", "LayerNormalization", [x, "scale", "bias"], f"{{epsilon: {SMALL}}}")]


def layer_torch(x):
    return row_weights(160) + [EPSILON, TWO], [
        ("mean", "ReduceMean", [x], "{axes: [-1]}"), ("d", "Sub", [x, "mean"], ""), ("squares", "Pow", ["d", "two"], ""),
        ("variance", "ReduceMean", ["squares"], "{axes: [-1]}"), ("shifted", "Add", ["variance", "epsilon"], ""),
        ("root", "Sqrt", ["shifted"], ""), ("quotient", "Div", ["d", "root"], ""), ("scaled", "Mul", ["quotient", "scale"], ""),
        ("y", "Add", ["scaled", "bias"], "")]


def layer_tensorflow(x):
    return row_weights(160) + [EPSILON], [
        ("mean", "ReduceMean", [x], "{axes: [1]}"), ("d", "Sub", [x, "mean"], ""), ("squares", "Mul", ["d", "d"], ""),
        ("variance", "ReduceMean", ["squares"], "{axes: [1]}"), ("shifted", "Add", ["variance", "epsilon"], ""),
        ("root", "Sqrt", ["shifted"], ""), ("inverse", "Reciprocal", ["root"], ""), ("k", "Mul", ["inverse", "scale"], ""),
        ("xk", "Mul", [x, "k"], ""), ("mk", "Mul", ["mean", "k"], ""), ("rest", "Sub", ["bias", "mk"], ""), ("y", "Add", ["xk", "rest"], "")]


def rms(x):
    return row_weights(160)[:1], [("y", "RMSNormalization", [x, "scale"], f"{{epsilon: {SMALL}}}")]


def rms_torch(x):
    return row_weights(160)[:1] + [EPSILON, TWO], [
        ("squares", "Pow", [x, "two"], ""), ("mean", "ReduceMean", ["squares"], "{axes: [-1]}"), ("shifted", "Add", ["mean", "epsilon"], ""),
        ("root", "Sqrt", ["shifted"], ""), ("inverse", "Reciprocal", ["root"], ""), ("n", "Mul", [x, "inverse"], ""),
        ("y", "Mul", ["scale", "n"], "")]


def rms_tensorflow(x):
    return row_weights(160)[:1] + [EPSILON], [
        ("squares", "Mul", [x, x], ""), ("mean", "ReduceMean", ["squares"], "{axes: [1], keepdims: 0}"),
        ("means", "Unsqueeze", ["mean"], "{axes: [1]}"), ("shifted", "Add", ["epsilon", "means"], ""), ("root", "Sqrt", ["shifted"], ""),
        ("n", "Div", [x, "root"], ""), ("y", "Mul", ["n", "scale"], "")]


def shape(name, *sizes):
    return name, "i64", len(sizes), f"value: {list(sizes)}"


def group(x):
    return row_weights(8), [("y", "GroupNormalization", [x, "scale", "bias"], f"{{num_groups: 4, epsilon: {SMALL}}}")]


def group_torch(x):
    return row_weights(8) + [("ones", None, 4, "value: 1"), ("zeros", None, 4, "value: 0"), shape("rows", 0, 4, -1), shape("image", 0, 8, 20)], [
        ("flat", "Reshape", [x, "rows"], ""), ("each", "InstanceNormalization", ["flat", "ones", "zeros"], f"{{epsilon: {SMALL}}}"),
        ("back", "Reshape", ["each", "image"], ""), ("by", "Unsqueeze", ["scale"], "{axes: [1]}"), ("scaled", "Mul", ["back", "by"], ""),
        ("plus", "Unsqueeze", ["bias"], "{axes: [1]}"), ("y", "Add", ["scaled", "plus"], "")]


def group_tensorflow(x):
    return row_weights(8) + [EPSILON, shape("groups", 0, 4, 2, 20), shape("image", 0, 8, 20)], [
        ("grouped", "Reshape", [x, "groups"], ""), ("mean", "ReduceMean", ["grouped"], "{axes: [2, 3]}"), ("d", "Sub", ["grouped", "mean"], ""),
        ("squares", "Mul", ["d", "d"], ""), ("variance", "ReduceMean", ["squares"], "{axes: [2, 3]}"),
        ("shifted", "Add", ["variance", "epsilon"], ""), ("root", "Sqrt", ["shifted"], ""), ("quotient", "Div", ["d", "root"], ""),
        ("back", "Reshape", ["quotient", "image"], ""), ("by", "Unsqueeze", ["scale"], "{axes: [1]}"), ("scaled", "Mul", ["by", "back"], ""),
        ("plus", "Unsqueeze", ["bias"], "{axes: [1]}"), ("y", "Add", ["plus", "scaled"], "")]


def scalars(**numbers):
    return [(name, None, "", f"value: {value}") for name, value in numbers.items()]


def gelu(x):
    return [], [("y", "Gelu", [x], "")]


def gelu_torch(x):
    return scalars(root2=1.4142135381698608, one=1, half=0.5), [
        ("q", "Div", [x, "root2"], ""), ("e", "Erf", ["q"], ""), ("s", "Add", ["e", "one"], ""), ("p", "Mul", [x, "s"], ""),
        ("y", "Mul", ["p", "half"], "")]


def gelu_tensorflow(x):
    return scalars(factor=0.70710678, one=1, half=0.5), [
        ("q", "Mul", ["factor", x], ""), ("e", "Erf", ["q"], ""), ("s", "Add", ["one", "e"], ""), ("h", "Mul", ["half", x], ""),
        ("y", "Mul", ["h", "s"], "")]


ANGLES = {"cosines": "9, 8", "sines": "9, 8"}  # of positions and pairs


def pairs(x):
    return [], [("y", "RotaryEmbedding", [x, "cosines", "sines"], "{interleaved: 1}")], ANGLES


def rotated():
    """Of the pairs u and v, joined."""
    heads = [(f"{name}_of_heads", "Unsqueeze", [name], "{axes: [1]}") for name in ANGLES]
    apart = [(f"{name}_apart", "Unsqueeze", [name], "{axes: [-1]}") for name in "fg"]
    return heads + [("uc", "Mul", ["u", "cosines_of_heads"], ""), ("vs", "Mul", ["v", "sines_of_heads"], ""), ("f", "Sub", ["uc", "vs"], ""),
                    ("us", "Mul", ["u", "sines_of_heads"], ""), ("vc", "Mul", ["v", "cosines_of_heads"], ""), ("g", "Add", ["us", "vc"], ""),
                    *apart, ("joined", "Concat", ["f_apart", "g_apart"], "{axis: -1}"), ("y", "Reshape", ["joined", "rows"], "")]


def pairs_torch(x):
    """Their elements are slices with a stride."""
    numbers = [shape(name, number) for name, number in {"last": 3, "zero": 0, "one": 1, "end": 16, "two": 2}.items()]
    slices = [(name, "Slice", [x, first, "end", "last", "two"], "") for name, first in (("u", "zero"), ("v", "one"))]
    return [shape("rows", 0, 4, 9, 16), *numbers], slices + rotated(), ANGLES


def pairs_tensorflow(x):
    """Their elements are a dimension."""
    gathers = [(name, "Gather", ["split", number], "{axis: 4}") for name, number in (("u", "zero"), ("v", "one"))]
    return [shape("rows", 0, 4, 9, 16), shape("sizes", 0, 4, 9, 8, 2), ("zero", "i64", "", "value: 0"), ("one", "i64", "", "value: 1")], [
        ("split", "Reshape", [x, "sizes"], ""), *gathers, *rotated()], ANGLES


def halves(x):
    return [], [("y", "RotaryEmbedding", [x, "cosines", "sines"], "")], ANGLES


def halves_torch(x):
    """x * cos + rotate_half(x) * sin, with angles for each element."""
    numbers = [shape(name, number) for name, number in {"last": 3, "zero": 0, "half": 8, "end": 16}.items()]
    twice = [(f"{name}_twice", "Concat", [name, name], "{axis: -1}") for name in ANGLES]
    heads = [(f"{name}_of_heads", "Unsqueeze", [f"{name}_twice"], "{axes: [1]}") for name in ANGLES]
    return numbers, twice + heads + [
        ("u", "Slice", [x, "zero", "half", "last"], ""), ("v", "Slice", [x, "half", "end", "last"], ""), ("n", "Neg", ["v"], ""),
        ("turned", "Concat", ["n", "u"], "{axis: -1}"), ("xc", "Mul", [x, "cosines_of_heads"], ""), ("ts", "Mul", ["turned", "sines_of_heads"], ""),
        ("y", "Add", ["xc", "ts"], "")], ANGLES


def halves_tensorflow(x):
    """Both halves by themselves, as in ONNX's definition."""
    heads = [(f"{name}_of_heads", "Unsqueeze", [name], "{axes: [1]}") for name in ANGLES]
    return [shape("sizes", 8, 8)], heads + [
        ("u, v", "Split", [x, "sizes"], "{axis: -1}"), ("uc", "Mul", ["cosines_of_heads", "u"], ""), ("vs", "Mul", ["sines_of_heads", "v"], ""),
        ("f", "Sub", ["uc", "vs"], ""), ("vc", "Mul", ["cosines_of_heads", "v"], ""), ("us", "Mul", ["sines_of_heads", "u"], ""),
        ("g", "Add", ["vc", "us"], ""), ("y", "Concat", ["f", "g"], "{axis: -1}")], ANGLES


KEYS = {"k": "4, 12, 16", "v": "4, 12, 16"}


def attention(x):
    return [], [("y", "Attention", [x, "k", "v"], "")], KEYS


def attention_torch(x, mask=(), softmax=None):
    """Scores times a factor."""
    return scalars(factor=0.25), [("kt", "Transpose", ["k"], "{perm: [0, 1, 3, 2]}"), ("s", "MatMul", [x, "kt"], ""),
                                  ("scaled", "Mul", ["s", "factor"], ""), ("w", "Softmax", ["scaled"], "{axis: -1}"), ("y", "MatMul", ["w", "v"], "")], KEYS


def attention_tensorflow(x):
    """Queries times a factor, and a softmax in single operations."""
    return scalars(factor=0.25), [
        ("q", "Mul", ["factor", x], ""), ("kt", "Transpose", ["k"], "{perm: [0, 1, 3, 2]}"), ("s", "MatMul", ["q", "kt"], ""),
        ("m", "ReduceMax", ["s"], "{axes: [-1]}"), ("d", "Sub", ["s", "m"], ""), ("e", "Exp", ["d"], ""), ("t", "ReduceSum", ["e"], "{axes: [-1]}"),
        ("w", "Div", ["e", "t"], ""), ("y", "MatMul", ["w", "v"], "")], KEYS


MASKED = {**KEYS, "mask": "1, 9, 12"}


def masked(x):
    return [], [("y", "Attention", [x, "k", "v", "mask"], "")], MASKED


def masked_torch(x):
    weights, nodes, _ = attention_torch(x)
    return weights, nodes[:3] + [("sum", "Add", ["scaled", "mask"], ""), ("w", "Softmax", ["sum"], "{axis: -1}")] + nodes[4:], MASKED


def masked_tensorflow(x):
    weights, nodes, _ = attention_tensorflow(x)
    return weights, nodes[:2] + [("scores", "MatMul", ["q", "kt"], ""), ("s", "Add", ["mask", "scores"], "")] + nodes[3:], MASKED


CAUSAL = {name: "4, 9, 16" for name in KEYS}


def causal(x):
    return [], [("y", "Attention", [x, "k", "v"], "{is_causal: 1}")], CAUSAL


def causal_torch(x):
    """-inf where a triangle says so."""
    weights, nodes, _ = attention_torch(x)
    seen = ("seen", "bool", "9, 9", f"value: {[[key <= query for key in range(9)] for query in range(9)]}".replace("T", "t").replace("F", "f"))
    return weights + [seen, ("none", None, "", "value: -.inf")], nodes[:3] + [
        ("chosen", "Where", ["seen", "scaled", "none"], ""), ("w", "Softmax", ["chosen"], "{axis: -1}")] + nodes[4:], CAUSAL


def causal_tensorflow(x):
    """Lowest numbers that are added."""
    weights, nodes, _ = attention_tensorflow(x)
    return weights + [("hidden", None, "9, 9", f"value: {[[-.0 if key <= query else '-.inf' for key in range(9)] for query in range(9)]}".replace("'", ""))], \
        nodes[:2] + [("scores", "MatMul", ["q", "kt"], ""), ("s", "Add", ["scores", "hidden"], "")] + nodes[3:], CAUSAL


def silu(x):
    return [], [("y", "Swish", [x], "")]


def silu_torch(x):
    return [], [("s", "Sigmoid", [x], ""), ("y", "Mul", [x, "s"], "")]


def silu_tensorflow(x):
    return scalars(one=1), [("n", "Neg", [x], ""), ("e", "Exp", ["n"], ""), ("d", "Add", ["one", "e"], ""), ("y", "Div", [x, "d"], "")]


def maximum(x):
    return scalars(low=0.5), [("y", "Max", [x, "low"], "")]


def maximum_torch(x):
    return scalars(low=0.5), [("c", "Less", [x, "low"], ""), ("y", "Where", ["c", "low", x], "")]


def maximum_tensorflow(x):
    return scalars(low=0.5), [("c", "LessOrEqual", [x, "low"], ""), ("y", "Where", ["c", "low", x], "")]


def byte_weights():
    """Of a product of bytes: more than what a graph makes floats of."""
    return [("w", "i8", "160, 48", "random: {seed: 1}"), ("s", "f32", "48", f"value: {[(16 + i) / 1024 for i in range(48)]}"),
            ("sx", "f32", "", "value: 0.02"), ("zx", "u8", "", "value: 128")]


def dense(x):
    return byte_weights(), [("dx", "DequantizeLinear", [x, "sx", "zx"], ""), ("dw", "DequantizeLinear", ["w", "s"], "{axis: 1}"),
                            ("y", "MatMul", ["dx", "dw"], "")]


def dense_torch(x):
    """Differences of floats."""
    return byte_weights() + [("zero", "f32", "", "value: 128")], [
        ("fx", "Cast", [x], "{to: f32}"), ("cx", "Sub", ["fx", "zero"], ""), ("dx", "Mul", ["cx", "sx"], ""),
        ("fw", "Cast", ["w"], "{to: f32}"), ("dw", "Mul", ["fw", "s"], ""), ("y", "MatMul", ["dx", "dw"], "")]


def dense_tensorflow(x):
    """Differences of integers."""
    return byte_weights() + [("zero", "i32", "", "value: 128")], [
        ("ix", "Cast", [x], "{to: i32}"), ("cx", "Sub", ["ix", "zero"], ""), ("fx", "Cast", ["cx"], "{to: f32}"), ("dx", "Mul", ["sx", "fx"], ""),
        ("fw", "Cast", ["w"], "{to: f32}"), ("dw", "Mul", ["s", "fw"], ""), ("y", "MatMul", ["dx", "dw"], "")]


def filter_weights():
    """Of a convolution of bytes: more than what a graph makes floats of."""
    return [("w", "i8", "48, 48, 3, 3", "random: {seed: 1}"), ("sw", "f32", "48", f"value: {[(16 + i) / 1024 for i in range(48)]}"),
            ("zw", "i8", "48", f"value: {[0] * 48}"), ("sx", "f32", "", "value: 0.02"), ("zx", "u8", "", "value: 128"),
            ("sy", "f32", "", "value: 0.5"), ("zy", "u8", "", "value: 100")]


def convolution(x):
    return filter_weights(), [("q", "QLinearConv", [x, "sx", "zx", "w", "sw", "zw", "sy", "zy"], "{pads: [1, 1, 1, 1]}"),
                              ("y", "DequantizeLinear", ["q", "sy", "zy"], "")]


def convolution_torch(x):
    return filter_weights(), [("dx", "DequantizeLinear", [x, "sx", "zx"], ""), ("dw", "DequantizeLinear", ["w", "sw", "zw"], "{axis: 0}"),
                              ("real", "Conv", ["dx", "dw"], "{pads: [1, 1, 1, 1]}"), ("q", "QuantizeLinear", ["real", "sy", "zy"], ""),
                              ("y", "DequantizeLinear", ["q", "sy", "zy"], "")]


def convolution_tensorflow(x):
    """Differences of integers."""
    return filter_weights() + [("zero", "i32", "", "value: 128"), ("s", "f32", "48, 1, 1, 1", f"value: {[(16 + i) / 1024 for i in range(48)]}")], [
        ("ix", "Cast", [x], "{to: i32}"), ("cx", "Sub", ["ix", "zero"], ""), ("fx", "Cast", ["cx"], "{to: f32}"), ("dx", "Mul", ["fx", "sx"], ""),
        ("fw", "Cast", ["w"], "{to: f32}"), ("dw", "Mul", ["fw", "s"], ""), ("real", "Conv", ["dx", "dw"], "{pads: [1, 1, 1, 1]}"),
        ("q", "QuantizeLinear", ["real", "sy", "zy"], ""), ("y", "DequantizeLinear", ["q", "sy", "zy"], "")]


# Idioms of bytes: the type of x, and the elements of a row of the result.
BYTES = {"dense": ("u8", "48"), "convolution": ("u8", "9")}

# Elements of x after the batch.
ROWS = {"softmax": "160", "log_softmax": "160", "layer": "160", "rms": "160", "group": "8, 20", "gelu": "160", "pairs": "4, 9, 16",
        "halves": "4, 9, 16", "attention": "4, 9, 16", "masked": "4, 9, 16", "causal": "4, 9, 16", "silu": "160", "maximum": "160",
        "dense": "160", "convolution": "48, 9, 9"}
SPELLINGS = ["torch", "tensorflow"]

# Operators multiply by the inverse of a sum or a root. A quotient that is spelled is rounded as docs/MLIR.md promises.
QUOTIENTS = {("softmax", "torch"), ("softmax", "tensorflow"), ("layer", "torch"), ("rms", "tensorflow"), ("group", "tensorflow")}


def reason(idiom, spelling, element, target, place):
    """Why the code of a spelling may differ from the operator's; empty if it may not."""
    if element != "f32" and idiom == "gelu":
        return f"each step of {spelling} is rounded, as docs/MLIR.md promises"
    if idiom == "masked":
        return "the operator gives 0 where a mask hides all keys, a softmax that is spelled gives NaN"
    if idiom in ("attention", "causal") and place == "residual":
        return "the operator has a dimension of heads that share keys, and adds the residual to the heads themselves"
    if idiom in ("attention", "causal") and element != "f32" and place == "open":
        return f"weights of {spelling} may be rounded to {element}, as docs/MLIR.md promises"
    if idiom == "convolution":
        return f"{spelling} rounds before it quantizes, where the operator multiplies by one factor"
    if idiom == "dense" and place == "open":
        return f"products of bytes of open sizes stay as {spelling} spells them"
    if idiom == "silu" and spelling == "tensorflow":
        return "the quotient is rounded once, where the operator multiplies by a rounded sigmoid"
    if idiom == "maximum" and element != "f32":
        return f"selections of {spelling} move bits of {element}, NaNs among them"
    if element == "f32" and (idiom, spelling) in QUOTIENTS:
        return "the quotient is rounded as it is spelled"
    if element == "f32" and idiom in ("layer", "rms", "group") and target != "x86-64-v2":
        return "the variance is one fused multiply-add"
    return ""


def graph(idiom, element, place, spelling):
    row = ROWS[idiom]
    *outer, last = row.split(", ")
    entry, result = BYTES.get(idiom, (element, last))
    batch = ", ".join(["n" if place == "open" else "24"] + outer)
    inputs = {"x": f"{entry}[{batch}, {last}]"}
    nodes, x, y = [], "x", "y"
    if place == "product":
        inputs = {"a": f"{element}[{batch}, 64]", "b": f"{element}[64, {last}]"}
        nodes = [("x", "MatMul", ["a", "b"], "")]
        if entry != element:
            nodes = [("product", "MatMul", ["a", "b"], ""), ("x", "QuantizeLinear", ["product", "sx", "zx"], "")]
    weights, spelled, *others = globals()[f"{idiom}_{spelling}" if spelling else idiom](x)
    nodes += spelled
    for name, sizes in others[0].items() if others else []:
        inputs[name] = f"{element}[{batch.split(', ')[0]}, {sizes}]"
    if place == "residual":
        inputs["r"] = f"{element}[{batch}, {result}]"
        nodes.append(("z", "Add", ["y", "r"], ""))
        y = "z"
    if place == "cast":
        nodes.append(("z", "Cast", ["y"], "{to: %s}" % ("f16" if element == "f32" else "f32")))
        y = "z"
    text = f"  - name: {idiom}_{element}_{place}\n    inputs: {{{', '.join(f'{n}: {chr(34)}{t}{chr(34)}' for n, t in inputs.items())}}}\n"
    read = {operand for _, _, operands, _ in nodes for operand in operands}
    weights = [weight for weight in weights if weight[0] in read]
    if weights:
        text += "    weights:\n"
    for name, elements, size, numbers in weights:
        text += f"      {name}: {{type: \"{elements or element}[{size}]\", {numbers}}}\n"
    text += "    nodes:\n"
    for node, op, operands, attributes in nodes:
        text += f"      - {{name: {node.split(', ')[0]}_node, op: {op}, inputs: [{', '.join(operands)}], outputs: [{node}]" \
                f"{', attributes: ' + attributes if attributes else ''}}}\n"
    return text + f"    outputs: [{y}]\n"


PLACES = ["alone", "product", "residual", "cast", "open"]
CASES = share.today(3, [(i, e, p) for i in ROWS for e in (["f32"] if i in BYTES else ["f32", "bf16", "f16"]) for p in PLACES
                        if i != "convolution" or p != "open"])  # QLinearConv has sizes that are numbers


def spec(spelling):
    text = f"library: same\ntargets: [{', '.join(TARGETS)}]\ndims: {{n: {{max: 40}}}}\ngraphs:\n"
    return text + "".join(graph(*case, spelling) for case in CASES)


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
    for name in ["operator", *SPELLINGS]:
        (folder / f"{name}.yaml").write_text(spec("" if name == "operator" else name))
        subprocess.run([kgen, "generate", folder / f"{name}.yaml", "-o", folder / name, "--quiet", "--always"], check=True)
    differing, equal = [], 0
    for case in CASES:
        for target in TARGETS:
            path = f"objects/{'_'.join(case)}.{target}.o"
            code = {name: sections(folder / name / path) for name in ["operator", *SPELLINGS]}
            assert any(section.startswith(".text") and data for section, data in code["operator"].items()), path
            idiom, element, place = case
            reasons = {spelling: reason(idiom, spelling, element, target, place) for spelling in SPELLINGS}
            for spelling, why in reasons.items():
                isSame = code[spelling] == code["operator"]
                equal += isSame
                if not isSame and not why:
                    differing.append(f"{' '.join(case)} by {spelling} for {target}: the operator's code is another")
                if isSame and why and place == "alone":
                    differing.append(f"{' '.join(case)} by {spelling} for {target} is as the operator, but listed: {why}")
            if len(set(reasons.values())) == 1 and code["torch"] != code["tensorflow"]:
                differing.append(f"{' '.join(case)} for {target}: each spelling has other code")
    print(f"{equal} of {len(CASES) * len(TARGETS) * len(SPELLINGS)} as the operator")
    sys.exit("\n".join(differing) if differing else 0)


main()
