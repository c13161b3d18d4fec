"""Functions that are given sizes against numpy, at the least size, the greatest, and those between: against_numpy.py KGEN SOURCE WORK, with cmake
and a C compiler on the path. Without numpy it is skipped (77)."""
import shutil
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


def module_of(spec, name, *options):
    """The Python module of a spec's library, loaded."""
    (WORK / f"{name}.yaml").write_text(spec)
    return built.module_of(KGEN, WORK / f"{name}.yaml", WORK / name, "sized", *options)


def setUpModule():
    global sized
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for i in range(3):
        np.save(WORK / f"w{i}.npy", W[i])
        np.save(WORK / f"b{i}.npy", B[i])
    sized = module_of(SPEC, "sizes")


def mlp(x):
    first = np.maximum(x.astype(np.float64) @ W[0] + B[0], 0)
    return np.maximum(first @ W[1] + B[1], 0) @ W[2] + B[2]


class Sizes(unittest.TestCase):
    def inputs(self, *shape):
        return np.random.default_rng(shape[0]).standard_normal(shape).astype(np.float32)

    def test_products(self):
        for variant in (name for name, isSupported in dict(sized.load().variants).items() if isSupported):
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
        for variant in (name for name, isSupported in dict(sized.load().variants).items() if isSupported):
            library = sized.load(variant=variant)
            for rows in (0, 1, 7, 9):
                x = self.inputs(rows, WIDTH) if rows else np.zeros((0, WIDTH), np.float32)
                sums = x.astype(np.float64) @ W[0]
                powers = np.exp(sums - sums.max(axis=1, keepdims=True)) if rows else sums
                with self.subTest(variant=variant, rows=rows):
                    np.testing.assert_allclose(library.empty(x), powers / powers.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-6)

    def test_static_library_has_the_same_bits(self):
        for batch in (7, 128):
            static = module_of(SPEC, f"static{batch}", "--dim", f"batch={batch}").load()
            x = self.inputs(batch, WIDTH)
            with self.subTest(batch=batch):
                np.testing.assert_array_equal(sized.load().mlp(x), static.mlp(x))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
