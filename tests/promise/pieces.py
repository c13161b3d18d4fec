"""The everyday pieces of networks: each is a function of a graph and a value that returns another value of the same form."""
import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
from random_graphs import convolution, erf, gru_step, lstm_step, recurrence, sigmoid, transposed_convolution, windows  # noqa: E402

PIECES = {}


def piece(form):
    def add(function):
        PIECES[function.__name__.replace("_", "-")] = (form, function)
        return function

    return add


def softmax(x, axis=-1):
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def normalized(x, axes, epsilon):
    apart = x - x.mean(axes, keepdims=True)
    return apart / np.sqrt((apart * apart).mean(axes, keepdims=True) + epsilon)


def along_channels(x, row):
    """A weight of channels in the form that broadcasts."""
    return row if x.form == "rows" else row.reshape(-1, 1, 1)


def unary(g, x, op, function, **attributes):
    return g.op(op, [x], function, **attributes)


def times(g, x, factor):
    return g.op("Mul", [x, np.array(float(factor))], np.multiply)


def product(g, x, columns, scale=None):
    """x [n, t, c] times a matrix whose columns have about the length 1."""
    depth = x.shape[-1]
    return g.op("MatMul", [x, g.numbers(depth, columns, scale=scale or 2.0**-math.ceil(math.log2(depth) / 2))], np.matmul,
                shape=[*x.shape[:-1], columns])


def linear_of(g, x, columns):
    return g.op("Add", [product(g, x, columns), g.numbers(columns)], np.add)


def reshape(g, x, wanted, shape, form=None):
    """`wanted`: ONNX's numbers, with 0 and -1; `shape`: what comes out."""

    def function(v, to):
        return v.reshape([v.shape[i] if size == 0 else size for i, size in enumerate(to)])

    return g.op("Reshape", [x, g.weight(np.array(wanted), "i64")], function, shape=shape, form=form)


def transpose(g, x, perm, form=None):
    return g.op("Transpose", [x], lambda v: v.transpose(perm), shape=[x.shape[d] for d in perm], form=form, perm=perm)


