"""Functions that are given sizes against numpy, at the least size, the greatest, and those between: against_numpy.py KGEN SOURCE WORK, with a C
compiler on the path. Without numpy it is skipped (77)."""
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import built

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)

KGEN, WORK = sys.argv[1], Path(sys.argv[3])
SIZES = (1, 2, 7, 64, 100, 128)
WIDTH = 160
random = np.random.default_rng(1)
W = [random.standard_normal((WIDTH, WIDTH)).astype(np.float32) / 8 for _ in range(3)]
B = [random.standard_normal(WIDTH).astype(np.float32) for _ in range(3)]

SPEC = f"""library: sized
python: true
targets: [x86-64-v2, x86-64-v3, x86-64-v4]
dims: {{batch: {{max: 128}}}}
graphs:
  - name: mlp
    inputs: {{x: "f32[batch, {WIDTH}]"}}
    weights: {{{", ".join(f'w{i}: {{type: "f32[{WIDTH}, {WIDTH}]", file: w{i}.npy}}, b{i}: {{type: "f32[{WIDTH}]", file: b{i}.npy}}' for i in range(3))}}}
    nodes:
      - {{name: m0, op: MatMul, inputs: [x, w0]}}
      - {{name: s0, op: Add, inputs: [m0, b0]}}
      - {{name: r0, op: Relu, inputs: [s0]}}
      - {{name: m1, op: MatMul, inputs: [r0, w1]}}
      - {{name: s1, op: Add, inputs: [m1, b1]}}
      - {{name: r1, op: Relu, inputs: [s1]}}
      - {{name: m2, op: MatMul, inputs: [r1, w2]}}
      - {{name: y, op: Add, inputs: [m2, b2]}}
    outputs: [y]
  - name: empty
    dims: {{rows: {{min: 0, max: 9}}}}
    inputs: {{x: "f32[rows, {WIDTH}]"}}
    weights: {{w: {{type: "f32[{WIDTH}, {WIDTH}]", file: w0.npy}}}}
    nodes:
      - {{name: m, op: MatMul, inputs: [x, w]}}
      - {{name: y, op: Softmax, inputs: [m]}}
    outputs: [y]
  - name: elementwise
    inputs: {{x: "f32[batch, 33]", z: "f32[batch, 1]"}}
    nodes:
      - {{name: s, op: Mul, inputs: [x, z]}}
      - {{name: y, op: Relu, inputs: [s]}}
    outputs: [y]
"""

# BERT's layer of sentences that have a mask, and attention of opset 23: its queries see those before them, or keys of another length.
HEADS, LAYER_WIDTH = 4, 64
LENGTHS = (1, 2, 7, 17, 64, 100, 128, 300)
NAMES = {"q": (1, 1), "k": (1, 1), "v": (1, 1), "o": (1, 1), "u": (1, 4), "d": (4, 1)}  # rows and columns, in widths
L = {name: random.standard_normal((a * LAYER_WIDTH, b * LAYER_WIDTH)).astype(np.float32) / 8 for name, (a, b) in NAMES.items()}
L.update({f"{name}b": random.standard_normal(b * LAYER_WIDTH).astype(np.float32) for name, (_, b) in NAMES.items()})
L.update({name: random.standard_normal(LAYER_WIDTH).astype(np.float32) for name in ("n0", "n0b", "n1", "n1b")})


def linear(name, of, result):
    return f"""      - {{name: {name}_product, op: MatMul, inputs: [{of}, {name}]}}
      - {{name: {result}, op: Add, inputs: [{name}_product, {name}b]}}
"""


