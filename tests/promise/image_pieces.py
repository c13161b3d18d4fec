"""More pieces of networks: those of images, and those that move, choose and narrow numbers."""
import math
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "oracle"))
from nbits_cases import packed, rounded_rows  # noqa: E402
from pieces import (along_channels, convolution, gru_step, linear_of, lstm_step, piece, product, recurrence, reshape, sigmoid, times, transpose,
                    transposed_convolution, unary, windows)


def halved(size):
    """The windows of a stride of 2, padded by one on both sides."""
    return (size + 1) // 2 if isinstance(size, int) else f"floordiv({size} + 1, 2)"


def plus(size, number, factor=1):
    return size * factor + number if isinstance(size, int) else f"({size})*{factor}+{number}"


def conv(g, x, filters, kernel, stride=1, group=1, biased=True):
    n, c, h, w = x.shape
    pads, depth = [kernel // 2] * 4, c // group * kernel**2
    data = g.numbers(filters, c // group, kernel, kernel, scale=2.0**-math.ceil(math.log2(depth) / 2))

    def function(v, weights, b=np.zeros(filters)):
        return convolution(v, weights, b, group, strides=(stride,) * 2, dilations=(1, 1), pads=pads)

    shape = [n, filters, h if stride == 1 else halved(h), w if stride == 1 else halved(w)]
    return g.op("Conv", [x, data] + ([g.numbers(filters)] if biased else []), function, shape=shape, strides=[stride] * 2, pads=pads, group=group)


@piece("image")
def convolution_3x3(g, x):
    return conv(g, x, int(g.rng.choice([4, 8, 12])), 3)


@piece("image")
def convolution_1x1(g, x):
    return conv(g, x, int(g.rng.choice([8, 16])), 1)


@piece("image")
def convolution_of_stride_2(g, x):
    return conv(g, x, 8, 3, 2, biased=False)


@piece("image")
def depthwise(g, x):
    return conv(g, x, x.channels, 3, 1, x.channels)


@piece("image")
def convolution_normalized(g, x):
    """A convolution, a normalization spelled as a scale and a bias, and an activation."""
    y = conv(g, x, 8, 3, biased=False)
    y = g.op("Mul", [y, g.numbers(8, 1, 1, start=1.5)], np.multiply)
    y = g.op("Add", [y, g.numbers(8, 1, 1)], np.add)
    return g.op("Clip", [y, np.array(0.0), np.array(6.0)], np.clip)


@piece("image")
def transposed(g, x):
    n, c, h, w = x.shape
    return g.op("ConvTranspose", [x, g.numbers(c, 8, 2, 2, scale=0.25)],
                lambda v, f: transposed_convolution(v, f, 1, (2, 2), (1, 1), [0] * 4), shape=[n, 8, plus(h, 0, 2), plus(w, 0, 2)], strides=[2, 2])


@piece("image")
def max_pool(g, x):
    n, c, h, w = x.shape

    def function(v):
        taps = windows(v, (3, 3), (2, 2), (1, 1), [1] * 4, -np.inf)
        return np.max([pixels for _, pixels in taps], axis=0)

    return g.op("MaxPool", [x], function, shape=[n, c, halved(h), halved(w)], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)


@piece("image")
def average_pool(g, x):
    def function(v):
        ones = np.ones_like(v)
        total, count = (sum(pixels for _, pixels in windows(array, (3, 3), (1, 1), (1, 1), [1] * 4, 0.0)) for array in (v, ones))
        return total / count

    return g.op("AveragePool", [x], function, kernel_shape=[3, 3], pads=[1] * 4)


@piece("image")
def global_pool(g, x):
    return g.op("GlobalAveragePool", [x], lambda v: v.mean((2, 3), keepdims=True), shape=[*x.shape[:2], 1, 1])


@piece("image")
def squeeze_excite(g, x):
    c = x.channels
    y = g.op("GlobalAveragePool", [x], lambda v: v.mean((2, 3), keepdims=True), shape=[*x.shape[:2], 1, 1])
    y = unary(g, conv(g, y, 4, 1), "Relu", lambda v: np.maximum(v, 0))
    y = unary(g, conv(g, y, c, 1), "HardSigmoid", lambda v: np.clip(0.2 * v + 0.5, 0, 1))
    return g.op("Mul", [x, y], np.multiply)


@piece("image")
def upsample(g, x):
    n, c, h, w = x.shape
    return g.op("Resize", [x, "", g.weight(np.array([1.0, 1.0, 2.0, 2.0]), "f32")], lambda v, s: v.repeat(2, 2).repeat(2, 3),
                shape=[n, c, plus(h, 0, 2), plus(w, 0, 2)], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")


@piece("image")
def pad(g, x):
    n, c, h, w = x.shape
    return g.op("Pad", [x, g.weight(np.array([0, 0, 1, 0, 0, 0, 0, 2]), "i64")],
                lambda v, p: np.pad(v, [(0, 0), (0, 0), (1, 0), (0, 2)]), shape=[n, c, plus(h, 1), plus(w, 2)], mode="constant")


@piece("image")
def channel_shuffle(g, x):
    n, c, h, w = x.shape
    if isinstance(h, int) and isinstance(w, int):
        y = reshape(g, x, [0, 2, c // 2, h, w], [n, 2, c // 2, h, w])
        return reshape(g, transpose(g, y, [0, 2, 1, 3, 4]), [0, c, h, w], x.shape, "image")
    total = f"({h})*({w})"
    y = transpose(g, reshape(g, x, [0, 2, c // 2, -1], [n, 2, c // 2, total]), [0, 2, 1, 3])
    shape = g.op("Shape", [x], lambda v: np.array(v.shape), shape=[4], type="i64")
    return g.op("Reshape", [y, shape], lambda v, to: v.reshape(to), shape=x.shape, form="image")


@piece("rows")
def heads(g, x):
    """A reshape and a transposition, and back."""
    n, t, c = x.shape
    y = transpose(g, reshape(g, x, [0, 0, 2, c // 2], [n, t, 2, c // 2]), [0, 2, 1, 3])
    y = unary(g, y, "Abs", np.abs)
    return reshape(g, transpose(g, y, [0, 2, 1, 3]), [0, 0, c], [n, t, c], "rows")


@piece("any")
def transposition(g, x):
    """An operation on the transposed tensor."""
    perm = [0, 2, 1] if x.form == "rows" else [0, 1, 3, 2]
    y = g.op("Add", [transpose(g, x, perm), np.array(0.5)], np.add)
    return y if x.form == "image" else transpose(g, y, perm)


@piece("any")
def slice_of_channels(g, x):
    axis, c = (2, x.channels) if x.form == "rows" else (1, x.channels)
    kept = slice(c // 4, c // 4 + c // 2) if c % 8 == 0 else slice(0, c)
    shape = list(x.shape)
    shape[axis] = kept.stop - kept.start
    return g.op("Slice", [x], lambda v: v[(slice(None),) * axis + (kept,)], shape=shape, starts=[kept.start], ends=[kept.stop], axes=[axis])


@piece("rows")
def first_of_rows(g, x):
    """The first row, as a classifier reads it."""
    zero = g.weight(np.array([0]), "i64")
    return g.op("Gather", [x, zero], lambda v, i: v[:, :1], shape=[x.shape[0], 1, x.shape[2]], axis=1)


@piece("any")
def concatenated(g, x):
    axis = 2 if x.form == "rows" else 1
    y = unary(g, x, "Sin", np.sin)
    shape = list(x.shape)
    shape[axis] *= 2
    return g.op("Concat", [x, y], lambda a, b: np.concatenate([a, b], axis), shape=shape, axis=axis)


@piece("rows")
def concatenated_rows(g, x):
    """Along a size that may be a parameter."""
    n, t, c = x.shape
    return g.op("Concat", [times(g, x, 0.5), x], lambda a, b: np.concatenate([a, b], 1), shape=[n, plus(t, 0, 2), c], axis=1)


@piece("any")
def narrowed(g, x):
    """Cast to another type, an operation there, and back."""
    other = "f32" if x.type != "f32" else "f16"
    y = unary(g, g.op("Cast", [x], lambda v: v, type=other, to=other), "Relu", lambda v: np.maximum(v, 0))
    return g.op("Cast", [y], lambda v: v, type=x.type, to=x.type)


@piece("any")
def clip(g, x):
    return g.op("Clip", [x, np.array(-0.75), np.array(1.0)], np.clip)


def quantize(g, x, size, zero):
    return g.op("QuantizeLinear", [x, size, zero], lambda v, s, z: np.clip(np.rint(v / s) + z, 0, 255), type="u8", jumps=True)


@piece("any")
def quantized(g, x):
    """To bytes and back."""
    size = np.array(0.03125)
    zero = g.weight(np.array(120), "u8")
    q = quantize(g, x, size, zero)
    return g.op("DequantizeLinear", [q, g.weight(size), zero], lambda v, s, z: (v - z) * s, type=x.type)


@piece("rows")
def quantized_linear(g, x):
    """A product of bytes between quantizations, as QDQ models have it."""
    c, columns = x.channels, 16
    zero = g.weight(np.array(128), "u8")
    size = np.array(0.03125)
    q = quantize(g, x, size, zero)
    a = g.op("DequantizeLinear", [q, g.weight(size), zero], lambda v, s, z: (v - z) * s, type=x.type)
    w = g.op("DequantizeLinear", [g.weight(g.rng.integers(-127, 128, (c, columns)), "i8"), g.weight(np.array(2.0**-9))],
             lambda v, s: v * s, like=x, shape=[c, columns])
    return g.op("MatMul", [a, w], np.matmul, shape=[*x.shape[:2], columns])


@piece("any")
def gather(g, x):
    axis, c = (2 if x.form == "rows" else 1), x.channels
    order = g.rng.permutation(c)
    return g.op("Gather", [x, g.weight(order, "i64")], lambda v, i: np.take(v, i, axis), axis=axis)


@piece("rows")
def embedding(g, x):
    n, t, c = x.shape
    ids = g.input([n, t], type="i64", below=11)
    found = g.op("Gather", [g.weight(g.numbers(11, c)), ids], lambda table, i: table[i], like=x, axis=0)
    return g.op("Add", [x, found], np.add)


@piece("any")
def mean(g, x):
    """The mean along the last axis, taken away."""
    y = g.op("ReduceMean", [x], lambda v: v.mean(-1, keepdims=True), shape=[*x.shape[:-1], 1], axes=[-1])
    return g.op("Sub", [x, y], np.subtract)


@piece("any")
def greatest(g, x):
    """The maximum along the second axis, without the dimension, put back."""
    y = g.op("ReduceMax", [x], lambda v: v.max(1), shape=[x.shape[0], *x.shape[2:]], axes=[1], keepdims=0)
    y = g.op("Unsqueeze", [y, g.weight(np.array([1]), "i64")], lambda v, a: v[:, None], shape=[x.shape[0], 1, *x.shape[2:]])
    return g.op("Sub", [x, y], np.subtract)


@piece("any")
def root_of_squares(g, x):
    """Vectors of the length 1, spelled."""
    y = g.op("ReduceL2", [x], lambda v: np.sqrt((v * v).sum(-1, keepdims=True)), shape=[*x.shape[:-1], 1], axes=[-1])
    return g.op("Div", [x, g.op("Add", [y, np.array(0.25)], np.add)], np.divide)


def recurrent(g, x, op, gates, step, **attributes):
    n, t, c = x.shape
    hidden = 8
    y = transpose(g, x, [1, 0, 2])
    weights = [g.numbers(1, gates * hidden, size, scale=0.25) for size in (c, hidden)] + [g.numbers(1, 2 * gates * hidden)]
    y = g.op(op, [y, *weights], lambda v, w, r, b: recurrence(v, w, r, b, [False], step), shape=[t, 1, n, hidden], hidden_size=hidden, **attributes)
    y = g.op("Squeeze", [y, g.weight(np.array([1]), "i64")], lambda v, a: v[:, 0], shape=[t, n, hidden])
    return transpose(g, y, [1, 0, 2], "rows")


@piece("rows")
def lstm(g, x):
    return recurrent(g, x, "LSTM", 4, lambda v, state, w, r, b: lstm_step(v, *state, w, r, b))


@piece("rows")
def gru(g, x):
    def step(v, state, w, r, b):
        return (gru_step(v, state[0], w, r, b, True),) * 2

    return recurrent(g, x, "GRU", 3, step, linear_before_reset=1)


@piece("any")
def masked(g, x):
    where = g.op("Greater", [x, np.array(0.0)], np.greater, type="bool")
    return g.op("Where", [where, x, times(g, x, 0.25)], np.where, like=x)


@piece("rows")
def sums_so_far(g, x):
    return times(g, g.op("CumSum", [x, g.weight(np.array(1), "i64")], lambda v, a: np.cumsum(v, 1)), 0.25)


@piece("rows")
def rotated(g, x):
    """Halves of rows the other way round, as rotary embeddings have it."""
    c = x.channels
    first, second = (g.op("Slice", [x], lambda v, at=at: v[..., at:at + c // 2], shape=[*x.shape[:2], c // 2], starts=[at], ends=[at + c // 2], axes=[2])
                     for at in (0, c // 2))
    other = g.op("Concat", [unary(g, second, "Neg", np.negative), first], lambda a, b: np.concatenate([a, b], -1), shape=x.shape, axis=-1)
    a = g.op("Mul", [x, g.numbers(c)], np.multiply)
    return g.op("Add", [a, g.op("Mul", [other, g.numbers(c)], np.multiply)], np.add)


@piece("image")
def space_to_channels(g, x):
    """Channels as blocks of 2 x 2 points."""
    n, c, h, w = x.shape
    if c % 16:
        x = conv(g, x, 16, 1)
        c = 16

    def function(v):
        n, c, h, w = v.shape
        return v.reshape(n, 2, 2, c // 4, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, c // 4, 2 * h, 2 * w)

    return g.op("DepthToSpace", [x], function, shape=[n, c // 4, plus(h, 0, 2), plus(w, 0, 2)], blocksize=2)


@piece("rows")
def dynamically_quantized(g, x):
    """A product of bytes whose scale is found in each call, as quantized transformers have it; in f32."""
    n, t, c = x.shape
    wide = x if x.type == "f32" else g.op("Cast", [x], lambda v: v, type="f32", to="f32")

    def quantize_wide(v):
        low, high = min(v.min(), 0), max(v.max(), 0)
        size = np.float64((high - low) / 255 or 1)
        zero = np.clip(np.rint(-low / size), 0, 255)
        return np.clip(np.rint(v / size) + zero, 0, 255), size, zero

    q, size, zero = g.op("DynamicQuantizeLinear", [wide], quantize_wide, like=x, type=["u8", "f32", "u8"], shape=[x.shape, [], []], jumps=True)
    weights = g.weight(g.rng.integers(-127, 128, (c, 16)), "i8")
    sums = g.op("MatMulInteger", [q, weights, zero], lambda a, w, z: (a - z) @ w, shape=[n, t, 16], type="i32")
    y = g.op("Cast", [sums], lambda v: v, type="f32", to="f32")
    y = g.op("Mul", [y, g.op("Mul", [size, g.weight(np.array(2.0**-9), "f32")], np.multiply)], np.multiply)
    return y if x.type == "f32" else g.op("Cast", [y], lambda v: v, type=x.type, to=x.type)


def product_of_few_bits(g, x, level):
    """Weights of 4 bits in blocks of 16, on rows of f32 or of 8 bits."""
    n, t, c = x.shape
    columns, blocks = 16, -(-c // 16)
    wide = x if x.type == "f32" else g.op("Cast", [x], lambda v: v, type="f32", to="f32")
    q = g.rng.integers(0, 16, (columns, blocks, 16)).astype(np.uint8)
    scales = np.exp2(g.rng.integers(-6, -4, (columns, blocks))).astype(np.float32)
    w = ((q.astype(np.float64) - 8) * scales[:, :, None]).reshape(columns, -1)[:, :c].T

    def function(v, *_):
        return (np.asarray(rounded_rows(v.astype(np.float32), 16), float) if level == 4 else v) @ w

    y = g.op("MatMulNBits", [wide, g.weight(packed(q, 4), "u8"), g.weight(scales, "f32")], function, shape=[n, t, columns], jumps=level == 4,
             K=c, N=columns, block_size=16, accuracy_level=level)
    return y if x.type == "f32" else g.op("Cast", [y], lambda v: v, type=x.type, to=x.type)


@piece("rows")
def weights_of_few_bits(g, x):
    return product_of_few_bits(g, x, 0)


@piece("rows")
def rows_of_eight_bits(g, x):
    return product_of_few_bits(g, x, 4)


@piece("rows")
def convolution_of_sequences(g, x):
    n, t, c = x.shape
    data, pads = g.numbers(8, c, 3, scale=0.25), [1, 1]
    y = g.op("Conv", [transpose(g, x, [0, 2, 1]), data, g.numbers(8)],
             lambda v, w, b: convolution(v, w, b, 1, strides=(1,), dilations=(1,), pads=pads), shape=[n, 8, t], pads=pads)
    return transpose(g, y, [0, 2, 1])


@piece("rows")
def einsum(g, x):
    return g.op("Einsum", [x, g.numbers(12, x.channels, scale=0.25)], lambda v, w: np.einsum("ntc,dc->ntd", v, w), shape=[*x.shape[:2], 12],
                equation='"ntc,dc->ntd"')


@piece("any")
def repeated(g, x):
    """Twice along the channels."""
    axis = 2 if x.form == "rows" else 1
    times_of = [2 if d == axis else 1 for d in range(len(x.shape))]
    shape = list(x.shape)
    shape[axis] *= 2
    return g.op("Tile", [x, g.weight(np.array(times_of), "i64")], lambda v, r: np.tile(v, r), shape=shape)


@piece("rows")
def greatest_four(g, x):
    """The four greatest numbers of each row, in descending order."""
    count = min(4, x.channels)
    shape = [*x.shape[:2], count]

    def function(v, k):
        order = np.argsort(-v, -1, kind="stable")[..., :count]
        return np.take_along_axis(v, order, -1), order

    values, order = g.op("TopK", [x, g.weight(np.array([count]), "i64")], function, type=[x.type, "i64"], shape=[shape, shape], axis=-1)
    places = g.op("Cast", [order], lambda i: i.astype(float), type=x.type, to=x.type)
    return g.op("Add", [values, times(g, places, 2.0**-10)], np.add)