def to_image(g, x):
    """[n, t, c] as c / 2 channels of t rows of two columns."""
    n, t, c = x.shape
    return transpose(g, reshape(g, x, [0, 0, c // 2, 2], [n, t, c // 2, 2]), [0, 2, 1, 3], "image")


def to_rows(g, x):
    n, c, h, w = x.shape
    total = h * w if isinstance(h, int) and isinstance(w, int) else f"({h})*({w})"
    return reshape(g, transpose(g, x, [0, 2, 3, 1]), [0, -1, c], [n, total, c], "rows")


@piece("rows")
def linear(g, x):
    return linear_of(g, x, int(g.rng.choice([8, 12, 16, 36])))


@piece("rows")
def gemm(g, x):
    n, t, c = x.shape
    total = n * t if isinstance(n, int) and isinstance(t, int) else f"({n})*({t})"
    flat = reshape(g, x, [-1, c], [total, c])
    columns = int(g.rng.choice([8, 20]))
    y = g.op("Gemm", [flat, g.numbers(columns, c, scale=0.25), g.numbers(columns)], lambda a, b, bias: a @ b.T + bias,
             shape=[total, columns], transB=1)
    if isinstance(n, int):
        return reshape(g, y, [n, -1, columns], [n, t, columns])
    if isinstance(t, int):
        return reshape(g, y, [-1, t, columns], [n, t, columns])
    # Both are parameters: the numbers are those of the tensor that was reshaped.
    shape = g.op("Shape", [x], lambda v: np.array(v.shape), shape=[3], type="i64")
    first = g.op("Slice", [shape], lambda v: v[:2], shape=[2], type="i64", starts=[0], ends=[2], axes=[0])
    wanted = g.op("Concat", [first, g.weight(np.array([columns]), "i64")], lambda a, b: np.concatenate([a, b]), shape=[3], type="i64", axis=0)
    return g.op("Reshape", [y, wanted], lambda v, to: v.reshape(to), shape=[n, t, columns])


@piece("any")
def scale(g, x):
    return g.op("Mul", [x, along_channels(x, g.numbers(x.channels, start=1.5))], np.multiply)


@piece("any")
def bias(g, x):
    return g.op("Add", [x, along_channels(x, g.numbers(x.channels))], np.add)


@piece("any")
def divided(g, x):
    return g.op("Div", [x, np.array(2.5)], np.divide)


@piece("any")
def negated(g, x):
    return unary(g, x, "Neg", np.negative)


@piece("rows")
def layer_normalization(g, x):
    return g.op("LayerNormalization", [x, g.numbers(x.channels, start=1), g.numbers(x.channels)], lambda v, s, b: normalized(v, -1, 0.1) * s + b,
                axis=-1, epsilon=0.1)


@piece("rows")
def rms_normalization(g, x):
    return g.op("RMSNormalization", [x, g.numbers(x.channels, start=1)],
                lambda v, s: v / np.sqrt((v * v).mean(-1, keepdims=True) + 0.1) * s, axis=-1, epsilon=0.1)


@piece("rows")
def spelled_normalization(g, x):
    """LayerNormalization as exporters take it apart."""
    mean = g.op("ReduceMean", [x], lambda v: v.mean(-1, keepdims=True), shape=[*x.shape[:2], 1], axes=[-1])
    apart = g.op("Sub", [x, mean], np.subtract)
    square = g.op("Mul", [apart, apart], np.multiply)
    variance = g.op("ReduceMean", [square], lambda v: v.mean(-1, keepdims=True), shape=mean.shape, axes=[-1])
    root = g.op("Sqrt", [g.op("Add", [variance, np.array(0.125)], np.add)], np.sqrt)
    return g.op("Mul", [g.op("Div", [apart, root], np.divide), g.numbers(x.channels, start=1)], np.multiply)


@piece("image")
def batch_normalization(g, x):
    c = x.channels
    weights = [g.numbers(c, start=1.5), g.numbers(c), g.numbers(c), g.numbers(c, start=1.5)]

    def function(v, s, b, m, variance):
        s, b, m, variance = (array.reshape(-1, 1, 1) for array in (s, b, m, variance))
        return (v - m) / np.sqrt(variance + 0.1) * s + b

    return g.op("BatchNormalization", [x, *weights], function, epsilon=0.1)


@piece("image")
def group_normalization(g, x):
    c = x.channels

    def function(v, s, b):
        grouped = normalized(v.reshape(v.shape[0], 2, -1), -1, 0.1).reshape(v.shape)
        return grouped * s.reshape(-1, 1, 1) + b.reshape(-1, 1, 1)

    return g.op("GroupNormalization", [x, g.numbers(c, start=1), g.numbers(c)], function, num_groups=2, epsilon=0.1)


@piece("image")
def instance_normalization(g, x):
    c = x.channels
    return g.op("InstanceNormalization", [x, g.numbers(c, start=1), g.numbers(c)],
                lambda v, s, b: normalized(v, (2, 3), 0.1) * s.reshape(-1, 1, 1) + b.reshape(-1, 1, 1), epsilon=0.1)


@piece("any")
def relu(g, x):
    return unary(g, x, "Relu", lambda v: np.maximum(v, 0))


@piece("any")
def gelu(g, x):
    return unary(g, x, "Gelu", lambda v: 0.5 * v * (1 + erf(v / math.sqrt(2))))


@piece("any")
def spelled_gelu(g, x):
    inner = g.op("Erf", [g.op("Div", [x, np.array(1.4140625)], np.divide)], erf)
    return times(g, g.op("Mul", [x, g.op("Add", [inner, np.array(1.0)], np.add)], np.multiply), 0.5)


@piece("any")
def silu(g, x):
    return g.op("Mul", [x, unary(g, x, "Sigmoid", sigmoid)], np.multiply)


@piece("any")
def tanh(g, x):
    return unary(g, x, "Tanh", np.tanh)


@piece("any")
def hard_swish(g, x):
    return unary(g, x, "HardSwish", lambda v: v * np.clip(v / 6 + 0.5, 0, 1))


@piece("any")
def prelu(g, x):
    return g.op("PRelu", [x, along_channels(x, g.numbers(x.channels, scale=0.5))], lambda v, slope: np.where(v < 0, v * slope, v))


@piece("rows")
def residual(g, x):
    inner = unary(g, linear_of(g, x, 2 * x.channels), "Relu", lambda v: np.maximum(v, 0))
    return g.op("Add", [linear_of(g, inner, x.channels), x], np.add)


@piece("rows")
def gate(g, x):
    wide, c = linear_of(g, x, 2 * x.channels), x.channels
    halves = [g.op("Slice", [wide], lambda v, at=at: v[..., at:at + c], shape=x.shape, starts=[at], ends=[at + c], axes=[2]) for at in (0, c)]
    return g.op("Mul", [halves[0], unary(g, halves[1], "Sigmoid", sigmoid)], np.multiply)


@piece("any")
def softmax_of_last(g, x):
    return unary(g, x, "Softmax", softmax, axis=-1)


@piece("any")
def softmax_of_second(g, x):
    return unary(g, x, "Softmax", lambda v: softmax(v, 1), axis=1)


@piece("rows")
def attention(g, x):
    """Two heads, as exporters spell them: a scale of the queries, products around a softmax."""
    n, t, c = x.shape

    def heads(columns):
        return transpose(g, reshape(g, linear_of(g, x, columns), [0, 0, 2, columns // 2], [n, t, 2, columns // 2]), [0, 2, 1, 3])

    q, k, v = times(g, heads(c), 0.5), transpose(g, heads(c), [0, 1, 3, 2]), heads(c)
    scores = g.op("MatMul", [q, k], np.matmul, shape=[n, 2, t, t])
    y = g.op("MatMul", [unary(g, scores, "Softmax", softmax, axis=-1), v], np.matmul, shape=[n, 2, t, c // 2])
    return linear_of(g, reshape(g, transpose(g, y, [0, 2, 1, 3]), [0, 0, c], [n, t, c]), c)


@piece("rows")
def attention_operator(g, x):
    q, k, v = (product(g, x, x.channels) for _ in range(3))

    def function(q, k, v):
        split = [array.reshape(*array.shape[:2], 2, -1).transpose(0, 2, 1, 3) for array in (q, k, v)]
        weights = softmax(split[0] @ split[1].swapaxes(2, 3) / math.sqrt(split[0].shape[3]))
        return (weights @ split[2]).transpose(0, 2, 1, 3).reshape(q.shape)

    return g.op("Attention", [q, k, v], function, q_num_heads=2, kv_num_heads=2)
