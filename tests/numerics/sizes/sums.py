"""Sums, means and extrema along sizes that are given at run time, and what is made of them, against numpy: sums.py KGEN WORK, with a C
compiler on the path. Without numpy it is skipped (77)."""
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
SPEC = """library: sized
python: true
targets: [x86-64-v2, x86-64-v3, x86-64-v4]
dims: {batch: {max: 9}, length: {max: 300}, columns: {min: 0, max: 40}}
graphs:
  - name: pooled
    inputs: {x: "f32[batch, length, 48]", i: "i32[batch, length, 48]"}
    nodes:
      - {name: mean, op: ReduceMean, inputs: [x], attributes: {axes: [1], keepdims: 0}}
      - {name: sum, op: ReduceSum, inputs: [i], attributes: {axes: [1], keepdims: 0}}
      - {name: most, op: ReduceMax, inputs: [i], attributes: {axes: [0, 1], keepdims: 0}}
    outputs: [mean, sum, most]
  - name: rows
    inputs: {x: "f32[batch, length]"}
    weights: {scale: {type: "f32[1]", value: 2}}
    nodes:
      - {name: sum, op: ReduceSum, inputs: [x], attributes: {axes: [1]}}
      - {name: log, op: ReduceLogSumExp, inputs: [x], attributes: {axes: [1]}}
      - {name: all, op: ReduceMean, inputs: [x]}
      - {name: layer, op: LayerNormalization, inputs: [x, scale]}
      - {name: rms, op: RMSNormalization, inputs: [x, scale]}
    outputs: [sum, log, all, layer, rms]
  - name: images
    inputs: {x: "f32[batch, 6, length, columns]"}
    weights: {scale: {type: "f32[6]", value: 2}, shift: {type: "f32[6]", value: 0.5}}
    nodes:
      - {name: instance, op: InstanceNormalization, inputs: [x, scale, shift]}
      - {name: group, op: GroupNormalization, inputs: [x, scale, shift], attributes: {num_groups: 2}}
      - {name: variance, op: MeanVarianceNormalization, inputs: [x]}
    outputs: [instance, group, variance]
  - name: found
    inputs: {x: "f32[batch, length, 6]", i: "i32[batch, length]"}
    nodes:
      - {name: most, op: ArgMax, inputs: [x], attributes: {axis: 1, keepdims: 0}}
      - {name: least, op: ArgMin, inputs: [i], attributes: {axis: 1, select_last_index: 1}}
      - {name: hard, op: Hardmax, inputs: [x], attributes: {axis: 1}}
      - {name: unit, op: LpNormalization, inputs: [x], attributes: {axis: 1}}
    outputs: [most, least, hard, unit]
  - name: bytes
    inputs: {x: "f32[batch, length]", a: "u8[batch, length]", b: "u8[batch, 1]"}
    weights: {s: {type: "f32[]", value: 0.05}, z: {type: "u8[]", value: 128}}
    nodes:
      - {op: DynamicQuantizeLinear, inputs: [x], outputs: [y, scale, zero]}
      - {name: sum, op: QLinearAdd, inputs: [a, s, z, b, s, z, s, z]}
    outputs: [y, scale, zero, sum]
"""

def setUpModule():
    global sums
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    sums = built.module_of_text(KGEN, WORK, SPEC, "sums")


def standardized(x, axes, epsilon=1e-5):
    centered = x - x.mean(axis=axes, keepdims=True)
    return centered / np.sqrt((centered ** 2).mean(axis=axes, keepdims=True) + epsilon)


class Sums(unittest.TestCase):
    def libraries(self):
        for variant in (name for name, isSupported in dict(sums.load().variants).items() if isSupported):
            library = sums.load(variant=variant, threads=2)
            for sizes in ((1, 1), (1, 17), (2, 7), (3, 300), (9, 100)):
                with self.subTest(variant=variant, sizes=sizes):
                    yield library, np.random.default_rng(sizes[1]), sizes

    def close(self, results, *expected):
        for result, wanted in zip(results, expected):
            np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4)

    def test_pooled(self):
        for library, numbers, sizes in self.libraries():
            x, i = numbers.standard_normal((*sizes, 48)).astype(np.float32), numbers.integers(-1000, 1000, (*sizes, 48)).astype(np.int32)
            mean, *integers = library.pooled(x, i)
            self.close([mean], x.astype(np.float64).mean(axis=1))
            for result, expected in zip(integers, (i.sum(axis=1), i.max(axis=(0, 1)))):
                np.testing.assert_array_equal(result, expected)

    def test_rows(self):
        for library, numbers, sizes in self.libraries():
            x = numbers.standard_normal(sizes).astype(np.float32) + 1
            wide = x.astype(np.float64)
            rms = wide / np.sqrt((wide ** 2).mean(axis=1, keepdims=True) + 1e-5)
            self.close(library.rows(x), wide.sum(axis=1, keepdims=True), np.log(np.exp(wide).sum(axis=1, keepdims=True)),
                       wide.mean(keepdims=True), 2 * standardized(wide, 1), 2 * rms)

    def test_images(self):
        for library, numbers, (batch, length) in self.libraries():
            for columns in (0, 1, 7, 40):
                x = numbers.standard_normal((batch, 6, length, columns)).astype(np.float32)
                wide = x.astype(np.float64)
                results = library.images(x)
                if columns == 0:
                    self.assertEqual([result.shape for result in results], [x.shape] * 3)
                    continue
                groups = standardized(wide.reshape(batch, 2, -1), 2).reshape(x.shape)
                centered = wide - wide.mean(axis=(0, 2, 3), keepdims=True)
                variance = centered / (np.sqrt((centered ** 2).mean(axis=(0, 2, 3), keepdims=True)) + 1e-9)
                self.close(results, 2 * standardized(wide, (2, 3)) + 0.5, 2 * groups + 0.5, variance)

    def test_where_the_largest_is(self):
        for library, numbers, sizes in self.libraries():
            x, i = numbers.integers(-5, 6, (*sizes, 6)).astype(np.float32), numbers.integers(-5, 6, sizes).astype(np.int32)
            most, least, hard, unit = library.found(x, i)
            first = x.argmax(axis=1)
            np.testing.assert_array_equal(most, first)
            np.testing.assert_array_equal(least[:, 0], sizes[1] - 1 - i[:, ::-1].argmin(axis=1))
            np.testing.assert_array_equal(hard, np.arange(sizes[1])[:, None] == first[:, None])
            norm = np.sqrt((x.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
            self.close([unit], x / np.where(norm == 0, 1, norm))

    def test_bytes(self):
        for library, numbers, sizes in self.libraries():
            x = numbers.standard_normal(sizes).astype(np.float32)
            a, b = numbers.integers(0, 256, sizes).astype(np.uint8), numbers.integers(0, 256, (sizes[0], 1)).astype(np.uint8)
            y, scale, zero, total = library.bytes(x, a, b)
            least, most = np.minimum(x.min(), np.float32(0)), np.maximum(x.max(), np.float32(0))
            step = (most - least) / np.float32(255)
            offset = np.rint(-least / step)
            self.assertEqual((scale, zero), (step, offset))
            np.testing.assert_array_equal(y, np.clip(np.rint(x / step) + offset, 0, 255))
            np.testing.assert_allclose(total, np.clip(a.astype(int) + b - 128, 0, 255), atol=1)


if __name__ == "__main__":
    built.main()
