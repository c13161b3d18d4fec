"""Graphs with QuantizeLinear and DequantizeLinear around products and convolutions of f32. Where both operands come from bytes, with one
scale for each row of A and column of B, or for the image and each filter, the sums are those of integers; everything after is f32, rounded operation by operation. What is expected is
compared with the product of the real numbers in longdouble: it may be the next integer at most."""
import numpy as np

from cases import uniform
from image_cases import convolution
from narrow import LONG
from quantized_cases import F32, I8, I32, U8, integers, quantized, scales
from quantized_graphs import Graph


class QdqGraph(Graph):
    """A value may have its exact numbers as a third part."""

    def real(self, x, scale, zero, axis=1):
        """DequantizeLinear, with what it was made of."""
        shape = [1] * x[1].ndim
        if scale[1].size > 1:
            shape[axis] = -1
        wide = lambda p: p[1].reshape(shape if p[1].size > 1 else ())
        whole = x[1].astype(np.int64) - wide(zero).astype(np.int64)
        result = self.node("DequantizeLinear", [x, scale, zero], whole.astype(F32) * wide(scale), axis=axis)
        return *result, whole, wide(scale)

    def sums(self, a, b, swap_a, swap_b):
        """Of integers, times both scales, in f32 and exactly."""
        turn = lambda x, swaps: np.swapaxes(x, -1, -2) if swaps and np.ndim(x) > 1 else x
        left, right, sa, sb = turn(a[2], swap_a), turn(b[2], swap_b), turn(a[3], swap_a), turn(b[3], swap_b)
        total = np.matmul(left, right)
        return total.astype(F32) * (sa * sb), np.matmul(left.astype(LONG) * sa.astype(LONG), right.astype(LONG) * sb.astype(LONG))

    def real_product(self, a, b):
        y, exact = self.sums(a, b, False, False)
        return *self.node("MatMul", [a, b], y), exact

    def real_gemm(self, a, b, c, alpha, transA, transB):
        y, exact = self.sums(a, b, transA, transB)
        y, exact = y * F32(alpha) + c[1], exact * LONG(alpha) + c[1].astype(LONG)
        return *self.node("Gemm", [a, b, c], y, alpha=alpha, transA=transA, transB=transB), exact

    def real_conv(self, x, w, bias=None, **window):
        total, _, _ = convolution(x[2], w[2], None, **window)
        per = (1, -1) + (1,) * (x[1].ndim - 2)
        factor = lambda number: x[3].astype(number) * w[3].astype(number).reshape(per)
        y, exact = total.astype(F32) * factor(F32), total * factor(LONG)
        if bias is not None:
            y, exact = y + bias[1].reshape(per), exact + bias[1].astype(LONG).reshape(per)
        return *self.node("Conv", [x, w] + ([] if bias is None else [bias]), y, **window), exact

    def plus(self, x, bias):
        return *self.binary("Add", x, bias), x[2] + bias[1].astype(LONG)

    def positive(self, x):
        return *self.relu(x), np.maximum(x[2], 0)

    def bytes(self, x, scale, zero):
        result = self.quantize(x, scale, zero)
        ideal = quantized(x[2] / LONG(scale[1]), zero[1], zero[1].dtype.type)
        assert np.max(np.abs(ideal.astype(I32) - result[1].astype(I32)), initial=0) <= 1
        return result

    def case(self, name, *outputs, large=False):
        return super().case(f"qdq-{name}", *(output[:2] for output in outputs), large=large)

    def numbers(self, name, dtype, shape, count=1, zero=None, weight=True):
        """Bytes, their scales and their zero points."""
        make = self.weight if weight else self.input
        few = () if count == 1 else (count,)
        z = np.asarray(integers(f"z {name}", dtype, few) // 4, dtype) if zero is None else np.full(few, zero, dtype)
        return make(integers(name, dtype, shape)), make(scales(name, few)), make(z)

    def image_numbers(self, name, dtype, shape, count=1, zero=0, weight=True):
        """The same with scales that are powers of two: sums in f32 are exact as well, where what is no weight here keeps them from being
        sums of integers."""
        few = () if count == 1 else (count,)
        step = np.exp2(np.round(np.log2(scales(name, few)))).astype(F32)
        bytes = (self.weight if weight else self.input)(integers(name, dtype, shape))
        return bytes, self.weight(step), self.weight(np.full(few, zero, dtype))

    def result(self, dtype, step, zero):
        return self.weight(np.array(step, F32)), self.weight(np.array(zero, dtype))


def layer(g, x, depth, width, result, relu=True):
    w = g.real(*g.numbers(f"w {depth} {width}", I8, (depth, width), width, zero=0))
    y = g.plus(g.real_product(x, w), g.weight(uniform(f"b {width}", F32, (width,))))
    return g.bytes(g.positive(y) if relu else y, *result)


def layers(rows, sizes, large=False):
    g = QdqGraph()
    x = g.real(*g.numbers("x", U8, (rows, sizes[0]), zero=100, weight=False))
    for depth, width in zip(sizes, sizes[1:]):
        y = g.result(U8, 0.3 * depth ** 0.5, 9)
        q = layer(g, x, depth, width, y, width != sizes[-1])
        x = g.real(q, *y)
    return g.case(f"{rows}-" + "x".join(map(str, sizes)), q, x, large=large)


def gemm(m, k, n, transA, transB, large=False):
    """B by column, and C of integers whose scale is that of the sums."""
    g = QdqGraph()
    a = g.real(*g.numbers("ga", I8, (k, m) if transA else (m, k), weight=False))
    b = g.real(*g.numbers("gb", I8, (n, k) if transB else (k, n), n), axis=0 if transB else 1)
    c = g.real(g.weight(integers("gc", I32, (n,)) >> 20), g.weight(np.array(0.002, F32)), g.weight(np.array(0, I32)))
    y = g.real_gemm(a, b, c, 0.5, transA, transB)
    return g.case(f"gemm-{m}x{k}x{n}-{transA}{transB}", g.bytes(y, *g.result(I8, 2.0, -3)), large=large)


def batches():
    """Neither matrix is a weight, and the result stays f32."""
    g = QdqGraph()
    a, b = g.real(*g.numbers("ba", U8, (2, 3, 5, 7), weight=False)), g.real(*g.numbers("bb", I8, (3, 7, 4), weight=False))
    return g.case("batches", g.real_product(a, b))


def rows_and_columns():
    """Scales that are arguments, and a matrix that something else reads as well."""
    g = QdqGraph()
    a = g.real(*g.numbers("ra", I8, (6, 19), 6, weight=False), axis=0)
    b = g.real(*g.numbers("rb", U8, (19, 10), 10, weight=False))
    return g.case("rows-and-columns", g.real_product(a, b), g.relu(a))


def along_depth():
    """A scale for each index of k, and vectors: products of f32, exact as the numbers are whole multiples of a power of two."""
    g = QdqGraph()
    powers = g.weight(np.array([2.0 ** (i % 3) for i in range(9)], F32))
    a = g.real(g.input(integers("da", I8, (4, 9))), g.weight(np.array(0.5, F32)), g.weight(np.array(3, I8)))
    b = g.real(g.weight(integers("db", I8, (9, 5))), powers, g.weight(np.zeros(9, I8)), axis=0)
    y = g.node("MatMul", [a, b], np.matmul(a[1].astype(LONG), b[1].astype(LONG)).astype(F32))
    v = g.real(g.input(integers("dv", I8, (5,))), g.weight(np.array(0.25, F32)), g.weight(np.array(0, I8)))
    return g.case("along-depth", y, g.node("MatMul", [y, v], np.matmul(y[1].astype(LONG), v[1].astype(LONG)).astype(F32)))


def convolved(g, x, name, out, kernel, relu=True, result=None, dtype=I8, **window):
    shape = (out, x[1].shape[1] // window.get("group", 1), *kernel)
    w = g.real(*g.image_numbers(f"w {name}", dtype, shape, out, zero=0), axis=0)
    y = g.real_conv(x, w, g.weight(uniform(f"b {name}", F32, (out,))), **window)
    result = result or g.result(U8, 8.0, 7)
    return g.real(g.bytes(g.positive(y) if relu else y, *result), *result)


def residual(images, channels, size, large=False):
    """A block that makes images smaller, with a shortcut, and what reads its sum."""
    g = QdqGraph()
    x = g.real(*g.image_numbers("rx", U8, (images, channels, size, size), zero=93, weight=False))
    y = convolved(g, x, "reduce", channels // 2, (1, 1))
    y = convolved(g, y, "inner", channels, (3, 3), relu=False, result=g.result(I8, 2.0, -5), pads=[1, 1, 1, 1], strides=[2, 2])
    short = convolved(g, x, "short", channels, (1, 1), relu=False, result=g.result(I8, 2.0, 3), strides=[2, 2])
    total = *g.binary("Add", y[:2], short[:2]), y[2] * LONG(2) + short[2] * LONG(2)
    result = g.result(U8, 4.0, 0)
    last = g.bytes(g.positive(total), *result)
    return g.case(f"residual-{images}x{channels}x{size}", last, convolved(g, g.real(last, *result), "last", 5, (3, 3), pads=[1, 1, 1, 1]),
                  large=large)


def signed_images():
    """Images and filters of i8 and of u8, groups, dilations, one spatial dimension, and no zero points."""
    g = QdqGraph()
    x = g.real(*g.image_numbers("sx", I8, (1, 6, 9, 8), zero=-7, weight=False))
    grouped = convolved(g, x, "grouped", 4, (3, 3), group=2, pads=[1, 0, 1, 2])
    far = convolved(g, x, "far", 5, (3, 2), dilations=[2, 3], strides=[1, 2], pads=[2, 1, 2, 1], dtype=U8)
    w = g.real(g.weight(integers("one", I8, (3, 6, 5, 5))), g.weight(np.array(0.25, F32)), g.weight(np.array(0, I8)), axis=0)
    alone = g.real_conv(x, w)
    wave = g.real(*g.image_numbers("wave", U8, (2, 3, 40), zero=0, weight=False))
    return g.case("signed-images", grouped, far, alone, convolved(g, wave, "wave", 7, (5,), strides=[3], pads=[2, 2]))


def plain_images():
    """Convolutions of f32: channels by themselves, a filter with a zero point, scales along another axis; exact, as they are whole
    multiples of a power of two."""
    g = QdqGraph()
    half = lambda: g.weight(np.array(0.5, F32))
    x = g.real(g.input(integers("px", U8, (1, 4, 6, 6))), half(), g.weight(np.array(9, U8)))
    each = g.real(g.weight(integers("pe", I8, (4, 1, 3, 3))), half(), g.weight(np.array(0, I8)), axis=0)
    odd = g.real(g.weight(integers("po", U8, (3, 4, 2, 2))), half(), g.weight(np.array(5, U8)), axis=0)
    powers = g.weight(np.array([2.0 ** i for i in range(4)], F32))
    deep = g.real(g.weight(integers("pd", I8, (3, 4, 1, 1))), powers, g.weight(np.zeros(4, I8)), axis=1)
    outputs = []
    for w, window in ((each, {"group": 4, "pads": [1, 1, 1, 1]}), (odd, {}), (deep, {})):
        y, _, _ = convolution(x[1], w[1], None, **window)
        outputs.append(g.node("Conv", [x, w], y.astype(F32), **window))
    return g.case("plain-images", *outputs)


def by_channel():
    """QuantizeLinear and DequantizeLinear by channel between convolutions, whose images have their channels last."""
    g = QdqGraph()
    x = g.real(*g.image_numbers("cx", U8, (1, 5, 7, 6), zero=11, weight=False))
    y = convolved(g, x, "first", 4, (3, 3), pads=[1, 1, 1, 1])
    step, zero = g.weight(np.array([0.5, 1.0, 2.0, 4.0], F32)), g.weight(np.array([-3, 0, 5, 9], I8))
    per = (1, 4, 1, 1)
    q = g.node("QuantizeLinear", [y, step, zero], quantized(y[1] / step[1].reshape(per), zero[1].reshape(per), I8), axis=1)
    r = g.real(q, step, zero)
    return g.case("by-channel", q, r, g.relu(r))


def graphs():
    for size in (4, 7):
        yield residual(2, 6, size)
    yield signed_images()
    yield plain_images()
    yield by_channel()
    yield residual(1, 64, 11, large=True)
    yield layers(5, (13, 18, 7))
    yield layers(1, (9, 33))
    for transA, transB in ((0, 0), (0, 1), (1, 0), (1, 1)):
        yield gemm(5, 8, 11, transA, transB)
    yield batches()
    yield rows_and_columns()
    yield along_depth()
    yield layers(33, (129, 257, 65), large=True)
    yield layers(64, (96, 48), large=True)
    yield layers(1, (768, 96), large=True)
    yield gemm(61, 300, 70, 0, 1, large=True)
    yield gemm(34, 65, 128, 1, 0, large=True)
