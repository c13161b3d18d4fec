#!/usr/bin/env python3
"""Random graphs against numpy.

Makes libraries of random graphs (shapes with primes, ones, scalars; weights or inputs; several results; results that
are used twice; products, convolutions, pooling, attention, normalization, recurrent layers, 8-bit weights and products), generates them with kgen, and compares every variant that this CPU runs with numpy in double precision.

    random_graphs.py KGEN FIRST_SEED COUNT [argument of kgen generate...]

Prints one line a seed; exits 1 if a library was not generated or a result is wrong. The folder of a failing seed is kept.
"""
import ctypes
import glob
import json
import math
import os
import subprocess

import numpy as np

import seeds

SIZES = [1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33, 40, 64, 65]
VARIANTS = ["x86-64-v2", "x86-64-v3", "x86-64-v4", "zen5"]
NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i64": np.int64, "i8": np.int8, "u8": np.uint8}
TOLERANCE = {"f32": 2e-4, "f64": 1e-10}  # relative to the largest number; narrow types: see RandomGraph.tolerance
GRAPHS = 10  # a library

erf = np.vectorize(math.erf, otypes=[float])
UNARY = {
    "Relu": lambda x: np.maximum(x, 0),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Tanh": np.tanh,
    "Gelu": lambda x: 0.5 * x * (1 + (erf(x / math.sqrt(2)) if x.size else x)),
    "Erf": lambda x: erf(x) if x.size else x,
    "Exp": np.exp,
    "Log": np.log,
    "Sqrt": np.sqrt,
    "Neg": np.negative,
    "Abs": np.abs,
    "Identity": np.copy,
}
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Max": np.maximum, "Min": np.minimum}
OPERATORS = ["MatMul"] * 4 + ["Gemm"] * 2 + ["Clip", "LeakyRelu", "Softmax", "Softmax", "Reshape", "Transpose"]
OPERATORS += ["Conv"] * 4 + ["ConvTranspose"] * 2 + ["MaxPool", "AveragePool", "Attention", "Attention", "LayerNormalization", "Concat"]
OPERATORS += ["LSTM", "GRU", "DequantizeLinear"]
OPERATORS += list(UNARY) + list(BINARY)
PRODUCTS = ("MatMul", "Gemm", "Conv", "ConvTranspose", "Attention", "LSTM", "GRU")


def nearest_bf16(x):
    """The nearest number of bf16, as a double."""
    bits = np.asarray(x, dtype=np.float32).reshape(-1).view(np.uint32)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(np.float64).reshape(np.shape(x))


def nearest(x, type):
    """The nearest number of bf16 or f16, as a double."""
    return nearest_bf16(x) if type == "bf16" else np.asarray(x, dtype=np.float32).astype(np.float16).astype(np.float64)


def stored(x, type):
    """An array as the library reads it."""
    if type != "bf16":
        return np.ascontiguousarray(x.astype(NUMPY[type]))
    upper = x.astype(np.float32).reshape(-1).view(np.uint32) >> 16
    return upper.astype(np.uint16).reshape(x.shape)


def loaded(array, type):
    if type != "bf16":
        return array
    return (array.reshape(-1).astype(np.uint32) << 16).view(np.float32).reshape(array.shape)


def windows(x, kernel, strides, dilations, pads, fill):
    """For each tap of a window its place and what all windows read there, of an image [n, c, spatial...]."""
    rank = len(kernel)
    x = np.pad(x, [(0, 0)] * 2 + list(zip(pads[:rank], pads[rank:])), constant_values=fill)
    counts = [(size - d * (k - 1) - 1) // s + 1 for size, k, s, d in zip(x.shape[2:], kernel, strides, dilations)]
    if min(counts) < 1:
        raise Unsuitable
    for tap in np.ndindex(*kernel):
        yield tap, x[(..., *(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilations, counts, strides)))]


