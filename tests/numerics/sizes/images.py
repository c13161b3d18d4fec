"""Operators of images whose number, height and width are given at run time against numpy: images.py KGEN WORK, with a C compiler on
the path. Without numpy it is skipped (77)."""
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

KGEN, WORK = sys.argv[1], Path(sys.argv[2])
random = np.random.default_rng(1)

CONVOLUTIONS = """  - name: convolutions
    inputs: {x: "f32[SHAPE]"}
    weights:
      wide: {type: "f32[24, 5, 3, 3]", file: wide.npy}
      bias: {type: "f32[24]", file: bias.npy}
      deep: {type: "f32[24, 1, 3, 3]", file: deep.npy}
      groups: {type: "f32[24, 6, 3, 3]", file: groups.npy}
      point: {type: "f32[10, 24, 1, 1]", file: point.npy}
    nodes:
      - {name: a, op: Conv, inputs: [x, wide, bias], attributes: {pads: [1, 1, 1, 1], strides: [2, 1]}}
      - {name: ra, op: Relu, inputs: [a]}
      - {name: b, op: Conv, inputs: [ra, deep], attributes: {pads: [PADS], group: 24}}
      - {name: rb, op: Relu, inputs: [b]}
      - {name: c, op: Conv, inputs: [rb, groups], attributes: {pads: [1, 1, 1, 1], group: 4}}
      - {name: y, op: Conv, inputs: [c, point]}
    outputs: [y]
"""


def convolutions(shape, pads):
    """The graph of images of a shape; `pads` of the second convolution."""
    return CONVOLUTIONS.replace("SHAPE", shape).replace("PADS", pads)


IMAGES = """library: sized
python: true
targets: [x86-64-v3, x86-64-v4]
dims: {batch: {max: 8}}
graphs:
""" + convolutions("batch, 5, 13, 11", "1, 0, 1, 0") + """  - name: pools
    inputs: {x: "f32[batch, 20, 9, 7]"}
    nodes:
      - {name: largest, op: MaxPool, inputs: [x], attributes: {kernel_shape: [3, 3], pads: [1, 1, 1, 1], strides: [2, 2]}}
      - {name: mean, op: AveragePool, inputs: [largest], attributes: {kernel_shape: [2, 2]}}
      - {name: y, op: GlobalAveragePool, inputs: [mean]}
    outputs: [largest, mean, y]
  - name: indices
    inputs: {x: "f32[batch, 3, 9, 7]", wide: "f64[batch, 3, 9, 7]"}
    nodes:
      - {op: MaxPool, inputs: [x], outputs: [y, at], attributes: {kernel_shape: [2, 3], strides: [2, 2]}}
      - {op: MaxPool, inputs: [wide], outputs: [z, where], attributes: {kernel_shape: [2, 3], strides: [2, 2]}}
    outputs: [y, at, z, where]
  - name: up
    inputs: {x: "f32[batch, 6, 5, 4]"}
    weights: {w: {type: "f32[6, 9, 2, 2]", file: up.npy}}
    nodes:
      - {name: y, op: ConvTranspose, inputs: [x, w], attributes: {strides: [2, 2]}}
    outputs: [y]
  - name: tiles
    winograd: 4
    inputs: {x: "f32[batch, 64, 30, 27]"}
    weights: {w: {type: "f32[64, 64, 3, 3]", file: square.npy}}
    nodes:
      - {name: y, op: Conv, inputs: [x, w], attributes: {pads: [1, 1, 1, 1]}}
    outputs: [y]
"""
# Of any size, and of multiples of 4, as pools and enlargements that are joined again need.
SIZES = """library: sized
python: true
targets: [x86-64-v3, x86-64-v4]
dims: {height: {min: 3, max: 40}, width: {min: 3, max: 50}}
graphs:
""" + convolutions("2, 5, height, width", "1, 1, 1, 1") + """  - name: dilated
    inputs: {x: "f32[1, 5, height, width]"}
    weights: {wide: {type: "f32[24, 5, 3, 3]", file: wide.npy}}
    nodes:
      - {name: y, op: Conv, inputs: [x, wide], attributes: {pads: [2, 2, 2, 2], dilations: [2, 2]}}
    outputs: [y]
  - name: pools
    inputs: {x: "f32[2, 20, height, width]"}
    nodes:
      - {name: largest, op: MaxPool, inputs: [x], attributes: {kernel_shape: [3, 3], pads: [1, 1, 1, 1], strides: [2, 2]}}
      - {name: mean, op: AveragePool, inputs: [largest], attributes: {kernel_shape: [2, 2]}}
      - {name: inside, op: AveragePool, inputs: [x], attributes: {kernel_shape: [3, 3], pads: [1, 1, 1, 1]}}
      - {name: y, op: GlobalAveragePool, inputs: [x]}
      - {name: z, op: GlobalMaxPool, inputs: [x]}
    outputs: [largest, mean, inside, y, z]
  - name: up
    inputs: {x: "f32[2, 6, height, width]"}
    weights: {w: {type: "f32[6, 9, 2, 2]", file: up.npy}}
    nodes:
      - {name: y, op: ConvTranspose, inputs: [x, w], attributes: {strides: [2, 2]}}
    outputs: [y]
  - name: moved
    inputs: {x: "f32[2, 3, height, width]"}
    nodes:
      - {name: larger, op: Resize, inputs: [x], attributes: {scales: [2, 3], axes: [2, 3]}}
      - {name: around, op: Pad, inputs: [x], attributes: {pads: [0, 0, 1, 2, 0, 0, 3, -1]}}
      - {name: mirrored, op: Pad, inputs: [x], attributes: {pads: [0, 0, 1, 2, 0, 0, 2, 1], mode: reflect}}
      - {name: edges, op: Pad, inputs: [x], attributes: {pads: [0, 1, 1, 2, 0, 0, 2, 1], mode: edge}}
      - {name: tiled, op: Tile, inputs: [x, repeats]}
    weights: {repeats: {type: "i64[4]", value: [1, 2, 3, 2]}}
    outputs: [larger, around, mirrored, edges, tiled]
  - name: block
    dims: {rows: {max: 32, multiple: 4}, columns: {max: 48, multiple: 4}}
    inputs: {x: "f32[1, 5, rows, columns]"}
    weights:
      wide: {type: "f32[24, 5, 3, 3]", file: wide.npy}
      scale: {type: "f32[24]", file: bias.npy}
      mean: {type: "f32[24]", value: 0.25}
      variance: {type: "f32[24]", value: 4}
      groups: {type: "f32[24, 6, 3, 3]", file: groups.npy}
      last: {type: "f32[10, 48, 3, 3]", file: last.npy}
    nodes:
      - {name: a, op: Conv, inputs: [x, wide], attributes: {pads: [1, 1, 1, 1]}}
      - {name: n, op: BatchNormalization, inputs: [a, scale, scale, mean, variance], attributes: {epsilon: 0.0}}
      - {name: skip, op: Relu, inputs: [n]}
      - {name: down, op: MaxPool, inputs: [skip], attributes: {kernel_shape: [2, 2], strides: [2, 2]}}
      - {name: deep, op: Conv, inputs: [down, groups], attributes: {pads: [1, 1, 1, 1], group: 4}}
      - {name: up, op: Resize, inputs: [deep], attributes: {scales: [2, 2], axes: [2, 3]}}
      - {name: joined, op: Concat, inputs: [skip, up], attributes: {axis: 1}}
      - {name: y, op: Conv, inputs: [joined, last], attributes: {pads: [1, 1, 1, 1]}}
    outputs: [y]
"""
FILTERS = {"wide": (24, 5, 3, 3), "bias": (24,), "deep": (24, 1, 3, 3), "groups": (24, 6, 3, 3), "point": (10, 24, 1, 1), "up": (6, 9, 2, 2),
           "last": (10, 48, 3, 3), "square": (64, 64, 3, 3)}
