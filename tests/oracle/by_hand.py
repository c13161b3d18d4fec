"""Computes the cases that people wrote by hand once more: each number written as a result is the exact one, rounded. An operator without a function
here is compared with its cases by the runs of the tests only."""
import re
from fractions import Fraction

import numpy as np
import yaml

import attention_cases
import cases
import elementwise_cases as elementwise
import image_cases
import movement_cases as movement
import narrow
import normalization_cases as normalization
import placing_cases as placing
import quantized_cases as quantized
import recurrent_cases
import reference as ref
import rotary_cases
import sampling_cases
import scattering_cases
import transposed_cases

LONG, F32, I64 = np.longdouble, np.float32, np.int64
TYPES = {name: dtype for dtype, name in cases.SHORT.items()}


def read(text):
    """Numbers of an attribute as such."""
    if isinstance(text, list):
        return [read(item) for item in text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def array(tensor):
    element, sizes = re.fullmatch(r"(\w+)\[(.*)\]", tensor["type"]).groups()
    shape = tuple(map(int, sizes.split(","))) if sizes else ()
    if element == "bf16":
        return narrow.rounded_to_bf16(np.array([float(v) for v in tensor["data"]], F32)).reshape(shape)
    kind = TYPES[element]
    numbers = [float(v) if element in ("f32", "f64") else int(v) for v in tensor["data"]]
    return np.array(numbers, kind).reshape(shape)


def wide(x):
    return x.view(np.ndarray).astype(LONG) if x.dtype.kind == "f" else x


def unary(function):
    return lambda x: function(wide(x))


def binary(function):
    return lambda *inputs: function(*map(wide, inputs))


def decimal(function, limits=(np.nan, np.inf)):
    return lambda x, bias=None: ref.by_decimal(function, limits)(x if bias is None else x + bias)


def reduction(function, empty=None):
    def reduce(x, axes=None, axis=None, keepdims=1):
        along = tuple(axes.tolist()) if axes is not None else None
        if x.size == 0 and empty is not None:
            return np.full((1,) * x.ndim if keepdims else (), empty, LONG)
        return function(wide(x), axis=along, keepdims=bool(keepdims))

    return reduce


def arg(function):
    def place(x, axis=0, keepdims=1, select_last_index=0):
        y = x.shape[axis] - 1 - function(np.flip(x, axis), axis=axis) if select_last_index else function(x, axis=axis)
        return np.asarray(np.expand_dims(y, axis) if keepdims else y, I64)

    return place


def hardmax(x, axis=-1):
    y = np.zeros_like(x)
    if x.size:
        np.put_along_axis(y, np.expand_dims(np.argmax(x, axis=axis), axis), 1, axis)
    return y


def softmax(x, axis=-1):
    return ref.softmax(x, axis)[0]


def log_softmax(x, axis=-1):
    if x.size == 0:
        return x
    x = wide(x) - np.max(wide(x), axis=axis, keepdims=True)
    return x - np.log(np.sum(np.exp(x), axis=axis, keepdims=True))


def gemm(a, b, c=None, alpha=1.0, beta=1.0, transA=0, transB=0):
    y = LONG(alpha) * (wide(a.T if transA else a) @ wide(b.T if transB else b))
    return y if c is None else y + LONG(beta) * wide(c)


def mod(a, b, fmod=0):
    return np.fmod(a, b) if fmod else np.mod(a, b)


def shift(x, places, direction):
    bits = 8 * x.itemsize
    by = np.minimum(places, bits - 1)
    return np.where(places >= bits, 0, x << by if direction == "LEFT" else x >> by).astype(x.dtype)


def squeeze(x, axes=None):
    return x.reshape(movement.squeezed(x.shape, None if axes is None else axes.tolist()))


def unsqueeze(x, axes):
    return x.reshape(movement.unsqueezed(x.shape, axes.tolist()))


def reshape(x, shape, allowzero=0):
    return x.reshape([n if n or allowzero else x.shape[i] for i, n in enumerate(shape.tolist())])


def slice_of(x, starts, ends, axes=None, steps=None):
    lists = [None if v is None else v.tolist() for v in (starts, ends, axes, steps)]
    return movement.slices(x, *lists)


def pad(x, pads, value=None, axes=None, mode="constant"):
    return movement.padded(x, pads.tolist(), axes, mode, 0 if value is None else value)


def gather_nd(x, indices, batch_dims=0):
    if batch_dims:
        return np.array([gather_nd(a, b, batch_dims - 1) for a, b in zip(x, indices)])
    return x[tuple(indices.tolist())] if indices.ndim == 1 else np.array([x[tuple(place)] for place in indices])


def scatter_elements(x, indices, updates, axis=0, reduction="none"):
    places = [(*place[:axis], indices[place], *place[axis + 1:]) for place in np.ndindex(indices.shape)]
    return scattering_cases.scattered(F32, x, updates.ravel(), places, reduction)


def tensor_scatter(cache, update, first=None, axis=-2, mode="linear"):
    return scattering_cases.with_rows(cache, update, np.zeros(len(cache), I64) if first is None else first, axis, mode)


def scatter_nd(x, indices, updates, reduction="none"):
    return scattering_cases.scattered(F32, x, updates, [tuple(place) for place in indices], reduction)


def depth_to_space(x, blocksize, mode="DCR"):
    n, c, h, w = x.shape
    parts = (blocksize, blocksize, c // blocksize ** 2) if mode == "DCR" else (c // blocksize ** 2, blocksize, blocksize)
    order = (0, 3, 4, 1, 5, 2) if mode == "DCR" else (0, 1, 4, 2, 5, 3)
    return x.reshape(n, *parts, h, w).transpose(order).reshape(n, c // blocksize ** 2, h * blocksize, w * blocksize)


def space_to_depth(x, blocksize):
    n, c, h, w = x.shape
    y = x.reshape(n, c, h // blocksize, blocksize, w // blocksize, blocksize).transpose(0, 3, 5, 1, 2, 4)
    return y.reshape(n, c * blocksize ** 2, h // blocksize, w // blocksize)


def center_crop_pad(x, shape):
    for axis, (had, size) in enumerate(zip(x.shape, shape.tolist())):
        first = max(0, had - size) // 2
        x = np.take(x, range(first, first + min(had, size)), axis)
        more = max(0, size - had)
        x = np.pad(x, [(more // 2, more - more // 2) if d == axis else (0, 0) for d in range(x.ndim)])
    return x


def one_hot(indices, depth, values, axis=-1):
    at = np.where(indices < 0, indices + depth, indices)
    y = np.where(np.arange(depth) == at[:, None], values[1], values[0]).astype(values.dtype)
    return np.moveaxis(y, -1, axis)


def reversed_sequence(x, lengths, batch_axis, time_axis):
    y = np.moveaxis(x.copy(), batch_axis, 0)
    for row, length in zip(y, lengths):
        row[:length] = row[:length][::-1].copy()
    return np.moveaxis(y, 0, batch_axis)


def cum_sum(x, axis, exclusive=0, reverse=0):
    x = np.flip(wide(x), axis) if reverse else wide(x)
    y = np.cumsum(x, axis)
    y = y - x if exclusive else y
    return np.flip(y, axis) if reverse else y


def top_k(x, k, axis=-1, largest=1):
    return placing.top_case("", F32, x, int(k[0]), axis, largest).expected


def convolution(x, w, bias=None, **window):
    return image_cases.convolution(x, w, bias, **window)[0]


def max_pool(x, **window):
    return list(image_cases.places_of_largest(x, **window))


def average_pool(x, count_include_pad=0, **window):
    return image_cases.pooled(x, lambda v, counted: np.sum(v, axis=0) / (counted if count_include_pad else len(v)), **window)


def lp_pool(x, p=2, **window):
    return image_cases.pooled(x, lambda v, _: np.sum(np.abs(v) ** LONG(p), axis=0) ** (1 / LONG(p)), **window)


def over_images(function):
    return lambda x, **attributes: function(wide(x).reshape(*x.shape[:2], -1), **attributes).reshape(*x.shape[:2], *(1,) * (x.ndim - 2))


def lp_of_images(x, p=2):
    return np.sum(np.abs(x) ** LONG(p), axis=2) ** (1 / LONG(p))


def batch_normalization(x, scale, bias, mean, variance, epsilon=1e-5):
    scale, bias, mean, variance = (wide(v).reshape(1, -1, *(1,) * (x.ndim - 2)) for v in (scale, bias, mean, variance))
    return (wide(x) - mean) * scale / np.sqrt(variance + LONG(epsilon)) + bias


def lrn(x, size, alpha=0.0001, beta=0.75, bias=1.0):
    squares = np.pad(wide(x) ** 2, [(0, 0), ((size - 1) // 2, size - 1 - (size - 1) // 2)] + [(0, 0)] * (x.ndim - 2))
    total = sum(squares[:, i:i + x.shape[1]] for i in range(size))
    return wide(x) / (LONG(bias) + LONG(alpha) / size * total) ** LONG(beta)


def from_last(centred):
    return lambda x, scale, bias=None, epsilon=1e-5: normalization.normalized(x, (x.ndim - 1,), epsilon, scale, bias, F32, centred)[0]


def by_groups(x, scale, bias, num_groups=None, epsilon=1e-5):
    groups = num_groups or x.shape[1]
    y = normalization.normalized(x.reshape(x.shape[0], groups, -1), (2,), epsilon, None, None, F32)[0].reshape(x.shape)
    scale, bias = (wide(v).reshape(1, -1, *(1,) * (x.ndim - 2)) for v in (scale, bias))
    return y * scale + bias


def mean_variance(x, axes):
    return normalization.normalized(x, tuple(axes), 1e-9, None, None, F32)[0]


def attention(q, k, v, mask=None, past_key=None, past_value=None, valid=None, is_causal=0, left_window_size=-1):
    kind = type("kind", (), {"dtype": F32, "rough": LONG(0)})
    limited = {} if valid is None and left_window_size < 0 else {"valid": valid, "left": left_window_size}
    return attention_cases.attention(q, k, v, kind, mask=mask, causal=bool(is_causal), **limited)[0]


def recurrent(operator):
    def run(*values, **attributes):
        layer = recurrent_cases.Layer(operator, LONG(2) ** -24, lambda size: LONG(0), **attributes)
        return [v[0] for v in layer.run(*values)]

    return run


def resize(x, roi=None, scales=None, sizes=None, mode="nearest", **attributes):
    counts = [int(n * s) for n, s in zip(x.shape, scales)] if scales is not None else sizes.tolist()
    axes = {d: (count, Fraction(count, n), (Fraction(0), Fraction(1))) for d, (n, count) in enumerate(zip(x.shape, counts)) if count != n}
    return placing.resized(x, axes, mode=mode, **attributes)[0]


def roi_align(x, rois, batch, output_height=1, output_width=1, sampling_ratio=0):
    return sampling_cases.aligned(x, rois, batch, height=output_height, width=output_width, ratio=sampling_ratio)


def quantize(x, scale, zero=None):
    with np.errstate(all="ignore"):
        return quantized.quantized(x / quantized.along(scale, x, 1), quantized.along(zero, x, 1), zero.dtype.type)


def dequantize(x, scale, zero=None):
    return quantized.dequantize_case("", x, scale, zero).expected


def dynamic(x):
    return quantized.dynamic_case("", x).expected


def qlinear(function):
    """Of dequantized arguments, f32."""

    def compute(a, sa, za, b, sb, zb, scale, zero):
        left, right = ((x.astype(I64) - z.astype(I64)).astype(F32) * s for x, s, z in ((a, sa, za), (b, sb, zb)))
        return quantized.quantized(np.asarray(function(left, right) / scale, F32), zero, zero.dtype.type)

    return compute


def qlinear_product(product):
    """Of integers; the scales are multiplied first."""

    def compute(a, sa, za, b, sb, zb, scale, zero, bias=None, **window):
        total = product(a.astype(I64) - za.astype(I64), b.astype(I64) - zb.astype(I64), **window)
        total = total if bias is None else total + bias.reshape(1, -1, *(1,) * (a.ndim - 2))
        return quantized.quantized(np.asarray(total.astype(F32) * (sa * sb / scale), F32), zero, zero.dtype.type)

    return compute


def whole_convolution(x, w, **window):
    return image_cases.convolution(x, w, None, **window)[0].astype(I64)


def integers_of(product):
    def compute(a, b, za=None, zb=None, **window):
        left, right = (x.astype(I64) - (0 if z is None else z.astype(I64)) for x, z in ((a, za), (b, zb)))
        return product(left, right, **window).astype(np.int32)

    return compute


def nbits(a, b, scales, K, N, bits, block_size):
    q = np.stack([b & 15, b >> 4], axis=-1).reshape(N, K).astype(I64) - 8
    return wide(a) @ (q * np.repeat(wide(scales).reshape(N, -1), block_size, axis=1)).T


def cast(x, to):
    return quantized.casts_to(wide(x) if to in quantized.NARROW else x, {**TYPES, "bf16": "bf16"}[to])


def selu(x):
    return elementwise.elu(*elementwise.SELU)(wide(x))


def where_less(x, slope):
    return np.where(wide(x) < 0, wide(x) * wide(slope), wide(x))


FUNCTIONS = {
    "Abs": np.abs, "Neg": np.negative, "Identity": np.array, "Dropout": np.array, "Not": np.logical_not,
    "Acos": unary(np.arccos), "Acosh": unary(np.arccosh), "Asin": unary(np.arcsin), "Asinh": unary(np.arcsinh), "Atan": unary(np.arctan),
    "Atanh": unary(np.arctanh), "Ceil": unary(np.ceil), "Cosh": unary(np.cosh), "Exp": unary(np.exp), "Floor": unary(np.floor), "Log": unary(np.log),
    "Round": unary(np.rint), "Sinh": unary(np.sinh), "Sqrt": unary(np.sqrt), "Tanh": unary(np.tanh), "Reciprocal": unary(lambda x: 1 / x),
    "Sin": unary(lambda x: np.where(x == 0, x, np.sin(x))), "Cos": unary(np.cos), "Tan": unary(np.tan), "Sign": unary(elementwise.sign),
    "Erf": ref.ERF, "Gelu": decimal(ref.gelu), "BiasGelu": decimal(ref.gelu), "FastGelu": decimal(ref.gelu_tanh), "Sigmoid": ref.sigmoid,
    "Celu": unary(elementwise.elu(1)), "Elu": unary(elementwise.elu(1)), "Selu": selu, "Softplus": unary(elementwise.softplus_of),
    "Mish": unary(elementwise.mish), "Softsign": unary(lambda x: x / (1 + np.abs(x))), "Swish": unary(elementwise.swish(1)),
    "QuickGelu": unary(elementwise.swish(1.702)), "ThresholdedRelu": unary(lambda x: np.where(x > 1, x, LONG(0))), "Shrink": unary(elementwise.shrunk(0.5, 0)),
    "HardSigmoid": unary(lambda x: np.clip(LONG(F32(0.2)) * x + LONG(0.5), 0, 1)), "HardSwish": unary(lambda x: x * np.clip(x / 6 + LONG(0.5), 0, 1)),
    "Relu": unary(lambda x: np.where(x < 0, LONG(0), x)), "LeakyRelu": unary(lambda x: ref.leaky_relu(x, F32(0.01))), "IsNaN": np.isnan,
    "IsInf": np.isinf,
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": cases.quotient, "Max": ref.maximum, "Min": ref.minimum,
    "Sum": lambda *x: sum(map(wide, x[1:]), wide(x[0])), "Mean": lambda *x: sum(map(wide, x[1:]), wide(x[0])) / len(x), "Mod": mod,
    "Pow": elementwise.power_of, "PRelu": where_less, "Clip": ref.clip, "Where": np.where, "BitShift": shift, "Cast": cast,
    "CastLike": lambda x, like: quantized.casts_to(x, like.dtype.type),
    "Equal": np.equal, "Less": np.less, "LessOrEqual": np.less_equal, "Greater": np.greater,
    "GreaterOrEqual": np.greater_equal, "And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor,
    "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor, "BitwiseNot": np.invert,
    "Reshape": reshape, "Flatten": lambda x, axis=1: x.reshape(movement.flattened(x.shape, axis)), "Squeeze": squeeze, "Unsqueeze": unsqueeze,
    "Transpose": lambda x, perm=None: np.transpose(x, perm), "Concat": lambda *x, axis: np.concatenate(x, axis), "Slice": slice_of, "Pad": pad,
    "Split": lambda x, sizes, axis=0: np.split(x, np.cumsum(sizes)[:-1], axis), "Tile": lambda x, repeats: np.tile(x, repeats),
    "Expand": lambda x, shape: np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape))), "Gather": lambda x, i, axis=0: np.take(x, i, axis),
    "GatherElements": lambda x, i, axis=0: np.take_along_axis(x, np.where(i < 0, i + x.shape[axis], i), axis), "GatherND": gather_nd,
    "ScatterElements": scatter_elements, "ScatterND": scatter_nd, "TensorScatter": tensor_scatter, "Shape": lambda x, start=0, end=None: np.array(x.shape[start:end], I64),
    "Size": lambda x: np.array(x.size, I64), "Range": lambda a, b, step: np.arange(a, b, step, dtype=a.dtype), "TopK": top_k, "CumSum": cum_sum,
    "ConstantOfShape": lambda shape: np.zeros(tuple(shape), F32), "EyeLike": lambda x, k=0: np.eye(*x.shape, k, F32),
    "Trilu": lambda x, k=0, upper=1: (np.triu if upper else np.tril)(x, int(k)), "OneHot": one_hot,
    "CenterCropPad": center_crop_pad, "DepthToSpace": depth_to_space, "SpaceToDepth": space_to_depth, "ReverseSequence": reversed_sequence,
    "ReduceSum": reduction(np.sum), "ReduceMean": reduction(np.mean), "ReduceProd": reduction(np.prod), "ReduceMax": reduction(np.max, -np.inf),
    "ReduceMin": reduction(np.min, np.inf), "ReduceL1": reduction(lambda x, **k: np.sum(np.abs(x), **k)),
    "ReduceL2": reduction(lambda x, **k: np.sqrt(np.sum(x * x, **k))), "ReduceSumSquare": reduction(lambda x, **k: np.sum(x * x, **k)),
    "ReduceLogSum": reduction(lambda x, **k: np.log(np.sum(x, **k))), "ReduceLogSumExp": reduction(lambda x, **k: np.logaddexp.reduce(x, **k)),
    "ArgMax": arg(np.argmax), "ArgMin": arg(np.argmin), "Hardmax": hardmax, "Softmax": softmax, "LogSoftmax": log_softmax,
    "MatMul": binary(np.matmul), "Gemm": gemm, "Einsum": lambda *x, equation: np.einsum(equation, *map(wide, x)), "MatMulNBits": nbits,
    "MatMulInteger": integers_of(np.matmul), "ConvInteger": integers_of(whole_convolution), "QLinearMatMul": qlinear_product(np.matmul),
    "QLinearConv": lambda x, sx, zx, w, sw, zw, scale, zero, bias=None: qlinear_product(whole_convolution)(x, sx, zx, w, sw, zw, scale, zero, bias),
    "QLinearAdd": qlinear(np.add), "QLinearMul": qlinear(np.multiply), "QuantizeLinear": quantize, "DequantizeLinear": dequantize,
    "DynamicQuantizeLinear": dynamic, "Conv": convolution, "ConvTranspose": lambda x, w, bias=None, **k: transposed_cases.transposed(x, w, bias, **k)[0],
    "MaxPool": max_pool, "AveragePool": average_pool, "LpPool": lp_pool, "GlobalMaxPool": over_images(lambda x: np.max(x, axis=2)),
    "GlobalAveragePool": over_images(lambda x: np.mean(x, axis=2)), "GlobalLpPool": over_images(lp_of_images), "BatchNormalization": batch_normalization,
    "LRN": lrn, "LayerNormalization": from_last(True), "RMSNormalization": from_last(False), "InstanceNormalization": by_groups,
    "GroupNormalization": by_groups, "LpNormalization": lambda x, p=2, axis=-1: normalization.lp(type("kind", (), {"dtype": F32}), x, axis, p)[0],
    "MeanVarianceNormalization": mean_variance, "Attention": attention, "RotaryEmbedding": lambda *x, **k: rotary_cases.turned(*x, **k)[0],
    "LSTM": recurrent("LSTM"), "GRU": recurrent("GRU"), "RNN": recurrent("RNN"), "Resize": resize, "Upsample": lambda x, scales: resize(x, None, scales),
    "GridSample": lambda x, grid, **k: sampling_cases.sampled(x, grid, **k), "RoiAlign": roi_align,
}


def is_right(written, exact, bounds):
    """True if the numbers are the exact ones up to a unit in the last place, or up to bounds where those are written."""
    exact = np.asarray(exact).view(np.ndarray)
    if written.shape != exact.shape:
        return False
    if written.dtype.kind != "f":
        return np.array_equal(written, exact)
    plain = written.view(np.ndarray)
    unit = np.spacing(np.where(np.isfinite(plain), np.abs(plain), 0).astype(plain.dtype)) * (2 ** 16 if narrow.format_of(written) else 1)
    with np.errstate(all="ignore"):
        near = np.abs(plain.astype(LONG) - exact) <= np.maximum(unit, 0 if bounds is None else np.reshape(bounds, plain.shape))
    return bool(np.all((np.isnan(plain) & np.isnan(exact)) | (plain == exact) | near))


def results_of(operator, case):
    inputs = []
    for tensor in case["inputs"]:
        inputs.append(None if tensor == "null" else inputs[int(tensor["same"])] if "same" in tensor else array(tensor))
    attributes = {name: read(value) for name, value in case.get("attributes", {}).items()}
    with np.errstate(all="ignore"):
        found = FUNCTIONS[operator](*inputs, **attributes)
    return found if isinstance(found, list) else [found]


def wrong(operator, lines):
    """Names of the cases whose results are others."""
    found = []
    if operator not in FUNCTIONS:
        return found
    for case in yaml.load("\n".join(lines), Loader=yaml.CBaseLoader) or []:
        bounds = [[float(v) for v in b] for b in case["bounds"]] if "bounds" in case else [None] * len(case["expected"])
        results = results_of(operator, case)
        if not all(is_right(array(tensor), exact, bound) for tensor, exact, bound in zip(case["expected"], results, bounds)):
            found.append(case["name"])
    return found