LAYER_WEIGHTS = "".join(f'      {name}: {{type: "f32{list(data.shape)}", file: {name}.npy}}\n' for name, data in L.items())
TO_HEADS = "".join(linear(name, "x", f"all_{name}") + f"""      - {{name: heads_{name}, op: Reshape, inputs: [all_{name}, heads]}}
      - {{name: turned_{name}, op: Transpose, inputs: [heads_{name}], attributes: {{perm: {order}}}}}
""" for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])))
LAYER_SPEC = f"""library: sized
python: true
targets: [x86-64-v2, x86-64-v3, x86-64-v4]
dims: {{batch: {{max: 16}}, length: {{max: 512}}, keys: {{max: 100}}}}
graphs:
  - name: layer
    inputs: {{x: "f32[batch, length, {LAYER_WIDTH}]", mask: "f32[batch, 1, 1, length]"}}
    weights:
      heads: {{type: "i64[4]", value: [0, 0, {HEADS}, {LAYER_WIDTH // HEADS}]}}
      rows: {{type: "i64[3]", value: [0, 0, {LAYER_WIDTH}]}}
      scale: {{type: "f32[]", value: {(LAYER_WIDTH // HEADS) ** -0.5}}}
{LAYER_WEIGHTS}    nodes:
{TO_HEADS}      - {{name: products, op: MatMul, inputs: [turned_q, turned_k]}}
      - {{name: scaled, op: Mul, inputs: [products, scale]}}
      - {{name: masked, op: Add, inputs: [scaled, mask]}}
      - {{name: shares, op: Softmax, inputs: [masked]}}
      - {{name: mixed, op: MatMul, inputs: [shares, turned_v]}}
      - {{name: together, op: Transpose, inputs: [mixed], attributes: {{perm: [0, 2, 1, 3]}}}}
      - {{name: flat, op: Reshape, inputs: [together, rows]}}
{linear("o", "flat", "attended")}      - {{name: sum, op: Add, inputs: [x, attended]}}
      - {{name: middle, op: LayerNormalization, inputs: [sum, n0, n0b]}}
{linear("u", "middle", "up")}      - {{name: active, op: Relu, inputs: [up]}}
{linear("d", "active", "down")}      - {{name: total, op: Add, inputs: [middle, down]}}
      - {{name: y, op: LayerNormalization, inputs: [total, n1, n1b]}}
    outputs: [y]
  - name: causal
    inputs: {{q: "f32[batch, length, 64]", k: "f32[batch, length, 64]", v: "f32[batch, length, 64]"}}
    nodes:
      - {{op: Attention, inputs: [q, k, v], outputs: [y], attributes: {{q_num_heads: {HEADS}, kv_num_heads: {HEADS}, is_causal: 1}}}}
    outputs: [y]
  - name: cross
    inputs: {{q: "f32[batch, length, 64]", k: "f32[batch, keys, 32]", v: "f32[batch, keys, 32]", mask: "f32[batch, 1, length, keys]"}}
    nodes:
      - {{op: Attention, inputs: [q, k, v, mask], outputs: [y], attributes: {{q_num_heads: {HEADS}, kv_num_heads: {HEADS // 2}}}}}
    outputs: [y]
  - name: perhaps
    dims: {{others: {{min: 0, max: 100}}}}
    inputs: {{q: "f32[batch, length, 64]", k: "f32[batch, others, 64]", v: "f32[batch, others, 64]"}}
    nodes:
      - {{op: Attention, inputs: [q, k, v], outputs: [y], attributes: {{q_num_heads: {HEADS}, kv_num_heads: {HEADS}}}}}
    outputs: [y]
  - name: counted
    inputs: {{q: "f32[batch, length, 64]", past: "f32[batch, keys, 64]"}}
    weights: {{all: {{type: "i64[1]", value: [keys + length]}}, first: {{type: "i64[1]", value: [length]}}}}
    nodes:
      - {{op: Concat, inputs: [past, q], outputs: [k], attributes: {{axis: 1}}}}
      - {{op: Attention, inputs: [q, k, k, "", "", "", all], outputs: [y], attributes: {{q_num_heads: {HEADS}, kv_num_heads: {HEADS}, is_causal: 1}}}}
      - {{op: Attention, inputs: [q, k, k, "", "", "", first], outputs: [z], attributes: {{q_num_heads: {HEADS}, kv_num_heads: {HEADS}, left_window_size: 3}}}}
      - {{op: Add, inputs: [y, z], outputs: [sum]}}
    outputs: [sum]
"""