def convolution(x, w, bias, group, **window):
    taps = windows(x, w.shape[2:], fill=0.0, **window)
    filters, total = w.reshape(group, w.shape[0] // group, *w.shape[1:]), 0.0
    for tap, pixels in taps:
        pixels = pixels.reshape(x.shape[0], group, -1, *pixels.shape[2:])
        total = total + np.einsum("ngc...,goc->ngo...", pixels, filters[(..., *tap)])
    total = total.reshape(x.shape[0], w.shape[0], *total.shape[3:])
    return total + bias.reshape(-1, *[1] * (x.ndim - 2))


def transposed_convolution(x, w, group, strides, dilations, pads):
    rank = x.ndim - 2
    sizes = [(n - 1) * s + d * (k - 1) + 1 for n, s, d, k in zip(x.shape[2:], strides, dilations, w.shape[2:])]
    if any(size - pads[i] - pads[i + rank] < 1 for i, size in enumerate(sizes)):
        raise Unsuitable
    outs = w.shape[1]
    y = np.zeros((x.shape[0], group, outs, *sizes))
    pixels, filters = x.reshape(x.shape[0], group, -1, *x.shape[2:]), w.reshape(group, -1, *w.shape[1:])
    for tap in np.ndindex(*w.shape[2:]):
        at = tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilations, x.shape[2:], strides))
        y[(..., *at)] += np.einsum("ngc...,gco->ngo...", pixels, filters[(..., *tap)])
    y = y[(..., *(slice(pads[i], size - pads[i + rank]) for i, size in enumerate(sizes)))]
    return y.reshape(x.shape[0], group * outs, *y.shape[3:])