FILTERS = {name: (random.standard_normal(shape) / 4).astype(np.float32) for name, shape in FILTERS.items()}


def windows(x, kernel, pads, strides, fill):
    """[n, c, y, x, row, column] of images whose borders of `pads` rows and columns hold `fill`."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pads[0], pads[0]), (pads[1], pads[1])), constant_values=fill)
    return np.lib.stride_tricks.sliding_window_view(x, kernel, axis=(2, 3))[:, :, :: strides[0], :: strides[1]]


def convolution(x, w, pads=(0, 0), strides=(1, 1), group=1):
    parts = np.split(windows(x, w.shape[2:], pads, strides, 0), group, axis=1)
    return np.concatenate([np.einsum("ncyxij,ocij->noyx", part, each) for part, each in zip(parts, np.split(w.astype(np.float64), group))], axis=1)


def setUpModule():
    global images, sizes
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for name, values in FILTERS.items():
        np.save(WORK / f"{name}.npy", values)
    images = built.module_of_text(KGEN, WORK, IMAGES, "images", "--verify-stages")
    sizes = built.module_of_text(KGEN, WORK, SIZES, "sizes", "--verify-stages")


class Images(unittest.TestCase):
    def libraries(self):
        for variant in built.variants(images):
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

    def test_indices_of_the_largest(self):
        for library, numbers, batch in self.libraries():
            x = numbers.integers(-4, 5, (batch, 3, 9, 7))
            seen = windows(x, (2, 3), (0, 0), (2, 2), 0)
            rows, columns = np.divmod(seen.reshape(*seen.shape[:4], 6).argmax(axis=-1), 3)
            each = np.arange(batch * 3).reshape(batch, 3, 1, 1)
            at = (each * 9 + np.arange(0, 8, 2)[:, None] + rows) * 7 + np.arange(0, 5, 2) + columns
            for result, expected in zip(library.indices(x.astype(np.float32), x.astype(np.float64)), (seen.max(axis=(4, 5)), at) * 2):
                np.testing.assert_array_equal(result, expected)

    def test_transposed_convolution(self):
        for library, numbers, batch in self.libraries():
            x = numbers.standard_normal((batch, 6, 5, 4)).astype(np.float32)
            y = np.einsum("ncyx,coij->noyixj", x, FILTERS["up"]).reshape(batch, 9, 10, 8)
            np.testing.assert_allclose(library.up(x), y, rtol=1e-4, atol=1e-5)

    def test_winograd(self):
        for library, numbers, batch in self.libraries():
            x = numbers.standard_normal((batch, 64, 30, 27)).astype(np.float32)
            np.testing.assert_allclose(library.tiles(x), convolution(x, FILTERS["square"], (1, 1)), rtol=1e-3, atol=1e-2)


class Sizes(unittest.TestCase):
    """Heights and widths: the least, some between, and the greatest."""

    def libraries(self, pairs=((3, 3), (4, 5), (7, 17), (16, 31), (23, 48), (40, 50))):
        for variant in built.variants(sizes):
            library = sizes.load(variant=variant)
            for height, width in pairs:
                with self.subTest(variant=variant, height=height, width=width):
                    yield library, np.random.default_rng(height), (height, width)

    def test_convolutions(self):
        for library, numbers, size in self.libraries():
            x = numbers.standard_normal((2, 5, *size)).astype(np.float32)
            a = np.maximum(convolution(x, FILTERS["wide"], (1, 1), (2, 1)) + FILTERS["bias"][:, None, None], 0)
            b = np.maximum(convolution(a, FILTERS["deep"], (1, 1), group=24), 0)
            y = convolution(convolution(b, FILTERS["groups"], (1, 1), group=4), FILTERS["point"])
            np.testing.assert_allclose(library.convolutions(x), y, rtol=1e-4, atol=1e-4)

    def test_dilation(self):
        for library, numbers, size in self.libraries():
            x = numbers.standard_normal((1, 5, *size)).astype(np.float32)
            w = np.zeros((24, 5, 5, 5), np.float32)
            w[:, :, ::2, ::2] = FILTERS["wide"]
            np.testing.assert_allclose(library.dilated(x), convolution(x, w, (2, 2)), rtol=1e-4, atol=1e-4)

    def test_pools(self):
        for library, numbers, size in self.libraries():
            x = numbers.standard_normal((2, 20, *size)).astype(np.float32)
            largest = windows(x, (3, 3), (1, 1), (2, 2), -np.inf).max(axis=(4, 5))
            mean = windows(largest, (2, 2), (0, 0), (1, 1), 0).mean(axis=(4, 5))
            sums, counts = (windows(image, (3, 3), (1, 1), (1, 1), 0).sum(axis=(4, 5)) for image in (x, np.ones_like(x)))
            results = library.pools(x)
            np.testing.assert_array_equal(results[0], largest)
            np.testing.assert_allclose(results[1], mean, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(results[2], sums / counts, rtol=1e-4, atol=1e-5)
            np.testing.assert_allclose(results[3], x.mean(axis=(2, 3), keepdims=True), rtol=1e-4, atol=1e-5)
            np.testing.assert_array_equal(results[4], x.max(axis=(2, 3), keepdims=True))

    def test_transposed_convolution(self):
        for library, numbers, (height, width) in self.libraries():
            x = numbers.standard_normal((2, 6, height, width)).astype(np.float32)
            y = np.einsum("ncyx,coij->noyixj", x, FILTERS["up"]).reshape(2, 9, 2 * height, 2 * width)
            np.testing.assert_allclose(library.up(x), y, rtol=1e-4, atol=1e-5)

    def test_movement(self):
        for library, numbers, size in self.libraries():
            x = numbers.standard_normal((2, 3, *size)).astype(np.float32)
            expected = (x.repeat(2, axis=2).repeat(3, axis=3),
                        np.pad(x, ((0, 0), (0, 0), (1, 3), (2, 0)))[..., :-1],
                        np.pad(x, ((0, 0), (0, 0), (1, 2), (2, 1)), mode="reflect"),
                        np.pad(x, ((0, 0), (1, 0), (1, 2), (2, 1)), mode="edge"),
                        np.tile(x, (1, 2, 3, 2)))
            for result, wanted in zip(library.moved(x), expected):
                np.testing.assert_array_equal(result, wanted)

    def test_block(self):
        for library, numbers, size in self.libraries(((4, 4), (8, 12), (20, 44), (32, 48))):
            x = numbers.standard_normal((1, 5, *size)).astype(np.float32)
            scale = FILTERS["bias"][:, None, None]
            skip = np.maximum((convolution(x, FILTERS["wide"], (1, 1)) - 0.25) / 2 * scale + scale, 0)
            deep = convolution(windows(skip, (2, 2), (0, 0), (2, 2), 0).max(axis=(4, 5)), FILTERS["groups"], (1, 1), group=4)
            joined = np.concatenate([skip, deep.repeat(2, axis=2).repeat(2, axis=3)], axis=1)
            np.testing.assert_allclose(library.block(x), convolution(joined, FILTERS["last"], (1, 1)), rtol=1e-4, atol=1e-4)


if __name__ == "__main__":
    built.main()
