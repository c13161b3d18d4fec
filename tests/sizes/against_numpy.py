"""Functions that are given sizes against numpy, at the least size, the greatest, and those between: against_numpy.py KGEN SOURCE WORK, with cmake
and a C compiler on the path. Without numpy it is skipped (77)."""
import importlib.util
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

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
  - name: elementwise
    inputs: {{x: "f32[batch, 33]", z: "f32[batch, 1]"}}
    nodes:
      - {{name: s, op: Mul, inputs: [x, z]}}
      - {{name: y, op: Relu, inputs: [s]}}
    outputs: [y]
"""

IMAGES = """library: sized
python: true
targets: [x86-64-v3, x86-64-v4]
dims: {batch: {max: 8}}
graphs:
  - name: convolutions
    inputs: {x: "f32[batch, 5, 13, 11]"}
    weights:
      wide: {type: "f32[24, 5, 3, 3]", file: wide.npy}
      bias: {type: "f32[24]", file: bias.npy}
      deep: {type: "f32[24, 1, 3, 3]", file: deep.npy}
      groups: {type: "f32[24, 6, 3, 3]", file: groups.npy}
      point: {type: "f32[10, 24, 1, 1]", file: point.npy}
    nodes:
      - {name: a, op: Conv, inputs: [x, wide, bias], attributes: {pads: [1, 1, 1, 1], strides: [2, 1]}}
      - {name: ra, op: Relu, inputs: [a]}
      - {name: b, op: Conv, inputs: [ra, deep], attributes: {pads: [1, 0, 1, 0], group: 24}}
      - {name: rb, op: Relu, inputs: [b]}
      - {name: c, op: Conv, inputs: [rb, groups], attributes: {pads: [1, 1, 1, 1], group: 4}}
      - {name: y, op: Conv, inputs: [c, point]}
    outputs: [y]
  - name: pools
    inputs: {x: "f32[batch, 20, 9, 7]"}
    nodes:
      - {name: largest, op: MaxPool, inputs: [x], attributes: {kernel_shape: [3, 3], pads: [1, 1, 1, 1], strides: [2, 2]}}
      - {name: mean, op: AveragePool, inputs: [largest], attributes: {kernel_shape: [2, 2]}}
      - {name: y, op: GlobalAveragePool, inputs: [mean]}
    outputs: [largest, mean, y]
  - name: up
    inputs: {x: "f32[batch, 6, 5, 4]"}
    weights: {w: {type: "f32[6, 9, 2, 2]", file: up.npy}}
    nodes:
      - {name: y, op: ConvTranspose, inputs: [x, w], attributes: {strides: [2, 2]}}
    outputs: [y]
"""
FILTERS = {"wide": (24, 5, 3, 3), "bias": (24,), "deep": (24, 1, 3, 3), "groups": (24, 6, 3, 3), "point": (10, 24, 1, 1), "up": (6, 9, 2, 2)}
FILTERS = {name: (random.standard_normal(shape) / 4).astype(np.float32) for name, shape in FILTERS.items()}


def windows(x, kernel, pads, strides, fill):
    """[n, c, y, x, row, column] of images whose borders of `pads` rows and columns hold `fill`."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pads[0], pads[0]), (pads[1], pads[1])), constant_values=fill)
    return np.lib.stride_tricks.sliding_window_view(x, kernel, axis=(2, 3))[:, :, :: strides[0], :: strides[1]]


def convolution(x, w, pads=(0, 0), strides=(1, 1), group=1):
    parts = np.split(windows(x, w.shape[2:], pads, strides, 0), group, axis=1)
    return np.concatenate([np.einsum("ncyxij,ocij->noyx", part, each) for part, each in zip(parts, np.split(w.astype(np.float64), group))], axis=1)


def run(*command):
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        raise AssertionError(f"{result.returncode} of {command}:\n{result.stdout}")
    return result.stdout


def module_of(spec, name, *options):
    """The Python module of a spec's library, loaded."""
    folder = WORK / name
    (WORK / f"{name}.yaml").write_text(spec)
    run(KGEN, "generate", WORK / f"{name}.yaml", "-o", folder / "folder", "--quiet", *options)
    run("cmake", "-G", "Ninja", "-S", folder / "folder", "-B", folder / "build", "-DBUILD_SHARED_LIBS=ON")
    run("cmake", "--build", folder / "build")
    found = importlib.util.spec_from_file_location("sized", folder / "build/sized.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def setUpModule():
    global sized, images
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for i in range(3):
        np.save(WORK / f"w{i}.npy", W[i])
        np.save(WORK / f"b{i}.npy", B[i])
    for name, values in FILTERS.items():
        np.save(WORK / f"{name}.npy", values)
    sized = module_of(SPEC, "sizes")
    images = module_of(IMAGES, "images")


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

    def test_static_library_has_the_same_bits(self):
        for batch in (7, 128):
            static = module_of(SPEC, f"static{batch}", "--dim", f"batch={batch}").load()
            x = self.inputs(batch, WIDTH)
            with self.subTest(batch=batch):
                np.testing.assert_array_equal(sized.load().mlp(x), static.mlp(x))


class Images(unittest.TestCase):
    def libraries(self):
        for variant in (name for name, isSupported in dict(images.load().variants).items() if isSupported):
            library = images.load(variant=variant)
            for batch in (1, 2, 3, 7, 8):
                with self.subTest(variant=variant, batch=batch):
                    yield library, np.random.default_rng(batch), batch

    def test_convolutions(self):
        for library, numbers, batch in self.libraries():
            x = numbers.standard_normal((batch, 5, 13, 11)).astype(np.float32)
            a = np.maximum(convolution(x, FILTERS["wide"], (1, 1), (2, 1)) + FILTERS["bias"][:, None, None], 0)
            b = np.maximum(convolution(a, FILTERS["deep"], (1, 0), group=24), 0)
            y = convolution(convolution(b, FILTERS["groups"], (1, 1), group=4), FILTERS["point"])
            np.testing.assert_allclose(library.convolutions(x), y, rtol=1e-4, atol=1e-4)

    def test_pools(self):
        for library, numbers, batch in self.libraries():
            x = numbers.standard_normal((batch, 20, 9, 7)).astype(np.float32)
            largest = windows(x, (3, 3), (1, 1), (2, 2), -np.inf).max(axis=(4, 5))
            mean = windows(largest, (2, 2), (0, 0), (1, 1), 0).mean(axis=(4, 5))
            results = library.pools(x)
            np.testing.assert_array_equal(results[0], largest)
            np.testing.assert_allclose(results[1], mean, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(results[2], mean.mean(axis=(2, 3), keepdims=True), rtol=1e-5, atol=1e-6)

    def test_transposed_convolution(self):
        for library, numbers, batch in self.libraries():
            x = numbers.standard_normal((batch, 6, 5, 4)).astype(np.float32)
            y = np.einsum("ncyx,coij->noyixj", x, FILTERS["up"]).reshape(batch, 9, 10, 8)
            np.testing.assert_allclose(library.up(x), y, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
