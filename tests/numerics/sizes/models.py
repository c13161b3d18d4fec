"""ONNX models with symbolic sizes, whose shapes are computed from Shape as exporters do, against numpy: models.py KGEN WORK, with a C
compiler on the path. Without numpy or onnx it is skipped (77)."""
import math
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import built

sys.path.insert(0, str(Path(__file__).parents[2] / "lib"))
import share

try:
    import numpy as np
    import onnx
    from arrays import softmax
    from onnx import TensorProto, helper, numpy_helper
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy, python3-onnx)")
    sys.exit(77)

KGEN, WORK = sys.argv[1], Path(sys.argv[2])
WIDTH, HEADS = 64, 4
random = np.random.default_rng(1)


def normal(*shape):
    return random.standard_normal(shape).astype(np.float32)


class Model:
    """Nodes one after another, each by its operator and operands: names of values, or arrays."""

    def __init__(self, **inputs):
        self.inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs.items()]
        self.nodes, self.weights = [], []

    def constant(self, value):
        self.weights.append(numpy_helper.from_array(np.asarray(value), f"c{len(self.weights)}"))
        return self.weights[-1].name

    def __call__(self, op, *operands, out=None, **attributes):
        names = [operand if isinstance(operand, str) else self.constant(operand) for operand in operands]
        out = out or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, names, [out], name=f"{op}_{len(self.nodes)}", **attributes))
        return out

    def dim(self, x, axis):
        """A size as exporters write it: a scalar."""
        return self("Gather", self("Shape", x), np.int64(axis), axis=0)

    def list(self, *sizes):
        """Scalars and numbers as a list."""
        lists = [self("Unsqueeze", s, np.array([0], np.int64)) if isinstance(s, str) else np.array([s], np.int64) for s in sizes]
        return self("Concat", *lists, axis=0)

    def save(self, path, *outputs):
        results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
        graph = helper.make_graph(self.nodes, "g", self.inputs, results, self.weights)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def module_of(name, *sizes):
    """`kgen import`, and the library of the spec that it writes."""
    folder = WORK / name
    built.run(KGEN, "import", WORK / f"{name}.onnx", "-o", folder, *(word for size in sizes for word in ("--dim", size)))
    spec = folder / f"{name}.yaml"
    spec.write_text(spec.read_text().replace("graphs:\n", "python: true\ngraphs:\n", 1))
    return built.module_of(KGEN, spec, folder, name)


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)

    def test_mlp(self):
        weights, bias = [normal(WIDTH, WIDTH) / 8 for _ in range(2)], normal(WIDTH)
        m = Model(x=["batch size", 8, 8])
        flat = m("Reshape", "x", m.list(m.dim("x", 0), -1))
        hidden = m("Relu", m("Add", m("MatMul", flat, weights[0]), bias))
        m("Reshape", m("MatMul", hidden, weights[1]), m("Shape", "x"), out="y")
        m.save(WORK / "net.onnx", "y")
        library = module_of("net", "batch size=..100").load()
        for batch in (1, 2, 7, 100):
            x = normal(batch, 8, 8)
            with self.subTest(batch=batch):
                expected = np.maximum(x.reshape(batch, -1).astype(np.float64) @ weights[0] + bias, 0) @ weights[1]
                np.testing.assert_allclose(library.run(x), expected.reshape(x.shape), rtol=1e-4, atol=1e-4)

    def test_layer(self):
        """Positions are cut and expanded, heads split and joined, -1 tested for before Expand, a mask of lengths made at run time."""
        positions, scale, shift = normal(1, 128, WIDTH), normal(WIDTH), normal(WIDTH)
        m = Model(x=["batch", "length", WIDTH])
        batch, length = m.dim("x", 0), m.dim("x", 1)
        cut = m("Slice", positions, np.array([0], np.int64), m.list(length), np.array([1], np.int64))
        wanted = m.list(batch, -1, -1)
        isKept = m("Equal", wanted, np.array(-1, np.int64))
        ones = m("ConstantOfShape", m("Shape", wanted), value=numpy_helper.from_array(np.array([1], np.int64)))
        summed = m("Add", "x", m("Expand", cut, m("Where", isKept, ones, wanted)))
        normed = m("LayerNormalization", summed, scale, shift, axis=-1)
        heads = m("Reshape", normed, m.list(batch, length, HEADS, m("Div", np.int64(WIDTH), np.int64(HEADS))))
        powers = m("Softmax", m("Transpose", heads, perm=[0, 2, 1, 3]), axis=-1)
        joined = m("Reshape", m("Transpose", powers, perm=[0, 2, 1, 3]), m.list(batch, -1, WIDTH))
        row = m("Cast", m("Range", np.int64(0), length, np.int64(1)), to=TensorProto.FLOAT)
        moved = m("Add", joined, m("Unsqueeze", row, np.array([0, 2], np.int64)))
        filled = m("ConstantOfShape", m("Shape", "x"), value=numpy_helper.from_array(np.array([2], np.float32)))
        m("Add", moved, filled, out="y")
        m("Gather", "y", np.int64(0), axis=1, out="first")
        m("Slice", "y", np.array([-1], np.int64), m.list(length), np.array([1], np.int64), out="last")
        m.save(WORK / "layer.onnx", "y", "first", "last")
        library = module_of("layer", "batch=1..8", "length=..128").load()
        for sizes in ((1, 1), (2, 7), (3, 16), (8, 128)):
            x = normal(*sizes, WIDTH)
            summed = x.astype(np.float64) + positions[:, : sizes[1]]
            centered = summed - summed.mean(axis=-1, keepdims=True)
            normed = centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift
            heads = softmax(normed.reshape(*sizes, HEADS, -1))
            expected = heads.reshape(x.shape) + np.arange(sizes[1])[None, :, None] + 2
            with self.subTest(sizes=sizes):
                y, first, last = library.run(x)
                np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
                np.testing.assert_array_equal(first, y[:, 0])
                np.testing.assert_array_equal(last, y[:, -1:])

    def test_sizes_are_numbers(self):
        """Means by a size, a scale of its root, one size beside another in arithmetic, lists of several as tensors."""
        m = Model(x=["batch", "length", WIDTH])
        length = m("Cast", m.dim("x", 1), to=TensorProto.FLOAT)
        mean = m("Div", m("ReduceSum", "x", np.array([1], np.int64), keepdims=1), length)
        scaled = m("Div", m("Sub", "x", mean), m("Sqrt", length))
        sizes = m("Cast", m("Shape", "x"), to=TensorProto.FLOAT)
        odd = m("Mod", m.dim("x", 0), np.int64(2))
        largest = m("Cast", m("Max", m.list(m.dim("x", 0)), m.list(m.dim("x", 1))), to=TensorProto.FLOAT)
        grid = m("Cast", m("Reshape", m.list(*(m.dim("x", i) for i in (0, 1, 1, 0))), np.array([2, 2], np.int64)), to=TensorProto.FLOAT)
        m("Where", m("Cast", odd, to=TensorProto.BOOL), scaled, m("Neg", scaled), out="y")
        m("MatMul", m("Mul", sizes, largest), m("Concat", *[m("Unsqueeze", sizes, np.array([1], np.int64))] * 2, axis=1), out="squares")
        m("MatMul", grid, grid, out="grids")
        m.save(WORK / "numbers.onnx", "y", "squares", "grids")
        library = module_of("numbers", "batch=1..8", "length=..100").load()
        for batch, length in ((1, 1), (2, 7), (3, 100), (8, 64)):
            x = normal(batch, length, WIDTH)
            scaled = (x.astype(np.float64) - x.mean(1, keepdims=True, dtype=np.float64)) / math.sqrt(length)
            sizes, grid = np.array([batch, length, WIDTH], np.float64), np.array([[batch, length], [length, batch]], np.float64)
            with self.subTest(batch=batch, length=length):
                y, squares, grids = library.run(x)
                np.testing.assert_allclose(y, scaled if batch % 2 else -scaled, rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(squares, max(batch, length) * (sizes @ np.stack([sizes, sizes], 1)), rtol=1e-6)
                np.testing.assert_array_equal(grids, grid @ grid)

    def test_decomposed(self):
        """A normalization and a softmax in single operations are recognized, whatever the sizes of the rest."""
        scale, shift, table = normal(WIDTH), normal(WIDTH), normal(WIDTH, WIDTH) / 8
        m = Model(x=["batch", "length", WIDTH])
        centered = m("Sub", "x", m("ReduceMean", "x", axes=[-1]))
        variance = m("ReduceMean", m("Pow", centered, np.float32(2)), axes=[-1])
        normed = m("Div", centered, m("Sqrt", m("Add", variance, np.float32(1e-5))))
        scaled = m("Add", m("Mul", normed, scale), shift)
        product = m("MatMul", scaled, table)
        powers = m("Exp", m("Sub", product, m("ReduceMax", product, axes=[1])))
        m("Div", powers, m("ReduceSum", powers, np.array([1], np.int64)), out="y")
        m.save(WORK / "decomposed.onnx", "y")
        library = module_of("decomposed", "batch=1..8", "length=..128")
        text = built.run(KGEN, "explain", WORK / "decomposed/decomposed.yaml")
        for part in ("layer normalization over 64 elements", "softmax of length elements"):
            self.assertIn(part, text)
        for sizes in ((1, 1), (2, 7), (8, 128)):
            x = normal(*sizes, WIDTH)
            centered = x - x.astype(np.float64).mean(axis=-1, keepdims=True)
            scaled = centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift
            with self.subTest(sizes=sizes):
                expected = softmax((scaled @ table).transpose(0, 2, 1)).transpose(0, 2, 1)
                np.testing.assert_allclose(library.load().run(x), expected, rtol=1e-4, atol=1e-6)

    def test_bert(self):
        """Layers as exporters write them, with a mask that is made of ones and zeros, at 20 sizes: two layers, twelve in the long tests."""
        layers, inner, count = 12 if share.FULL else 2, 4 * WIDTH, 64
        words, positions = normal(50, WIDTH), normal(1, count, WIDTH)
        parts = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, WIDTH), "u": (WIDTH, inner), "d": (inner, WIDTH)}
        weights = [{name: (normal(*shape) / np.sqrt(shape[0]), normal(shape[1]) / 4) for name, shape in parts.items()} for _ in range(layers)]
        norms = [[(1 + normal(WIDTH) / 8, normal(WIDTH) / 8) for _ in range(2)] for _ in range(layers)]
        m = Model(mask=["batch", "length"])
        m.inputs.insert(0, helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "length"]))
        batch, length = m.dim("ids", 0), m.dim("ids", 1)
        x = m("Add", m("Gather", words, "ids"), m("Slice", positions, np.array([0], np.int64), m.list(length), np.array([1], np.int64)))
        hidden = m("Mul", m("Sub", np.float32(1), m("Unsqueeze", "mask", np.array([1, 2], np.int64))), np.float32(-1e4))

        def linear(x, pair):
            return m("Add", m("MatMul", x, pair[0]), pair[1])

        def heads(x):
            return m("Transpose", m("Reshape", x, m.list(batch, -1, HEADS, WIDTH // HEADS)), perm=[0, 2, 1, 3])

        def gelu(x):
            return m("Mul", m("Mul", x, m("Add", m("Erf", m("Div", x, np.float32(np.sqrt(2)))), np.float32(1))), np.float32(0.5))

        for w, (first, second) in zip(weights, norms):
            q, k, v = (heads(linear(x, w[name])) for name in "qkv")
            scores = m("Add", m("Div", m("MatMul", q, m("Transpose", k, perm=[0, 1, 3, 2])), np.float32(np.sqrt(WIDTH // HEADS))), hidden)
            mixed = m("Transpose", m("MatMul", m("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
            x = m("LayerNormalization", m("Add", linear(m("Reshape", mixed, m.list(batch, length, WIDTH)), w["o"]), x), *first, axis=-1)
            x = m("LayerNormalization", m("Add", linear(gelu(linear(x, w["u"])), w["d"]), x), *second, axis=-1)
        m("Identity", x, out="y")
        m("Tanh", linear(m("Gather", x, np.int64(0), axis=1), weights[0]["q"]), out="pooled")
        m.save(WORK / "bert.onnx", "y", "pooled")

        def split(x):
            return x.reshape(*x.shape[:2], HEADS, -1).transpose(0, 2, 1, 3)

        def normalized(x, pair):
            centered = x - x.mean(axis=-1, keepdims=True)
            return centered / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + 1e-5) * pair[0] + pair[1]

        erf = np.vectorize(math.erf)
        library = module_of("bert", "batch=1..8", f"length=1..{count}").load()
        for sizes in [(b, n) for b in (1, 2, 3, 8) for n in (1, 5, 16, 31, count)]:
            ids, mask = random.integers(0, len(words), sizes), (np.arange(sizes[1]) < random.integers(1, sizes[1] + 1, sizes[0])[:, None]).astype(np.float32)
            x = words[ids].astype(np.float64) + positions[:, : sizes[1]]
            for w, (first, second) in zip(weights, norms):
                q, k, v = (split(x @ w[name][0] + w[name][1]) for name in "qkv")
                shares = softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(WIDTH // HEADS) + (1 - mask[:, None, None]) * -1e4)
                mixed = (shares @ v).transpose(0, 2, 1, 3).reshape(x.shape)
                x = normalized(mixed @ w["o"][0] + w["o"][1] + x, first)
                up = x @ w["u"][0] + w["u"][1]
                x = normalized(up * (1 + erf(up / np.sqrt(2))) / 2 @ w["d"][0] + w["d"][1] + x, second)
            with self.subTest(sizes=sizes):
                y, pooled = library.run(ids, mask)
                np.testing.assert_allclose(y, x, rtol=1e-3, atol=1e-3)
                np.testing.assert_allclose(pooled, np.tanh(x[:, 0] @ weights[0]["q"][0] + weights[0]["q"][1]), rtol=1e-3, atol=1e-3)

    def test_voice(self):
        """As a detector of voices: convolutions of frames of many sequences, one step or many of an LSTM whose state comes and goes, a score for each step."""
        frames, channels, width = 24, 16, 32
        filters, inputs, states, bias = normal(width, channels, 3) / 7, normal(1, 4 * width, width) / 6, normal(1, 4 * width, width) / 6, normal(1, 8 * width) / 2
        last = normal(1, width, 1) / 6
        m = Model(x=["steps", "batch", channels, frames], h=[1, "batch", width], c=[1, "batch", width])
        steps, batch = m.dim("x", 0), m.dim("x", 1)
        images = m("Reshape", "x", m.list(-1, channels, frames))
        features = m("Relu", m("Conv", images, filters, pads=[1, 1], strides=[2]))
        means = m("ReduceMean", features, axes=[2], keepdims=0)
        sequence = m("Reshape", means, m.list(steps, batch, width))
        node = helper.make_node("LSTM", [sequence, *(m.constant(w) for w in (inputs, states, bias)), "", "h", "c"], ["all", "hn", "cn"], name="lstm", hidden_size=width)
        m.nodes.append(node)
        row = m("Relu", m("Squeeze", "all", np.array([1], np.int64)))
        score = m("Sigmoid", m("MatMul", row, last[0]))
        m("Squeeze", score, np.array([2], np.int64), out="y")
        m.save(WORK / "voice.onnx", "y", "hn", "cn")
        library = module_of("voice", "steps=1..40", "batch=1..8").load()
        for sizes in [(t, b) for t in (1, 2, 7, 31, 40) for b in (1, 2, 5, 8)]:
            x, h, c = normal(*sizes, channels, frames), normal(1, sizes[1], width), normal(1, sizes[1], width)
            padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (0, 0), (1, 1)))
            windows = np.lib.stride_tricks.sliding_window_view(padded, 3, axis=3)[..., ::2, :]
            rows = np.maximum(np.einsum("tbcfk,ock->tbof", windows, filters), 0).mean(axis=3)
            h64, c64, scores = h[0].astype(np.float64), c[0].astype(np.float64), []
            for each in rows:
                i, o, f, g = np.split(each @ inputs[0].T + h64 @ states[0].T + bias[0, : 4 * width] + bias[0, 4 * width:], 4, axis=1)
                c64 = c64 / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
                h64 = np.tanh(c64) / (1 + np.exp(-o))
                scores.append(1 / (1 + np.exp(-(np.maximum(h64, 0) @ last[0])))[:, 0])
            with self.subTest(sizes=sizes):
                y, hn, cn = library.run(x, h, c)
                np.testing.assert_allclose(y, scores, rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(hn[0], h64, rtol=1e-4, atol=1e-5)
                np.testing.assert_allclose(cn[0], c64, rtol=1e-4, atol=1e-5)

    def test_other_axes(self):
        """What takes elements by position, where the batch is open: along it and along another axis."""
        ints = lambda *numbers: np.array(numbers, np.int64)
        m = Model(x=["batch", 12])
        m.nodes.append(helper.make_node("TopK", ["x", m.constant(ints(5))], ["top", "at"], axis=1))
        m("Cast", "at", to=TensorProto.FLOAT, out="where")
        m("CumSum", "x", np.int64(0), out="down")
        m("CumSum", "x", np.int64(1), out="right", exclusive=1, reverse=1)
        m("Gather", "x", ints(1, 0, 1), axis=0, out="rows")
        m("Gather", "x", ints(-1), axis=0, out="last")
        m("Gather", "x", ints(11, 3), axis=1, out="columns")
        m("Slice", "x", ints(-1), ints(np.iinfo(np.int64).min), ints(0), ints(-1), out="flipped")
        m("Slice", "x", ints(-1), ints(np.iinfo(np.int64).min), ints(1), ints(-2), out="turned")
        outputs = ("top", "where", "down", "right", "rows", "last", "columns", "flipped", "turned")
        m.save(WORK / "axes.onnx", *outputs)
        library = module_of("axes", "batch=2..40").load()
        for batch in (2, 3, 8, 17, 40):
            x = normal(batch, 12)
            order = np.argsort(-x, axis=1, kind="stable")[:, :5]
            right = np.cumsum(x[:, ::-1], axis=1)[:, ::-1] - x
            expected = (np.take_along_axis(x, order, 1), order, np.cumsum(x, axis=0), right, x[[1, 0, 1]], x[[-1]], x[:, [11, 3]], x[::-1], x[:, ::-2])
            for name, got, wanted in zip(outputs, library.run(x), expected):
                with self.subTest(batch=batch, output=name):
                    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)

    def test_axes_beside_the_batch(self):
        """The axis that is scanned, split into a sequence or compressed has a number; the batch beside it is open."""
        m = Model(x=["batch", 3, 8], state=["batch", 8])
        body = helper.make_graph(
            [helper.make_node("Add", ["before", "row"], ["sum"]), helper.make_node("Tanh", ["sum"], ["after"]), helper.make_node("Neg", ["after"], ["out"])],
            "body", [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("before", "row")],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("after", "out")])
        m.nodes.append(helper.make_node("Scan", ["state", "x"], ["last", "all"], num_scan_inputs=1, scan_input_axes=[1], scan_output_axes=[1], body=body))
        parts = m("SplitToSequence", "x", np.int64(4), axis=2)
        m("ConcatFromSequence", m("SequenceInsert", parts, m("SequenceAt", parts, np.int64(0))), axis=2, out="joined")
        m("Compress", "x", np.array([True, False, True]), axis=1, out="some")
        m.save(WORK / "beside.onnx", "last", "all", "joined", "some")
        library = module_of("beside", "batch=1..40").load()
        for batch in (1, 2, 17, 40):
            x, state = normal(batch, 3, 8), normal(batch, 8)
            after = [np.tanh(state + x[:, 0])]
            for i in (1, 2):
                after.append(np.tanh(after[-1] + x[:, i]))
            expected = (after[-1], -np.stack(after, axis=1), np.concatenate([x, x[:, :, :4]], axis=2), x[:, [0, 2]])
            for name, got, wanted in zip(("last", "all", "joined", "some"), library.run(x, state), expected):
                with self.subTest(batch=batch, output=name):
                    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)

    def refused(self, model, outputs, *sizes):
        model.save(WORK / "refused.onnx", *outputs)
        words = (word for size in sizes for word in ("--dim", size))
        result = subprocess.run([KGEN, "check", WORK / "refused.onnx", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(result.returncode, 1, result.stdout)
        return result.stdout

    def test_what_cannot_be_kept_is_said_at_once(self):
        m = Model(x=["batch", WIDTH], z=["length", WIDTH])
        m("Shape", "x", out="shape")
        m("Slice", "x", np.array([3], np.int64), np.array([5], np.int64), out="cut")
        m("Reshape", "x", m.list(m.dim("z", 0), WIDTH), out="other")
        m("Range", m.dim("x", 0), np.int64(3), np.int64(1), out="backwards")
        m("Range", np.int64(0), m("Shape", "x"), np.int64(1), out="lists")
        m("Tile", np.ones(3, np.float32), m.list(m.dim("x", 0)), out="tiled")
        m("Scan", "x", out="scanned", num_scan_inputs=1, body=helper.make_graph(
            [helper.make_node("Relu", ["row"], ["out"])], "body",
            [helper.make_tensor_value_info("row", TensorProto.FLOAT, [WIDTH])], [helper.make_tensor_value_info("out", TensorProto.FLOAT, [WIDTH])]))
        text = self.refused(m, ("scanned", "shape", "cut", "other", "backwards", "lists", "tiled"), "batch=1..8", "length=1..8")
        for part in (
            "output   1 node,  'shape': it consists of sizes that are known at run time only",
            "it needs a number for dimension 0 of its operand, which is f32[batch, 64]",
            "the slice of dimension 0 of f32[batch, 64] from 3 to 5 by 1 is not the same part for every size",
            "changes the number of elements from 64*batch to 64*length",
            "Range from batch to 3 must never end before it begins, and have a positive delta",
            "Range's input 2 must be a weight of one element, or a size; it is i64[2] of sizes that are known at run time only",
            "must be numbers when code is generated; it is i64[1] of sizes that are known at run time only",
        ):
            with self.subTest(part=part):
                self.assertIn(" ".join(part.split()), " ".join(text.split()))

    def test_names_and_inputs(self):
        m = Model(x=["a b", WIDTH], z=["a_b", WIDTH])
        m("Relu", "x", out="y")
        m("Relu", "z", out="w")
        self.assertIn("two sizes are called 'a_b' in C: one is 1 to 8, the other one 1 to 9", self.refused(m, ("y", "w"), "a b=1..8", "a_b=1..9"))
        m = Model(x=["batch", WIDTH], z=["length", WIDTH])
        m("Expand", m("ReduceSum", "x", np.array([0], np.int64)), m("Shape", "z"), out="y")
        self.assertIn("'length' is a size of no input that results depend on", self.refused(m, ("y",), "batch=8", "length=1..9"))


if __name__ == "__main__":
    built.main()
