"""Products and convolutions of bytes as exporters take QuantizeLinear and DequantizeLinear apart, against numpy in double precision: quantized.py KGEN FOLDER [bench]

Weights have more than 4096 elements: fewer are folded into floats by the graph. `floats` subtracts zero points from floats, `integers` from i32; both round, clip and cast where the operators quantize, and each must be recognized, with
one clamp where results are quantized (`kgen explain --json`), and compute with the same micro-kernels as the operators (`operators`). Near misses must not be, and be right. With `bench`, times are printed.
"""
import json
import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "lib"))
import share
from commands import run

PASS = "kgen-raise-idioms"
TYPES = {"u8": np.uint8, "i8": np.int8}


class Graph:
    """A graph of a spec, and the same in double precision."""

    def __init__(self, name, style, seed=1):
        self.name, self.style, self.random = name, style, np.random.default_rng(seed)
        self.inputs, self.weights, self.nodes, self.arrays = [], [], [], {}

    def weight(self, element, values):
        name = f"w{len(self.weights)}"
        values = np.asarray(values)
        shape = ", ".join(map(str, values.shape))
        numbers = ", ".join(map(repr, values.ravel().tolist()))
        self.weights.append(f'      {name}: {{type: "{element}[{shape}]", value: {numbers if values.size == 1 else f"[{numbers}]"}}}')
        return name

    def input(self, element, values):
        name = f"in{len(self.inputs)}"
        values = values.astype(TYPES.get(element, np.float32))
        self.inputs.append(f'      {name}: "{element}[{", ".join(map(str, values.shape))}]"')
        self.arrays[name] = values
        return name

    def __call__(self, op, *inputs, **attributes):
        name = f"{op.lower()}{len(self.nodes)}"
        written = ", ".join(f"{key}: {value}" for key, value in attributes.items())
        self.nodes.append(f"      - {{name: {name}, op: {op}, inputs: [{', '.join(inputs)}], attributes: {{{written}}}}}")
        return name

    def bytes(self, element, shape, isWeight):
        low = -128 if element == "i8" else 0
        values = self.random.integers(low, low + 256, shape)
        return (self.weight if isWeight else self.input)(element, values), values

    def real(self, element, shape, zero=0, scale=0.02, axis=None, isWeight=False, zeroAs="f32"):
        """Bytes as real numbers, and these in double precision."""
        name, values = self.bytes(element, shape, isWeight)
        scales = np.float32(scale if axis is None else self.random.uniform(0.01, 0.03, shape[axis]))
        along = [1] * len(shape)
        if axis is not None:
            along[axis] = -1
        exact = (values - zero).astype(float) * scales.astype(float).reshape(along if axis is not None else ())
        if self.style == "operators":
            zeros = np.full(scales.shape, zero)
            y = self("DequantizeLinear", name, self.weight("f32", scales), self.weight(element, zeros), axis=axis or 0)
            return y, exact
        parameter = scales if axis is None else scales.reshape(-1, *[1] * (len(shape) - axis - 1))
        if self.style == "integers":
            y = self("Cast", self("Sub", self("Cast", name, to="i32"), self.weight("i32", zero)), to="f32")
        else:
            y = self("Sub", self("Cast", name, to="f32"), self.weight("f32", float(zero)))
        return self("Mul", y, self.weight("f32", parameter)), exact

    def quantized(self, y, exact, element, scale, zero):
        low = -128 if element == "i8" else 0
        expected = np.clip(np.rint(exact / float(np.float32(scale))) + zero, low, low + 255)
        if self.style == "operators":
            return self("QuantizeLinear", y, self.weight("f32", scale), self.weight(element, zero)), expected
        y = self("Add", self("Round", self("Div", y, self.weight("f32", scale))), self.weight("f32", float(zero)))
        y = self("Clip", y, self.weight("f32", float(low)), self.weight("f32", float(low + 255)))
        return self("Cast", y, to=element), expected

    def finish(self, outputs):
        self.outputs = [name for name, _, _ in outputs]
        for name, values, element in outputs:
            self.arrays[name] = values.astype(TYPES.get(element, np.float32))
        return self

    def write(self):
        return "\n".join([f"  - name: {self.name}_{self.style}", "    inputs:", *self.inputs, "    weights:", *self.weights, "    nodes:", *self.nodes,
                          f"    outputs: [{', '.join(self.outputs)}]"]) + "\n"


def layer(style, name="layer", m=37, k=65, n=67, x="u8", w="i8", zx=120, zw=0):
    """A product, a bias, a ReLU and what quantizes the result; the result itself, too."""
    g = Graph(name, style)
    a, left = g.real(x, (m, k), zx)
    b, right = g.real(w, (k, n), zw, axis=1 if zw == 0 else None, isWeight=True)
    bias = g.random.uniform(-1, 1, n).astype(np.float32)
    y = g("Relu", g("Add", g("MatMul", a, b), g.weight("f32", bias)))
    exact = np.maximum(left @ right + bias.astype(float), 0)
    q, expected = g.quantized(y, exact, "u8", 0.37, 3)
    return g.finish([(q, expected, "u8"), (y, exact, "f32")])


def signed(style):
    return layer(style, "signed", 5, 128, 33, "i8", "i8", -7)


def asymmetric(style):
    """Both sides have zero points."""
    return layer(style, "asymmetric", 16, 91, 48, "u8", "u8", 100, 131)