def setUpModule():
    global sized, layers
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for i in range(3):
        np.save(WORK / f"w{i}.npy", W[i])
        np.save(WORK / f"b{i}.npy", B[i])
    for name, data in L.items():
        np.save(WORK / f"{name}.npy", data)
    sized = built.module_of_text(KGEN, WORK, SPEC, "sizes")
    layers = built.module_of_text(KGEN, WORK, LAYER_SPEC, "layers")


def mlp(x):
    first = np.maximum(x.astype(np.float64) @ W[0] + B[0], 0)
    return np.maximum(first @ W[1] + B[1], 0) @ W[2] + B[2]


def attention(q, k, v, mask):
    """Of heads side by side, some of which may share keys and values."""
    def split(x, count):
        return x.reshape(*x.shape[:2], count, x.shape[2] // count).transpose(0, 2, 1, 3).astype(np.float64)

    count = k.shape[2] * HEADS // q.shape[2]
    q, k, v = split(q, HEADS), *(split(x, count).repeat(HEADS // count, axis=1) for x in (k, v))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[3]) + mask
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
    mixed = shares / shares.sum(axis=-1, keepdims=True) @ v
    return mixed.transpose(0, 2, 1, 3).reshape(*mixed.shape[:1], mixed.shape[2], -1)


def layer(x, mask):
    def normalized(x, i):
        centered = x - x.mean(axis=-1, keepdims=True)
        return centered / np.sqrt((centered ** 2).mean(axis=-1, keepdims=True) + 1e-5) * L[f"n{i}"] + L[f"n{i}b"]

    x = x.astype(np.float64)
    q, k, v = (x @ L[name] + L[f"{name}b"] for name in "qkv")
    middle = normalized(x + attention(q, k, v, mask) @ L["o"] + L["ob"], 0)
    return normalized(middle + np.maximum(middle @ L["u"] + L["ub"], 0) @ L["d"] + L["db"], 1)


class Layers(unittest.TestCase):
    def inputs(self, *shape):
        return np.random.default_rng(shape[1]).standard_normal(shape).astype(np.float32)

    def sentences(self, batch, length):
        """Tokens, and a mask that hides some at the end of each sentence but the first."""
        mask = np.zeros((batch, 1, 1, length), np.float32)
        for i in range(1, batch):
            mask[i, ..., length - (length - 1) * i // batch:] = -np.inf
        return self.inputs(batch, length, LAYER_WIDTH), mask

    def check(self, compute, expected, inputs):
        """Compares what a library computes with numpy, in each variant, for each length and some sentences."""
        for variant in built.variants(layers):
            library = layers.load(variant=variant)
            for length in LENGTHS:
                for batch in (1, 3):
                    given = inputs(batch, length)
                    with self.subTest(variant=variant, length=length, batch=batch):
                        np.testing.assert_allclose(compute(library)(*given), expected(*given), rtol=1e-4, atol=1e-4)

    def test_layer(self):
        self.check(lambda library: library.layer, layer, self.sentences)

    def test_causal(self):
        def expected(q, k, v):
            return attention(q, k, v, np.triu(np.full((q.shape[1], q.shape[1]), -np.inf), 1))

        self.check(lambda library: library.causal, expected,
                   lambda batch, length: [self.inputs(batch, length, 64) * np.float32(factor) for factor in (1, 2, 3)])

    def test_keys_of_another_length(self):
        def inputs(batch, length):
            keys = 1 + 37 * length % 100
            return (self.inputs(batch, length, 64), self.inputs(batch, keys, 32), 2 * self.inputs(batch, keys, 32),
                    self.inputs(batch, 1, length, keys))

        self.check(lambda library: library.cross, attention, inputs)

    def test_no_keys(self):
        def inputs(batch, length):
            keys = length // 2 if length < 20 else 0
            return self.inputs(batch, length, 64), self.inputs(batch, keys, 64), self.inputs(batch, keys, 64)

        self.check(lambda library: library.perhaps, lambda q, k, v: attention(q, k, v, 0), inputs)

    def test_a_number_of_keys_that_is_a_size(self):
        """The last query's own key is the last that counts: of all of them, and of as many as there are queries."""
        def expected(q, past):
            k = v = np.concatenate([past, q], 1)
            rows, columns = q.shape[1], k.shape[1]
            apart = np.arange(rows)[:, None] - np.arange(columns)
            counts = np.arange(columns) < rows
            return (attention(q, k, v, np.where(apart + columns - rows >= 0, 0, -np.inf)) +
                    attention(q, k, v, np.where((apart <= 3) & counts, 0, -np.inf)))

        def inputs(batch, length):
            return self.inputs(batch, length, 64), self.inputs(batch, 1 + 37 * length % 100, 64)

        self.check(lambda library: library.counted, expected, inputs)

    def test_sentences_do_not_depend_on_others_nor_on_threads(self):
        alone = layers.load()
        for threads in (1, 2, 3, 7):
            library = layers.load(threads=threads)
            for length in LENGTHS:
                x, mask = self.sentences(5, length)
                whole = library.layer(x, mask)
                for i in range(5):
                    with self.subTest(threads=threads, length=length, sentence=i):
                        np.testing.assert_array_equal(alone.layer(x[i:i + 1], mask[i:i + 1]), whole[i:i + 1])


class Sizes(unittest.TestCase):
    def inputs(self, *shape):
        return np.random.default_rng(shape[0]).standard_normal(shape).astype(np.float32)

    def test_products(self):
        for variant in built.variants(sized):
            library = sized.load(variant=variant)
            for batch in SIZES:
                x = self.inputs(batch, WIDTH)
                with self.subTest(variant=variant, batch=batch):
                    np.testing.assert_allclose(library.mlp(x), mlp(x), rtol=1e-4, atol=1e-4)

    def test_rows_do_not_depend_on_their_number(self):
        library = sized.load()
        x = self.inputs(128, WIDTH)
        whole = library.mlp(x)
        for batch in SIZES:
            with self.subTest(batch=batch):
                np.testing.assert_array_equal(library.mlp(np.ascontiguousarray(x[:batch])), whole[:batch])

    def test_elementwise(self):
        library = sized.load()
        for batch in SIZES:
            x, z = self.inputs(batch, 33), self.inputs(batch, 1)
            with self.subTest(batch=batch):
                np.testing.assert_array_equal(library.elementwise(x, z), np.maximum(x * z, 0))

    def test_no_rows(self):
        for variant in built.variants(sized):
            library = sized.load(variant=variant)
            for rows in (0, 1, 7, 9):
                x = self.inputs(rows, WIDTH) if rows else np.zeros((0, WIDTH), np.float32)
                sums = x.astype(np.float64) @ W[0]
                powers = np.exp(sums - sums.max(axis=1, keepdims=True)) if rows else sums
                with self.subTest(variant=variant, rows=rows):
                    np.testing.assert_allclose(library.empty(x), powers / powers.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-6)

    def test_static_library_has_the_same_bits(self):
        for batch in (7, 128):
            static = built.module_of_text(KGEN, WORK, SPEC, f"static{batch}", "--dim", f"batch={batch}").load()
            x = self.inputs(batch, WIDTH)
            with self.subTest(batch=batch):
                np.testing.assert_array_equal(sized.load().mlp(x), static.mlp(x))


class Versions(unittest.TestCase):
    """Code for some sizes, beside the code for all of them."""
    SIZES = (1, 7, 128)

    @classmethod
    def setUpClass(cls):
        cls.spec = SPEC.replace("dims: {batch: {max: 128}}", f"dims: {{batch: {{max: 128}}}}\nversions: {{batch: {list(cls.SIZES)}}}")
        cls.module = built.module_of_text(KGEN, WORK, cls.spec, "versions")

    def test_bits_and_workspace_are_those_of_a_library_of_that_size(self):
        for batch in self.SIZES:
            static = built.module_of_text(KGEN, WORK, self.spec, f"version{batch}", "--dim", f"batch={batch}")
            x = np.random.default_rng(batch).standard_normal((batch, WIDTH)).astype(np.float32)
            for variant in built.variants(static):
                with self.subTest(batch=batch, variant=variant):
                    library, alone = self.module.load(variant=variant), static.load(variant=variant)
                    np.testing.assert_array_equal(library.mlp(x), alone.mlp(x))
                    self.assertEqual(library._workspace_size(0, (batch,)).value, alone._workspace_size(0, ()).value)

    def test_other_sizes_run_the_code_for_all(self):
        for batch in (2, 64, 100):
            x = np.random.default_rng(batch).standard_normal((batch, WIDTH)).astype(np.float32)
            with self.subTest(batch=batch):
                np.testing.assert_array_equal(self.module.load().mlp(x), sized.load().mlp(x))
                self.assertEqual(self.module.load()._workspace_size(0, (batch,)).value, sized.load()._workspace_size(0, (batch,)).value)

    def test_weights_are_shared(self):
        def weights(folder):
            files = (WORK / folder / "folder/objects").glob("weights.*")
            return sorted(path.name for path in files if path.stat().st_size > WIDTH * WIDTH)  # without tables of operators

        self.assertEqual(weights("versions"), weights("sizes"))

    def test_a_size_may_stay_open(self):
        module = built.module_of_text(KGEN, WORK, LAYER_SPEC.replace("  - name: layer\n", "  - name: layer\n    versions: {batch: [3], length: [17, 64]}\n")
                           .replace("  - name: causal\n", "  - name: causal\n    versions: {length: [7]}\n"), "open")
        library = module.load()
        for length in (7, 17, 64):
            for batch in (1, 3):
                numbers = np.random.default_rng(length)
                x = numbers.standard_normal((batch, length, LAYER_WIDTH)).astype(np.float32)
                mask = np.zeros((batch, 1, 1, length), np.float32)
                with self.subTest(length=length, batch=batch):
                    np.testing.assert_allclose(library.layer(x, mask), layer(x, mask), rtol=1e-4, atol=1e-4)
                    hidden = np.triu(np.full((length, length), -np.inf), 1)
                    np.testing.assert_allclose(library.causal(x, 2 * x, 3 * x), attention(x, 2 * x, 3 * x, hidden), rtol=1e-4, atol=1e-4)


class Recurrences(unittest.TestCase):
    """Any number of steps of any number of sequences, which may end early."""
    FEATURES, HIDDEN = 12, 20

    @classmethod
    def setUpClass(cls):
        numbers = np.random.default_rng(3)
        shapes = {"w": (4, cls.FEATURES), "r": (4, cls.HIDDEN), "b": (8,), "gw": (3, cls.FEATURES), "gr": (3, cls.HIDDEN)}
        cls.data = {name: (numbers.standard_normal((2 if name in "wrb" else 1, shape[0] * cls.HIDDEN, *shape[1:])) / 2).astype(np.float32)
                    for name, shape in shapes.items()}
        for name, values in cls.data.items():
            np.save(WORK / f"recurrent_{name}.npy", values)
        weights = {name: f'{name}: {{type: "f32{list(values.shape)}", file: recurrent_{name}.npy}}' for name, values in cls.data.items()}
        cls.module = built.module_of_text(KGEN, WORK, f"""library: sized
python: true
targets: [x86-64-v2, x86-64-v3, x86-64-v4]
dims: {{steps: {{min: 0, max: 50}}, batch: {{max: 9}}}}
graphs:
  - name: lstm
    inputs: {{x: "f32[steps, batch, {cls.FEATURES}]", lengths: "i32[batch]", h: "f32[2, batch, {cls.HIDDEN}]"}}
    weights: {{{weights["w"]}, {weights["r"]}, {weights["b"]}}}
    nodes: [{{name: l, op: LSTM, inputs: [x, w, r, b, lengths, h], outputs: [y, yh, yc], attributes: {{direction: bidirectional}}}}]
    outputs: [y, yh, yc]
  - name: gru
    inputs: {{x: "f32[steps, 3, {cls.FEATURES}]"}}
    weights: {{{weights["gw"]}, {weights["gr"]}}}
    nodes:
      - {{name: g, op: GRU, inputs: [x, gw, gr], outputs: [all, ""], attributes: {{direction: reverse}}}}
      - {{name: y, op: Tanh, inputs: [all]}}
    outputs: [y]
""", "recurrences")

    def sequence(self, step, x, lengths, h, c, isReverse):
        """All states, and the last ones, of `step`, which makes the next h and c."""
        every = np.zeros((len(x), *h.shape))
        for t in reversed(range(len(x))) if isReverse else range(len(x)):
            isOpen = (t < lengths)[:, None]
            h2, c2 = step(x[t].astype(np.float64), h, c)
            h, c = np.where(isOpen, h2, h), np.where(isOpen, c2, c)
            every[t] = np.where(isOpen, h, 0)
        return every, h, c

    def lstm(self, direction):
        w, r, b = (self.data[name][direction].astype(np.float64) for name in "wrb")

        def step(x, h, c):
            i, o, f, g = np.split(x @ w.T + h @ r.T + b[:len(b) // 2] + b[len(b) // 2:], 4, axis=1)
            c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
            return np.tanh(c) / (1 + np.exp(-o)), c
        return step

    def gru(self, x, h, c):
        w, r = (self.data[name][0].astype(np.float64) for name in ("gw", "gr"))
        (wz, wr, wh), (rz, rr, rh) = np.split(w, 3), np.split(r, 3)
        z, reset = 1 / (1 + np.exp(-(x @ wz.T + h @ rz.T))), 1 / (1 + np.exp(-(x @ wr.T + h @ rr.T)))
        return (1 - z) * np.tanh(x @ wh.T + (reset * h) @ rh.T) + z * h, c

    def test_steps_and_sequences(self):
        for variant in built.variants(self.module):
            library = self.module.load(variant=variant)
            for steps in (0, 1, 2, 7, 50):
                for batch in (1, 3, 9):
                    numbers = np.random.default_rng(steps)
                    x = numbers.standard_normal((steps, batch, self.FEATURES)).astype(np.float32)
                    h = numbers.standard_normal((2, batch, self.HIDDEN)).astype(np.float32)
                    lengths = numbers.integers(0, steps + 1, batch).astype(np.int32)
                    both = [self.sequence(self.lstm(d), x, lengths, h[d].astype(np.float64), np.zeros(h.shape[1:]), d == 1) for d in (0, 1)]
                    with self.subTest(variant=variant, steps=steps, batch=batch):
                        for result, expected in zip(library.lstm(x, lengths, h), [np.stack(each, axis=min(i, 1) ^ 1) for i, each in enumerate(zip(*both))]):
                            np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)
                three = np.random.default_rng(steps).standard_normal((steps, 3, self.FEATURES)).astype(np.float32)
                every, _, _ = self.sequence(self.gru, three, np.full(3, steps), np.zeros((3, self.HIDDEN)), np.zeros((3, self.HIDDEN)), True)
                with self.subTest(variant=variant, steps=steps):
                    np.testing.assert_allclose(library.gru(three), np.tanh(every)[:, None], rtol=1e-4, atol=1e-5)


@unittest.skipIf("without templates" in subprocess.run([KGEN, "--version"], capture_output=True, text=True).stdout, "this kgen has none")
class Templates(unittest.TestCase):
    """Operators of one's own: of a set of sizes, chosen when the function is called, and of any others."""

    def test_set_and_any_dim(self):
        (WORK / "rows.mlir").write_text("""template.func {M : index_of<1, 8>, N : index} @my.rows(%x : tensor<MxNxf32>) -> tensor<MxNxf32> {
  %0 = arith.mulf %x, %x : tensor<MxNxf32>
  return %0 : tensor<MxNxf32>
}
template.func {M : any_dim, N : index} @my.rows(%x : tensor<MxNxf32>) -> tensor<MxNxf32> {
  %0 = arith.addf %x, %x : tensor<MxNxf32>
  return %0 : tensor<MxNxf32>
}
""")
        library = built.module_of_text(KGEN, WORK, f"""library: sized
python: true
targets: [x86-64-v3]
dims: {{batch: {{max: 64}}}}
templates: [rows.mlir]
graphs:
  - name: rows
    inputs: {{x: "f32[batch, {WIDTH}]"}}
    weights: {{w: {{type: "f32[{WIDTH}, {WIDTH}]", file: w0.npy}}}}
    nodes:
      - {{name: s, op: my.rows, inputs: [x]}}
      - {{name: y, op: MatMul, inputs: [s, w]}}
    outputs: [y]
""", "templates").load(variant="x86-64-v3")
        for batch in (1, 2, 7, 8, 64):
            x = np.random.default_rng(batch).standard_normal((batch, WIDTH)).astype(np.float32)
            with self.subTest(batch=batch):
                np.testing.assert_allclose(library.rows(x), (x * x if batch in (1, 8) else x + x).astype(np.float64) @ W[0], rtol=1e-4, atol=1e-4)


class Mlir(unittest.TestCase):
    """A file with `?`: rows of sentences times a matrix, and the shares of each row, of each sentence."""

    def test_sentences(self):
        def generic(name, loops, inputs, out, types, body, iterators=None):
            maps = ", ".join(f"affine_map<({loops}) -> ({of})>" for of in inputs)
            kinds = ", ".join(f'"{kind}"' for kind in iterators or ["parallel"] * len(loops.split(",")))
            arguments = ", ".join(f"%a{i}: f32" for i in range(len(inputs)))
            return (f"  %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {types} outs({out}) {{\n"
                    f"  ^bb0({arguments}):\n    {body}\n    linalg.yield %r : f32\n  }} -> {out.split(':')[1]}\n")

        three, rows, sums = "tensor<?x?x48xf32>", "tensor<?x48xf32>", "tensor<?x?xf32>"
        text = f"""func.func @run(%x: tensor<?x?x32xf32> {{kgen.name = "x", kgen.dims = ["batch", "length"]}}, %w: tensor<32x48xf32> {{kgen.name = "w"}},
    %m: tensor<?xf32> {{kgen.name = "m", kgen.dim = "batch"}}) -> ({three} {{kgen.name = "y"}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x32xf32>
  %l = tensor.dim %x, %c1 : tensor<?x?x32xf32>
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x32xf32> into tensor<?x32xf32>
  %n = arith.muli %b, %l : index
  %e = tensor.empty(%n) : {rows}
  %f = linalg.fill ins(%zero : f32) outs(%e : {rows}) -> {rows}
  %p = linalg.matmul ins(%flat, %w : tensor<?x32xf32>, tensor<32x48xf32>) outs(%f : {rows}) -> {rows}
  %q = tensor.expand_shape %p [[0, 1], [2]] output_shape [%b, %l, 48] : {rows} into {three}
  %t = tensor.empty(%b, %l) : {three}
  %s = tensor.empty(%b, %l) : {sums}
  %z = linalg.fill ins(%zero : f32) outs(%s : {sums}) -> {sums}
{generic("powers", "i, j, k", ["i, j, k", "i", "i, j, k"], f"%t : {three}", f"ins(%q, %m : {three}, tensor<?xf32>)",
         "%d = arith.mulf %a0, %a1 : f32" + chr(10) + "    %r = math.exp %d : f32")}{generic(
         "total", "i, j, k", ["i, j, k", "i, j"], f"%z : {sums}", f"ins(%powers : {three})", "%r = arith.addf %a0, %a1 : f32", ["parallel", "parallel", "reduction"])}{generic(
         "y", "i, j, k", ["i, j, k", "i, j", "i, j, k"], f"%t : {three}", f"ins(%powers, %total : {three}, {sums})", "%r = arith.divf %a0, %a1 : f32")}  return %y : {three}
}}
"""
        (WORK / "sentences.mlir").write_text(text)
        module = built.module_of(KGEN, WORK / "sentences.mlir", WORK / "sentences", "sentences", "--python", "--dim", "batch=1..9", "--dim", "length=..64/2")
        w = (random.standard_normal((32, 48)) / 8).astype(np.float32)
        for variant in built.variants(module):
            library = module.load(variant=variant)
            for batch, length in ((1, 2), (2, 8), (7, 34), (9, 64)):
                x = random.standard_normal((batch, length, 32)).astype(np.float32)
                m = random.standard_normal(batch).astype(np.float32)
                powers = np.exp(x.astype(np.float64) @ w * m[:, None, None])
                with self.subTest(variant=variant, batch=batch, length=length):
                    np.testing.assert_allclose(library.run(x, w, m), powers / powers.sum(axis=2, keepdims=True), rtol=1e-4, atol=1e-6)


if __name__ == "__main__":
    built.main()