def attention(q, k, v, is_causal):
    copies = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, copies, axis=1), np.repeat(v, copies, axis=1)
    scores = q @ k.swapaxes(2, 3) / math.sqrt(q.shape[3])
    if is_causal:
        scores = np.where(np.tri(*scores.shape[2:], dtype=bool), scores, -np.inf)
    e = np.exp(scores - scores.max(3, keepdims=True))
    return e / e.sum(3, keepdims=True) @ v


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(x, h, c, w, r, b):
    """The next h and c; `w` and `r` for the gates i, o, f, c."""
    i, o, f, g = np.split(x @ w.T + h @ r.T + sum(np.split(b, 2)), 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_step(x, h, w, r, b, linear):
    """The next h; `w` and `r` for the gates z, r, h. `linear`: the product before the reset."""
    (wz, wr, wh), (rz, rr, rh) = np.split(w, 3), np.split(r, 3)
    bz, br, bh, cz, cr, ch = np.split(b, 6)
    z, reset = sigmoid(x @ wz.T + h @ rz.T + bz + cz), sigmoid(x @ wr.T + h @ rr.T + br + cr)
    inner = reset * (h @ rh.T + ch) if linear else (reset * h) @ rh.T + ch
    return (1 - z) * np.tanh(x @ wh.T + inner + bh) + z * h


def recurrence(x, w, r, b, backward, step):
    """All h of all directions, [time, direction, batch, hidden]; `backward` for each direction; step(x, (h, c), w, r, b)."""
    y = np.zeros((x.shape[0], w.shape[0], x.shape[1], r.shape[2]))
    for d, is_backward in enumerate(backward):
        state = (np.zeros(y.shape[2:]),) * 2
        for t in range(x.shape[0])[::-1 if is_backward else 1]:
            state = step(x[t], state, w[d], r[d], b[d])
            y[t, d] = state[0]
    return y


class Unsuitable(Exception):
    """The operator does not fit the values at hand."""


class RandomGraph:
    """A graph with its values in double precision. `tensors` are inputs and weights: name -> (type, shape, is_weight)."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.type = str(rng.choice(["f32", "f64", "bf16", "f16"], p=[0.55, 0.15, 0.15, 0.15]))
        self.compute = self.type == "f32" and str(rng.choice(["", "", "bf16", "f16"]))
        self.narrow = self.type if self.type.endswith("16") else self.compute
        self.rounded = {}  # of a narrow graph: the values if every node rounds its result, or its factors
        self.values, self.tensors, self.nodes, self.used = {}, {}, [], set()
        self.integers = set()  # results of nodes that are not of the graph's type
        self.tensor(self.image() if self.chance(0.3) else tuple(self.size() for _ in range(rng.integers(0, 4))))
        for _ in range(rng.integers(2, 14)):
            self.add_node()

    def chance(self, probability):
        return self.rng.random() < probability

    def choose(self, options):
        return options[self.rng.integers(len(options))]

    def size(self):
        return int(self.choose(SIZES))

    def image(self):
        """A shape of at most 4 dimensions with few elements."""
        return tuple(int(self.choose(sizes)) for sizes in ([1, 1, 2], SIZES[:11], SIZES[:10], SIZES[:10]))

    def tensor(self, shape, data=None, type=None, weight=None):
        """A new input or weight."""
        type = type or self.type
        name = f"t{len(self.tensors)}"
        data = self.rng.uniform(-1, 1, size=shape) if data is None else data
        is_narrow = type in ("bf16", "f16")
        self.values[name] = nearest(data, type) if is_narrow else np.asarray(data, dtype=NUMPY[type]).astype(np.float64)
        self.rounded[name] = self.values[name]
        is_weight = (self.chance(0.5) and self.values[name].size > 0) if weight is None else weight
        self.tensors[name] = (type, tuple(np.shape(data)), is_weight)
        return name

    def pick(self, fits=lambda x: True):
        """An existing value, one that nobody uses yet if possible."""
        names = [n for n, v in self.values.items() if n not in self.integers and fits(v) and self.tensors.get(n, (self.type,))[0] == self.type]
        if not names:
            raise Unsuitable
        fresh = [n for n in names if n not in self.used]
        return self.choose(fresh if fresh and self.chance(0.7) else names)

    def add_node(self):
        before = dict(self.values), dict(self.tensors), dict(self.rounded), list(self.nodes)
        op = str(self.choose(OPERATORS))
        try:
            make = getattr(self, "make_" + op.lower(), lambda: self.make_simple(op))
            inputs, function, attributes = make()
            result = np.asarray(function(*(self.values[i] for i in inputs)), dtype=np.float64)
            if result.size > 200000 or not np.isfinite(result).all() or (result.size and np.abs(result).max() > 1e4):
                raise Unsuitable
        except Unsuitable:
            self.values, self.tensors, self.rounded, self.nodes = before
            return
        self.append(op, inputs, function, attributes, result)

    def append(self, op, inputs, function, attributes, result):
        """The node's name."""
        name = f"n{len(self.nodes)}"
        self.used.update(inputs)
        self.values[name] = result
        if self.narrow:
            operands = [self.rounded[i] for i in inputs]
            if self.compute and op in PRODUCTS:
                factors = 3 if op in ("LSTM", "GRU") else 2
                operands[:factors] = (nearest(x, self.compute) for x in operands[:factors])
            result = np.asarray(function(*operands), dtype=np.float64)
            self.rounded[name] = result if self.compute else nearest(result, self.type)
        text = "".join(f", {k}: {v}" for k, v in attributes.items())[2:]
        self.nodes.append(f"{{name: {name}, op: {op}, inputs: [{', '.join(inputs)}], attributes: {{{text}}}}}")
        return name

    def factor(self, shape):
        """What something is multiplied with: a new tensor, or 8-bit numbers with a scale."""
        if self.type == "f64" or self.chance(0.8):
            return self.tensor(shape)
        type = self.choose(["i8", "u8"])
        data = self.rng.integers(-128 if type == "i8" else 0, 128 if type == "i8" else 256, size=shape)
        inputs = [self.tensor(shape, data, type), self.tensor((), self.rng.uniform(0.002, 0.01))]
        if self.chance(0.7):
            inputs.append(self.tensor((), self.rng.integers(0, 100), type))

        def dequantize(x, scale, zero=0.0):
            return (x - zero) * scale

        return self.append("DequantizeLinear", inputs, dequantize, {}, dequantize(*(self.values[i] for i in inputs)))

    def make_simple(self, op):
        x = self.pick()
        if op in UNARY:
            if op == "Log" and (self.values[x] <= 1e-2).any() or op == "Sqrt" and (self.values[x] < 1e-2).any():
                raise Unsuitable
            if op == "Exp" and (self.values[x] > 10).any():
                raise Unsuitable
            return [x], UNARY[op], {}
        shape = [1 if self.chance(0.25) else s for s in self.values[x].shape]
        while shape and self.chance(0.3):
            shape = shape[1:]
        same = [n for n, v in self.values.items() if v.shape == self.values[x].shape and n not in self.tensors and n not in self.integers]
        y = self.choose(same) if same and self.chance(0.5) else self.tensor(tuple(shape))
        inputs = [x, y] if self.chance(0.6) else [y, x]
        if op == "Div" and (np.abs(self.values[inputs[1]]) < (0.25 if self.narrow else 1e-2)).any():
            raise Unsuitable
        return inputs, BINARY[op], {}

    def make_matmul(self):
        x = self.pick(lambda v: v.ndim >= 1)
        a = self.values[x]
        batch = a.shape[:-2] if a.ndim > 2 and self.chance(0.3) else ()
        if batch and self.chance(0.5):
            batch = tuple(1 if self.chance(0.5) else s for s in batch)
        y = self.factor((a.shape[-1],) if self.chance(0.07) else (*batch, a.shape[-1], self.size()))
        return [x, y], np.matmul, {}

    def make_gemm(self):
        x = self.pick(lambda v: v.ndim == 2)
        flags = {"transA": int(self.chance(0.4)), "transB": int(self.chance(0.5))}
        a = self.values[x].T if flags["transA"] else self.values[x]
        n = self.size()
        y = self.factor((n, a.shape[1]) if flags["transB"] else (a.shape[1], n))
        alpha, beta = self.choose([(1.0, 1.0), (0.5, 1.0), (1.0, 2.0), (0.0, 1.0), (1.0, 0.0)])
        inputs = [x, y]
        if self.chance(0.7):
            inputs.append(self.tensor(self.choose([(), (1,), (n,), (a.shape[0], 1), (a.shape[0], n), (1, n)])))

        def gemm(a, b, c=0.0):
            return alpha * ((a.T if flags["transA"] else a) @ (b.T if flags["transB"] else b)) + beta * c

        return inputs, gemm, {"alpha": alpha, "beta": beta, **flags}

    def make_clip(self):
        x = self.pick()
        bounds = [self.tensor((), np.float64(v), weight=True) for v in (-0.5, 0.75)]
        return [x, *bounds], np.clip, {}

    def make_leakyrelu(self):
        x = self.pick()
        return [x], lambda v: np.where(v < 0, 0.1 * v, v), {"alpha": 0.1}

    def make_softmax(self):
        x = self.pick(lambda v: v.ndim >= 1)
        rank = self.values[x].ndim
        axis = int(self.rng.integers(-rank, rank))

        def softmax(v):
            e = np.exp(v - v.max(axis, keepdims=True))
            return e / e.sum(axis, keepdims=True)

        return [x], softmax, {"axis": axis}

    def window(self, rank):
        """Kernel, strides, dilations and pads, fewer of them than the kernel reaches."""
        kernel, strides, dilations = ([int(self.choose(sizes)) for _ in range(rank)] for sizes in ([1, 2, 3, 3, 5], [1, 1, 2, 3], [1, 1, 1, 2]))
        pads = [int(self.rng.integers(0, d * (k - 1) + 1)) if self.chance(0.6) else 0 for k, d in zip(kernel * 2, dilations * 2)]
        return kernel, {"strides": strides, "dilations": dilations, "pads": pads}

    def group(self, channels):
        return int(self.choose([1, 1, channels, self.choose([d for d in range(1, channels + 1) if channels % d == 0])]))

    def make_conv(self):
        x = self.pick(lambda v: v.ndim in (3, 4) and v.size)
        channels = self.values[x].shape[1]
        kernel, window = self.window(self.values[x].ndim - 2)
        group = self.group(channels)
        outs = group * int(self.choose([1, 1, 2, 3, 16, 17] if group < 8 else [1, 1, 2, 3]))
        inputs = [x, self.tensor((outs, channels // group, *kernel))] + ([self.tensor((outs,))] if self.chance(0.6) else [])
        return inputs, lambda v, w, bias=np.zeros(1): convolution(v, w, bias, group, **window), {"group": group, **window}

    def make_convtranspose(self):
        x = self.pick(lambda v: v.ndim in (3, 4) and v.size)
        channels = self.values[x].shape[1]
        kernel, window = self.window(self.values[x].ndim - 2)
        group = self.group(channels)
        w = self.tensor((channels, int(self.choose([1, 2, 3, 16])), *kernel))
        return [x, w], lambda v, w: transposed_convolution(v, w, group, **window), {"group": group, **window}

    def make_maxpool(self):
        x = self.pick(lambda v: v.ndim in (3, 4) and v.size)
        kernel, window = self.window(self.values[x].ndim - 2)

        def pool(v):
            return np.max([pixels for _, pixels in windows(v, kernel, fill=-np.inf, **window)], axis=0)

        return [x], pool, {"kernel_shape": kernel, **window}

    def make_averagepool(self):
        x = self.pick(lambda v: v.ndim in (3, 4) and v.size)
        kernel, window = self.window(self.values[x].ndim - 2)
        whole = int(self.chance(0.5))

        def pool(v):
            with np.errstate(all="ignore"):
                return sum(p for _, p in windows(v, kernel, fill=0.0, **window)) / \
                    sum(p for _, p in windows(np.ones_like(v), kernel, fill=float(whole), **window))

        return [x], pool, {"kernel_shape": kernel, "count_include_pad": whole, **window}

    def make_attention(self):
        x = self.pick(lambda v: v.ndim == 4 and v.size)
        batch, heads, _, depth = self.values[x].shape
        fewer, keys, causal = heads if self.chance(0.7) else 1, self.size(), int(self.chance(0.4))
        k, v = self.tensor((batch, fewer, keys, depth)), self.tensor((batch, fewer, keys, self.size()))
        return [x, k, v], lambda q, k, v: attention(q, k, v, causal), {"is_causal": causal}

    def make_layernormalization(self):
        x = self.pick(lambda v: v.ndim >= 1 and v.size)
        axis = int(self.rng.integers(self.values[x].ndim))
        over, epsilon = tuple(range(axis, self.values[x].ndim)), 0.1
        scale = self.tensor(self.values[x].shape[axis:])

        def normalize(v, s):
            apart = v - v.mean(over, keepdims=True)
            return apart / np.sqrt((apart * apart).mean(over, keepdims=True) + epsilon) * s

        return [x, scale], normalize, {"axis": axis, "epsilon": epsilon}

    def make_concat(self):
        x = self.pick(lambda v: v.ndim >= 1)
        shape = self.values[x].shape
        axis = int(self.rng.integers(len(shape)))
        others = [self.tensor((*shape[:axis], self.size(), *shape[axis + 1:])) for _ in range(self.rng.integers(0, 3))]
        return [x, *others, x][:len(others) + 1 + self.chance(0.3)], lambda *v: np.concatenate(v, axis), {"axis": axis}

    def recurrent(self, gates, step, attributes):
        x = self.pick(lambda v: v.ndim == 3 and v.size and v.shape[0] <= 9)
        # Of narrow types, h is rounded after each step.
        if self.type in ("bf16", "f16") and self.values[x].shape[0] > 3:
            raise Unsuitable
        hidden, (direction, backward) = self.size(), self.choose([("forward", [False]), ("reverse", [True]), ("bidirectional", [False, True])])
        shapes = [(len(backward), gates * hidden, self.values[x].shape[2]), (len(backward), gates * hidden, hidden), (len(backward), 2 * gates * hidden)]
        inputs = [x, *(self.tensor(shape, self.rng.uniform(-0.3, 0.3, size=shape)) for shape in shapes)]
        return inputs, lambda v, w, r, b: recurrence(v, w, r, b, backward, step), {"hidden_size": hidden, "direction": direction, **attributes}

    def make_lstm(self):
        return self.recurrent(4, lambda x, state, w, r, b: lstm_step(x, *state, w, r, b), {})

    def make_gru(self):
        linear = int(self.chance(0.5))
        return self.recurrent(3, lambda x, state, w, r, b: (gru_step(x, state[0], w, r, b, linear), None), {"linear_before_reset": linear})

    def make_dequantizelinear(self):
        """Of a product of bytes, which is the same to the bit everywhere."""
        if self.type != "f32":
            raise Unsuitable
        m, k, n = self.size(), self.size(), self.size()
        limits = {"i8": (-128, 128), "u8": (0, 256)}
        inputs, types = [], [str(self.choose(list(limits))) for _ in range(3)]
        for type, shape in zip(types, ((m, k), (k, n), None)):
            if shape:
                inputs.append(self.tensor(shape, self.rng.integers(*limits[type], size=shape), type))
            inputs.append(self.tensor((), self.rng.uniform(0.01, 0.02) if shape else self.rng.uniform(0.02, 0.05) * math.sqrt(k)))
            inputs.append(self.tensor((), self.rng.integers(*limits[type]), type))

        def product(a, a_scale, a_zero, b, b_scale, b_zero, scale, zero):
            f32 = np.float32
            total = ((a - a_zero) @ (b - b_zero)).astype(np.int64).astype(f32)
            whole = np.rint(total * (f32(a_scale) * f32(b_scale) / f32(scale)))
            return np.clip(whole.astype(np.float64) + zero, limits[types[2]][0], limits[types[2]][1] - 1)

        name = self.append("QLinearMatMul", inputs, product, {}, product(*(self.values[i] for i in inputs)))
        self.integers.add(name)
        return [name, self.tensor((), np.float64(2.0 ** -5)), inputs[-1]], lambda x, scale, zero: (x - zero) * scale, {}

    def make_reshape(self):
        x = self.pick()
        total = self.values[x].size
        first = int(self.choose([d for d in range(1, total + 1) if total % d == 0]))
        shape = self.choose([(-1,), (first, -1), (1, first, total // first)])
        return [x, self.tensor((len(shape),), np.array(shape), "i64", weight=True)], lambda v, _: v.reshape(shape), {}

    def make_transpose(self):
        x = self.pick(lambda v: v.ndim >= 1)
        order = [int(d) for d in self.rng.permutation(self.values[x].ndim)]
        return [x], lambda v: v.transpose(order), {"perm": order}

    def tolerance(self, name):
        """Of a result, relative to its largest number or 1. With narrow types, nodes may or may not round: what rounding all of
        them changes says how much the graph amplifies roundings."""
        if not self.narrow:
            return TOLERANCE[self.type]
        wanted = self.values[name]
        apart = np.abs(self.rounded[name] - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0))
        return (2.0 ** -7 if self.narrow == "bf16" else 2.0 ** -10) + 8 * apart

    def results(self):
        names = [n for n in self.values if n not in self.tensors and n not in self.integers]
        return [n for n in names if n not in self.used or self.chance(0.15)]

    def inputs(self):
        return [n for n, (_, _, weight) in self.tensors.items() if not weight and n in self.used]

    def weight_source(self, name):
        """A weight's numbers in a file; bf16 needs one of safetensors."""
        type, shape, _ = self.tensors[name]
        if type != "bf16":
            file = f"{self.name}-{name}.npy"
            np.save(file, self.values[name].astype(NUMPY[type]))
            return f"file: {file}"
        file, data = f"{self.name}-{name}.safetensors", stored(self.values[name], type).tobytes()
        header = json.dumps({name: {"dtype": "BF16", "shape": shape, "data_offsets": [0, len(data)]}}).encode()
        with open(file, "wb") as out:
            out.write(len(header).to_bytes(8, "little") + header + data)
        return f"file: {file}, tensor: {name}"

    def spec(self, results):
        """The graph's part of the YAML; weights go into files. Nodes are in random order."""
        def typed(n):
            return f'"{self.tensors[n][0]}[{", ".join(map(str, self.tensors[n][1]))}]"'
        lines = [f"  - name: {self.name}"] + ([f"    compute: {self.compute}"] if self.compute else []) + [f"    inputs: {{{', '.join(f'{n}: {typed(n)}' for n in self.inputs())}}}"]
        weights = [n for n, (_, _, weight) in self.tensors.items() if weight and n in self.used]
        for i, n in enumerate(weights):
            source = self.weight_source(n)
            lines += (["    weights:"] if i == 0 else []) + [f"      {n}: {{type: {typed(n)}, {source}}}"]
        order = self.rng.permutation(len(self.nodes))
        lines += ["    nodes:"] + [f"      - {self.nodes[i]}" for i in order] + [f"    outputs: [{', '.join(results)}]"]
        return "\n".join(lines) + "\n"


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("variant", ctypes.c_char_p)]


def compare(library, graph, results, variant):
    """The largest error of a graph's results as (relative to the largest result or 1, in units of what is allowed); None if the
    CPU lacks it."""
    context, options = (ctypes.c_uint64 * 8)(), Options(ctypes.sizeof(Options), variant.encode())
    if library.fz_init(context, ctypes.byref(options)) != 0:
        return None
    size = getattr(library, f"fz_{graph.name}_workspace_size")
    size.restype = ctypes.c_size_t
    bytes_ = size(context)
    workspace = ctypes.create_string_buffer(bytes_ + 1)
    arrays = [stored(graph.values[n], graph.tensors[n][0]) for n in graph.inputs()]
    outputs = [stored(np.full(graph.values[n].shape, np.nan), graph.type) for n in results]
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays + outputs]
    status = getattr(library, f"fz_{graph.name}")(context, *pointers, workspace, ctypes.c_size_t(bytes_))
    return errors(graph, results, outputs) if status == 0 else (math.inf, math.inf)


def errors(graph, results, outputs):
    """The largest error of a graph's results as (relative to the largest result or 1, in units of what is allowed)."""
    worst = used = 0.0
    for name, output in zip(results, outputs):
        wanted = graph.values[name]
        if wanted.size:
            error = np.abs(loaded(output, graph.type) - wanted).max() / max(1.0, np.abs(wanted).max())
            error = error if error == error else math.inf
            worst, used = max(worst, error), max(used, error / graph.tolerance(name))
    return worst, used


def run(kgen, seed, arguments):
    """Whether all graphs of a seed are right; works in the current folder."""
    rng = np.random.default_rng(seed)
    graphs = [g for g in (RandomGraph(rng, f"g{i}") for i in range(GRAPHS)) if g.nodes]
    chosen = {g.name: g.results() for g in graphs}
    with open("fz.yaml", "w") as file:
        file.write(f"library: fz\ntargets: [{', '.join(VARIANTS)}]\ngraphs:\n")
        file.write("".join(g.spec(chosen[g.name]) for g in graphs))
    done = subprocess.run([kgen, "generate", "fz.yaml", "-o", "out", "--quiet", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"seed {seed}: kgen exited {done.returncode}:\n{done.stderr}")
        return False
    # Each seed has a file of its own: a library that is loaded already would be used again.
    name = os.path.abspath(f"fz{seed}.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Iout", "out/fz.c", *glob.glob("out/objects/*.o"), "-o", name], check=True)
    library, right, worst = ctypes.CDLL(name), True, {"f32": 0.0, "f64": 0.0, "bf16": 0.0, "f16": 0.0}
    for variant in VARIANTS:
        for graph in graphs:
            errors = compare(library, graph, chosen[graph.name], variant)
            if errors is None:
                continue
            error, used = errors
            if used > 1:
                print(f"seed {seed}: {graph.name} ({graph.type}) on {variant}: error {error:.3g}, {used:.3g} of the allowed")
                right = False
            worst[graph.type] = max(worst[graph.type], error)
    figures = ", ".join(f"{type} {error:.2g}" for type, error in worst.items())
    print(f"seed {seed}: {len(graphs)} graphs, largest errors: {figures}", flush=True)
    return right


if __name__ == "__main__":
    seeds.main(run, "graphs")