def runtime(style):
    """Neither side is a constant: both are summed up when the code runs."""
    g = Graph("runtime", style)
    a, left = g.real("u8", (3, 7, 19), 9)
    b, right = g.real("i8", (3, 19, 11), -5)
    y = g("MatMul", a, b)
    return g.finish([(y, left @ right, "f32")])


def transposed(style):
    """Weights [n, k], as PyTorch has them."""
    g = Graph("transposed", style)
    a, left = g.real("u8", (8, 100), 128)
    b, right = g.real("i8", (48, 100), 0, axis=0, isWeight=True)
    y = g("MatMul", a, g("Transpose", b, perm=[1, 0]))
    return g.finish([(y, left @ right.T, "f32")])


def windows(x, kernel):
    return np.lib.stride_tricks.sliding_window_view(x, kernel, axis=(2, 3))


def image(style):
    """A convolution whose image is padded, and one of one pixel after it."""
    g = Graph("image", style)
    a, x = g.real("u8", (2, 27, 9, 7), 93)
    b, w = g.real("i8", (18, 27, 3, 3), 0, axis=0, isWeight=True)
    y = g("Relu", g("Conv", a, b, pads=[1, 1, 1, 1]))
    exact = np.maximum(np.einsum("nchwyx,fcyx->nfhw", windows(np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), (3, 3)), w), 0)
    q, expected = g.quantized(y, exact, "u8", 0.31, 4)
    return g.finish([(q, expected, "u8"), (y, exact, "f32")])


def scale_of_input(style):
    g = Graph("scale_of_input", style)
    name, values = g.bytes("u8", (9, 100), False)
    b, right = g.real("i8", (100, 48), 0, isWeight=True)
    scale = np.float32(0.043)
    a = g("Mul", g("Cast", name, to="f32"), g.input("f32", np.array(scale)))
    return g.finish([(g("MatMul", a, b), values.astype(float) * float(scale) @ right, "f32")])


def along_depth(style):
    """A scale for each index that is summed over."""
    g = Graph("along_depth", style)
    a, left = g.real("u8", (9, 100), 10)
    b, right = g.real("i8", (100, 48), 0, axis=0, isWeight=True)
    return g.finish([(g("MatMul", a, b), left @ right, "f32")])


def half_zero(style):
    g = Graph("half_zero", style)
    a, left = g.real("u8", (9, 100), 10.5)
    b, right = g.real("i8", (100, 48), 0, isWeight=True)
    return g.finish([(g("MatMul", a, b), left @ right, "f32")])


FORMS = [layer, signed, asymmetric, runtime, transposed, image]
QUANTIZED = [make.__name__ for make in (layer, signed, asymmetric, image)]
NEAR_MISSES = [scale_of_input, along_depth, half_zero]


def verify(kgen, folder, path, graph):
    data = folder / f"{graph.name}_{graph.style}.npz"
    np.savez(data, **graph.arrays)
    # What is quantized may be the next integer; floats have the error of sums of their size.
    floats = [a for name, a in graph.arrays.items() if name in graph.outputs and a.dtype == np.float32]
    isQuantized = len(floats) < len(graph.outputs)
    bound = 1 if isQuantized else 2.0 ** -19 * max(float(np.abs(a).max()) for a in floats)
    run(kgen, "verify", path, "--graph", f"{graph.name}_{graph.style}", "--against", data, "--rtol", "1e-6", "--atol", repr(bound))


def main():
    kgen, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    forms = [make(style) for make in share.today(3, FORMS) for style in ("operators", "floats", "integers")]
    misses = [make("floats") for make in NEAR_MISSES]
    path = folder / "quantized.yaml"
    path.write_text("library: quantized\ngraphs:\n" + "".join(g.write() for g in forms + misses))
    if "bench" in sys.argv:
        return print(run(kgen, "bench", path, "--hot", "--threads", "1", "--time", "0.1"))
    parts = json.loads(run(kgen, "explain", path, "--target", "x86-64-v3", "--target", "x86-64-v4", "--json"))["parts"]
    kernels = {}
    for part in parts:
        remarks = [r for r in part["remarks"] if r["pass"] == PASS and "product of bytes" in r.get("applied", r.get("refused"))]
        name, style = part["graph"].rsplit("_", 1)
        names = sorted(re.sub("_[0-9a-f]{3}$", "", k["symbol"]) for k in part["micro_kernels"])
        if name in {make.__name__ for make in NEAR_MISSES}:
            assert [list(r) for r in remarks] and all("refused" in r for r in remarks), f"{part['graph']}: {remarks}"
            continue
        clamps = [r for r in part["remarks"] if r["pass"] == PASS and r.get("applied", "").startswith("a clamp of")]
        assert len(clamps) == (style != "operators" and name in QUANTIZED), f"{part['graph']}: {clamps}"
        assert style == "operators" or [r.get("applied") for r in remarks] == ["a product of bytes"], f"{part['graph']}: {remarks}"
        same = kernels.setdefault((name, part["target"]), names)
        assert [k.split("_")[2] for k in names] == [k.split("_")[2] for k in same], f"{part['graph']} {part['target']}: {names}, operators: {same}"
    for graph in forms + misses:
        verify(kgen, folder, path, graph)
    print(f"{len(forms)} forms, {len(misses)} near misses")


main()
