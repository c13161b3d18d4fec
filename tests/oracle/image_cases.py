"""Operators on images [n, c, spatial...]: Conv, pools and BatchNormalization, window by window."""
import itertools
import math

import numpy as np

import reference as ref
from cases import F32, F64, SHORT, Case, as_dtype, shape_name, special, uniform
from narrow import FORMATS
from narrow_cases import NarrowCases
from quantized_cases import integers as whole_numbers
from reference import LONG


def axis_geometry(size, kernel, stride, dilation, begin, end, auto_pad, ceil_mode=False):
    """(begin, end, number of windows) as ONNX defines them."""
    extent = (kernel - 1) * dilation + 1
    if auto_pad.startswith("SAME"):
        count = math.ceil(size / stride)
        total = max(0, (count - 1) * stride + extent - size)
        small, large = total // 2, total - total // 2
        return (small, large, count) if auto_pad == "SAME_UPPER" else (large, small, count)
    room = size + begin + end - extent
    count = (math.ceil(room / stride) if ceil_mode else room // stride) + 1
    if ceil_mode and (count - 1) * stride >= size + begin:
        count -= 1
    return begin, end, count


def geometry(sizes, kernel, strides=None, dilations=None, pads=None, auto_pad="NOTSET", ceil_mode=0):
    """For each spatial dimension, for each window, the list of its taps: (tap, place in the image or None, whether it is
    part of the padding or the image)."""
    rank = len(sizes)
    strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
    axes = []
    for i in range(rank):
        begin, end, count = axis_geometry(sizes[i], kernel[i], strides[i], dilations[i], pads[i], pads[rank + i], auto_pad, ceil_mode)
        windows = []
        for window in range(count):
            taps = []
            for tap in range(kernel[i]):
                at = window * strides[i] + tap * dilations[i] - begin
                taps.append((tap, at if 0 <= at < sizes[i] else None, at < sizes[i] + end))
            windows.append(taps)
        axes.append(windows)
    return axes


def windows_of(axes):
    """Each window's place in the result, and its taps by all dimensions: (tap, place or None, is counted)."""
    for place in itertools.product(*(range(len(axis)) for axis in axes)):
        taps = []
        for one in itertools.product(*(axes[i][p] for i, p in enumerate(place))):
            inside = all(at is not None for _, at, _ in one)
            taps.append((tuple(t for t, _, _ in one), tuple(at for _, at, _ in one) if inside else None,
                         all(counted for _, _, counted in one)))
        yield place, taps


def convolution(x, w, bias, group=1, kernel_shape=None, **window):
    """(the sums, the sums of absolute values, the number of terms) in longdouble."""
    axes = geometry(x.shape[2:], w.shape[2:], **window)
    n, out = x.shape[0], w.shape[0]
    y = np.zeros((n, out, *map(len, axes)), dtype=LONG)
    size = np.zeros_like(y)
    image = x.astype(LONG).reshape(n, group, x.shape[1] // group, *x.shape[2:])
    filters = w.astype(LONG).reshape(group, out // group, *w.shape[1:])
    for place, taps in windows_of(axes):
        for tap, at, _ in taps:
            if at is None:
                continue
            pixel, weight = image[(slice(None),) * 3 + at], filters[(slice(None),) * 3 + tap]
            terms = np.einsum("ngc,goc->ngo", pixel, weight).reshape(n, out)
            y[(slice(None),) * 2 + place] += terms
            size[(slice(None),) * 2 + place] += np.einsum("ngc,goc->ngo", abs(pixel), abs(weight)).reshape(n, out)
    if bias is not None:
        shape = (1, out) + (1,) * len(axes)
        y += bias.astype(LONG).reshape(shape)
        size += abs(bias.astype(LONG)).reshape(shape)
    return y, size, int(np.prod(w.shape[1:])) + 2


def conv_name(x, w, window):
    words = [f"{shape_name(x)}-by-{shape_name(w)}"]
    for key, value in window.items():
        words.append(f"{key}-{shape_name(value) if isinstance(value, list) else value}".replace("_", "-"))
    return "-".join(words)


def conv_case(dtype, x_shape, w_shape, has_bias=False, constants=([1, 2],), large=False, **window):
    name = conv_name(x_shape, w_shape, window)
    x, w = uniform(f"cx {x_shape}", dtype, x_shape), uniform(f"cw {w_shape}", dtype, w_shape)
    bias = uniform(f"cb {w_shape[0]}", dtype, (w_shape[0],)) if has_bias else None
    y, size, terms = convolution(x, w, bias, **window)
    bound = terms * ref.unit(dtype) * size + ref.half_ulp(y, dtype)
    inputs = [x, w] + ([bias] if has_bias else [])
    runs = [[i for i in run if i < len(inputs)] for run in constants]
    return Case(f"{SHORT[dtype]}-{'large-' if large else ''}{name}{'-bias' if has_bias else ''}", inputs, [as_dtype(y, dtype)],
                bounds=[bound], constants=runs, large=large, **window)


CONVOLUTIONS = [
    ((1, 3, 5, 7), (4, 3, 3, 3), True, {}),
    ((1, 5, 6, 5), (7, 5, 3, 3), True, {"pads": [1, 1, 1, 1]}),
    ((2, 3, 7, 6), (5, 3, 3, 2), False, {"pads": [0, 1, 2, 1], "strides": [2, 1]}),
    ((1, 4, 5, 5), (6, 4, 1, 1), True, {}),
    ((2, 4, 5, 6), (33, 4, 1, 1), True, {"strides": [2, 3]}),
    ((1, 2, 9, 8), (3, 2, 3, 3), True, {"dilations": [2, 3], "pads": [2, 3, 2, 3]}),
    ((1, 2, 9, 8), (3, 2, 3, 3), False, {"dilations": [2, 1], "strides": [1, 2]}),
    ((1, 6, 5, 6), (4, 3, 3, 3), True, {"group": 2, "pads": [1, 1, 1, 1]}),
    ((2, 6, 5, 5), (9, 2, 2, 3), False, {"group": 3, "strides": [2, 2], "dilations": [1, 2], "pads": [0, 2, 1, 2]}),
    ((1, 17, 6, 7), (17, 1, 3, 3), True, {"group": 17, "pads": [1, 1, 1, 1]}),
    ((1, 5, 7, 9), (5, 1, 3, 5), False, {"group": 5, "pads": [2, 1, 0, 3], "strides": [2, 1], "dilations": [1, 2]}),
    ((1, 3, 5, 5), (6, 1, 3, 3), True, {"group": 3, "pads": [1, 1, 1, 1]}),
    ((1, 1, 6, 6), (1, 1, 2, 2), True, {}),
    ((1, 3, 8, 7), (4, 3, 3, 3), False, {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    ((1, 3, 8, 7), (4, 3, 4, 2), True, {"auto_pad": "SAME_LOWER", "strides": [3, 1]}),
    ((1, 3, 8, 7), (4, 3, 3, 2), True, {"auto_pad": "VALID", "strides": [1, 2]}),
    ((1, 3, 1, 1), (2, 3, 1, 1), True, {}),
    ((1, 2, 1, 1), (2, 2, 3, 3), True, {"pads": [1, 1, 1, 1]}),
    ((1, 2, 3, 1), (2, 2, 2, 1), False, {"kernel_shape": [2, 1]}),
    ((1, 3, 9), (4, 3, 3), True, {"pads": [1, 1]}),
    ((2, 3, 11), (5, 3, 4), True, {"pads": [3, 0], "strides": [2], "dilations": [2]}),
    ((2, 4, 9), (4, 1, 3), False, {"group": 4, "pads": [2, 2]}),
    ((2, 4, 9), (6, 2, 3), True, {"group": 2, "auto_pad": "SAME_UPPER", "strides": [2]}),
    ((1, 8, 10), (8, 8, 1), False, {}),
    ((0, 3, 5, 5), (4, 3, 3, 3), True, {}),
    ((1, 8, 5, 6), (1, 8, 3, 3), True, {"pads": [1, 1, 1, 1]}),
    ((1, 6, 5, 6), (3, 2, 3, 3), True, {"group": 3, "pads": [1, 1, 1, 1]}),
    # Few filters over many channels.
    ((1, 19, 4, 5), (3, 19, 3, 3), True, {"pads": [1, 1, 1, 1]}),
    ((2, 37, 3, 4), (5, 37, 1, 1), True, {}),
    ((1, 21, 5, 6), (2, 21, 2, 3), False, {"strides": [2, 2], "pads": [0, 1, 1, 1]}),
    ((1, 70, 5), (9, 70, 1), True, {}),
    # Several groups in a vector.
    ((1, 24, 5, 6), (24, 4, 3, 3), True, {"group": 6, "pads": [1, 1, 1, 1]}),
    ((2, 24, 4, 5), (24, 8, 3, 2), False, {"group": 3, "strides": [2, 1], "pads": [1, 0, 1, 1]}),
    ((1, 14, 7, 4), (14, 2, 3, 3), True, {"group": 7, "pads": [2, 2, 2, 2], "dilations": [2, 2]}),
    ((1, 20, 9), (20, 4, 3), True, {"group": 5, "pads": [1, 1], "strides": [2]}),
    ((1, 16, 3, 3), (16, 8, 1, 1), False, {"group": 2}),
]
LARGE_CONVOLUTIONS = [
    ((1, 16, 14, 14), (40, 16, 3, 3), True, {"pads": [1, 1, 1, 1]}),
    ((1, 64, 7, 7), (70, 64, 3, 3), True, {"pads": [1, 1, 1, 1]}),
    ((1, 3, 33, 35), (20, 3, 7, 7), True, {"pads": [3, 3, 3, 3], "strides": [2, 2]}),
    ((2, 72, 9, 11), (37, 72, 1, 1), True, {}),
    ((1, 40, 20, 23), (40, 1, 3, 3), True, {"group": 40, "pads": [1, 1, 1, 1]}),
    ((1, 40, 15, 17), (40, 1, 5, 5), True, {"group": 40, "pads": [2, 2, 2, 2], "strides": [2, 2]}),
    ((1, 32, 12, 13), (48, 8, 3, 3), True, {"group": 4, "pads": [1, 1, 1, 1]}),
    ((1, 20, 150), (24, 20, 3), True, {"pads": [1, 1]}),
    # Windows that reach out of the image on all sides: tiles of several of its rows, of a part of one, tasks, and rows of taps
    # that are all outside.
    ((1, 8, 11, 29), (33, 8, 5, 5), True, {"pads": [2, 2, 2, 2]}),
    ((2, 12, 13, 9), (40, 12, 3, 3), False, {"pads": [2, 1, 2, 3], "strides": [2, 1], "dilations": [2, 1]}),
    ((1, 6, 4, 5), (16, 6, 3, 5), True, {"pads": [4, 6, 5, 1]}),
    ((1, 24, 10, 11), (24, 12, 3, 3), True, {"group": 2, "pads": [2, 3, 2, 3], "dilations": [2, 3]}),
    ((1, 300, 6, 6), (17, 300, 3, 3), True, {"pads": [1, 1, 1, 1]}),
    ((1, 5, 9, 9), (20, 5, 1, 1), True, {"pads": [1, 2, 0, 1], "strides": [2, 2]}),
]


def narrow_convs(format):
    maker = NarrowCases(format)
    for x_shape, w_shape, has_bias, window in CONVOLUTIONS[1:12:2] + CONVOLUTIONS[19:21]:
        label = conv_name(x_shape, w_shape, window)
        x, w = maker.random(f"cx {x_shape}", x_shape), maker.random(f"cw {w_shape}", w_shape)
        bias = maker.random(f"cb {w_shape[0]}", (w_shape[0],)) if has_bias else None
        y, size, terms = convolution(x, w, bias, **window)
        yield maker.near(label, [x, w] + ([bias] if has_bias else []), y, terms * LONG(2) ** -24 * size,
                         constants=[[1, 2] if has_bias else [1]], **window)


def conv():
    for x, w, has_bias, window in CONVOLUTIONS:
        yield conv_case(F32, x, w, has_bias, **window)
    for x, w, has_bias, window in CONVOLUTIONS[1::3]:
        yield conv_case(F64, x, w, has_bias, constants=(), **window)
    for x, w, has_bias, window in LARGE_CONVOLUTIONS:
        yield conv_case(F32, x, w, has_bias, large=True, **window)
        yield conv_case(F64, x, w, has_bias, constants=([1],), large=True, **window)
    # What is not a number reaches the windows that read it, and no others.
    x, w = uniform("conv nan", F32, (1, 2, 5, 6)), uniform("conv nan w", F32, (3, 2, 3, 3), 0.5, 2.0)
    x[0, 1, 2, 3], x[0, 0, 4, 0] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        y, size, terms = convolution(x, w, None)
    finite = np.where(np.isfinite(y), terms * ref.unit(F32) * size + ref.half_ulp(y, F32), LONG(0))
    yield Case("f32-nan", [x, w], [as_dtype(y, F32)], bounds=[finite], constants=[[1]])
    for format in FORMATS.values():
        yield from narrow_convs(format)


def pooled(x, reduce, **window):
    """reduce(the elements of each window in the image, how many count)."""
    kernel = window.pop("kernel_shape")
    window.pop("count_include_pad", None)
    axes = geometry(x.shape[2:], kernel, **window)
    y = np.zeros((*x.shape[:2], *map(len, axes)), dtype=LONG)
    for place, taps in windows_of(axes):
        inside = [x[(slice(None),) * 2 + at].astype(LONG) for _, at, _ in taps if at is not None]
        y[(slice(None),) * 2 + place] = reduce(np.array(inside), sum(counted for _, _, counted in taps))
    return y


POOLS = [
    ((1, 3, 6, 7), {"kernel_shape": [2, 2]}),
    ((1, 3, 6, 7), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ((1, 17, 5, 7), {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 2, 1]}),
    ((1, 5, 7, 8), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    ((1, 5, 7, 8), {"kernel_shape": [2, 3], "strides": [3, 2], "pads": [1, 1, 0, 1], "ceil_mode": 1}),
    ((1, 2, 9, 9), {"kernel_shape": [3, 2], "dilations": [2, 3], "pads": [1, 1, 1, 1]}),
    ((1, 2, 7, 8), {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"}),
    ((1, 2, 7, 8), {"kernel_shape": [4, 3], "strides": [1, 2], "auto_pad": "SAME_LOWER"}),
    ((1, 2, 7, 8), {"kernel_shape": [4, 3], "strides": [1, 2], "auto_pad": "VALID"}),
    ((2, 3, 11), {"kernel_shape": [3], "strides": [2], "pads": [1, 1]}),
    ((1, 1, 1, 1), {"kernel_shape": [1, 1]}),
    ((1, 3, 2, 2), {"kernel_shape": [1, 1], "strides": [2, 2]}),
    ((0, 3, 5, 5), {"kernel_shape": [2, 2]}),
]
# Rows of several vectors, which images in the graph's order are worked on along.
WIDE_POOLS = [
    ((1, 2, 6, 40), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ((2, 3, 5, 37), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    ((1, 2, 7, 64), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ((1, 2, 7, 61), {"kernel_shape": [2, 5], "strides": [1, 3], "dilations": [3, 2], "pads": [0, 2, 1, 2]}),
    ((1, 2, 5, 70), {"kernel_shape": [2, 3], "strides": [2, 4], "pads": [0, 1, 0, 1], "ceil_mode": 1}),
    ((2, 3, 50), {"kernel_shape": [4], "strides": [2], "pads": [1, 2]}),
    ((1, 3, 4, 35), {"kernel_shape": [3, 3], "pads": [2, 2, 2, 2]}),
]
POOLS += WIDE_POOLS
LARGE_POOLS = [
    ((1, 40, 28, 30), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ((2, 33, 17, 15), {"kernel_shape": [5, 5], "pads": [2, 2, 2, 2]}),
]


def pool_name(shape, window):
    return "-".join([shape_name(shape)] + [f"{k}-{shape_name(v) if isinstance(v, list) else v}".replace("_", "-")
                                           for k, v in window.items()])


def pool_cases(reduce, ulps, bound, **attributes):
    for dtype, pools in ((F32, POOLS), (F64, POOLS[1::3])):
        for large, shapes in ((False, pools), (True, LARGE_POOLS)):
            for shape, window in shapes:
                x = uniform(f"pool {shape}", dtype, shape)
                y = pooled(x, reduce, **window)
                limit = None if bound is None else [bound(x, y, window, dtype)]
                yield Case(f"{SHORT[dtype]}-{'large-' if large else ''}{pool_name(shape, {**window, **attributes})}", [x],
                           [as_dtype(y, dtype)], ulps, bounds=limit, large=large, **window, **attributes)


def specials():
    """NaN, infinities and zeros in windows of their own."""
    for dtype in (F32, F64):
        values = special(dtype)
        x = np.resize(values, (1, 2, 5, 6)).astype(dtype)
        yield f"{SHORT[dtype]}-special", x, {"kernel_shape": [2, 2], "pads": [1, 0, 0, 1]}
        x = np.resize(values, (1, 2, 5, 38)).astype(dtype)
        yield f"{SHORT[dtype]}-special-in-rows", x, {"kernel_shape": [3, 3], "strides": [1, 2], "pads": [1, 1, 1, 1]}


def largest(values, _):
    return np.max(values, axis=0)


def max_pool():
    yield from pool_cases(largest, 0, None)
    for name, x, window in specials():
        with np.errstate(invalid="ignore"):
            yield Case(name, [x], [as_dtype(pooled(x, largest, **window), x.dtype.type)], 0, **window)
    for format in FORMATS.values():
        maker = NarrowCases(format)
        for shape, window in POOLS[1:3] + WIDE_POOLS[:2]:
            x = maker.random(f"pool {shape}", shape)
            yield maker.exact(pool_name(shape, window), [x], pooled(x, largest, **window), **window)
    for dtype in (np.int8, np.uint8):
        for shape, window in POOLS[1:4] + WIDE_POOLS[:2]:
            x = whole_numbers(f"pool {shape}", dtype, shape)
            yield Case(f"{SHORT[dtype]}-{pool_name(shape, window)}", [x], [pooled(x, largest, **window).astype(dtype)], 0, **window)
    yield from max_pool_with_indices()


def places_of_largest(x, storage_order=0, **window):
    """(the largest element of each window, where the first of it is: NaN is one). ONNX counts all images' pixels, row by row or
    column by column."""
    size = x.shape[2:]
    pixels = np.arange(math.prod(size)).reshape(size, order="F" if storage_order else "C")
    images = np.arange(x.shape[0] * x.shape[1]).reshape(x.shape[:2]) * pixels.size
    axes = geometry(size, window.pop("kernel_shape"), **window)
    values, indices = (np.zeros((*x.shape[:2], *map(len, axes)), dtype=dtype) for dtype in (LONG, np.int64))
    for place, taps in windows_of(axes):
        inside = [at for _, at, _ in taps if at is not None]
        elements = np.array([x[(slice(None),) * 2 + at].astype(LONG) for at in inside])
        largest = np.max(elements, axis=0)
        first = np.argmax((elements == largest) | np.isnan(elements), axis=0)
        values[(slice(None),) * 2 + place] = largest
        indices[(slice(None),) * 2 + place] = images + np.array([pixels[at] for at in inside])[first]
    return values, indices


def places_case(name, x, dtype, **window):
    values, indices = places_of_largest(x, **window)
    values = dtype.rounded(values) if dtype in FORMATS.values() else as_dtype(values, dtype) if dtype in (F32, F64) else values.astype(dtype)
    return Case(f"{name}-indices", [x], [values, indices], **window)


def max_pool_with_indices():
    for number, (shape, window) in enumerate(POOLS + LARGE_POOLS[:1]):
        for dtype in (F32, F64, np.int8, np.uint8) if number in (1, 2, len(POOLS) - 2) else (F32,):
            x = uniform(f"places {shape}", dtype, shape) if dtype in (F32, F64) else whole_numbers(f"places {shape}", dtype, shape)
            if x.size > 40:
                x.flat[::3] = x.flat[1]  # of equal ones, the first counts
            yield places_case(f"{SHORT[dtype]}-{pool_name(shape, window)}", x, dtype, **window)
    for shape, window in (POOLS[1], POOLS[9], WIDE_POOLS[3]):
        x = uniform(f"places {shape}", F32, shape)
        yield places_case(f"f32-by-columns-{pool_name(shape, window)}", x, F32, **window, storage_order=1)
    for name, x, window in specials():
        yield places_case(name, x, x.dtype.type, **window)
    x = np.full((1, 2, 3, 40), -np.inf, F32)
    yield places_case("f32-least", x, F32, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    for format in FORMATS.values():
        for shape, window in (POOLS[1], WIDE_POOLS[0]):
            x = NarrowCases(format).random(f"places {shape}", shape)
            yield places_case(f"{format.name}-{pool_name(shape, window)}", x, format, **window)


def mean_bound(x, y, window, dtype):
    count = int(np.prod(window["kernel_shape"])) + 2
    largest_element = LONG(np.max(np.abs(x.astype(LONG)))) if x.size else LONG(0)
    return np.full(y.shape, count * ref.unit(dtype) * largest_element) + ref.half_ulp(y, dtype)


def average_pool():
    yield from pool_cases(lambda values, _: np.sum(values, axis=0) / LONG(len(values)), 0, mean_bound)
    include = lambda values, count: np.sum(values, axis=0) / LONG(count)
    yield from pool_cases(include, 0, mean_bound, count_include_pad=1)
    for format in FORMATS.values():
        maker = NarrowCases(format)
        for shape, window in POOLS[1:3] + WIDE_POOLS[:2]:
            x = maker.random(f"pool {shape}", shape)
            y = pooled(x, lambda values, _: np.sum(values, axis=0) / LONG(len(values)), **window)
            yield maker.near(pool_name(shape, window), [x], y, mean_bound(x, y, window, F32) - ref.half_ulp(y, F32), **window)


def norm_of(p):
    return lambda values, _=None, axis=0, **options: np.sum(np.abs(values) ** p, axis=axis, **options) ** (1 / LONG(p))


def norm_bound(y, count, p, dtype):
    """Of powers within 4 ulp, their sum, and a root within 4 ulp."""
    return (count + 6 + 5 * p) * ref.unit(dtype) * y + ref.half_ulp(y, dtype)


def lp_pool():
    for dtype, p, (shape, window) in ((F32, 2, POOLS[1]), (F32, 1, POOLS[2]), (F32, 3, POOLS[3]), (F32, 2, POOLS[5]), (F32, 2, POOLS[9]), (F64, 4, POOLS[1])):
        x = uniform(f"lp {shape}", dtype, shape)
        y = pooled(x, norm_of(p), **window)
        bound = norm_bound(y, int(np.prod(window["kernel_shape"])), p, dtype)
        yield Case(f"{SHORT[dtype]}-p-{p}-{pool_name(shape, window)}", [x], [as_dtype(y, dtype)], bounds=[bound], p=p, **window)
    for format in FORMATS.values():
        maker, (shape, window) = NarrowCases(format), POOLS[2]
        x = maker.random(f"lp {shape}", shape)
        y = pooled(x, norm_of(2), **window)
        yield maker.near(pool_name(shape, window), [x], y, norm_bound(y, 6, 2, F32) - ref.half_ulp(y, F32), **window)


def global_lp_pool():
    for dtype, p, shape in ((F32, 2, GLOBAL[0]), (F32, 1, GLOBAL[1]), (F32, 3, GLOBAL[3]), (F32, 2, (1, 70, 9, 13)), (F64, 2, GLOBAL[0])):
        x = uniform(f"global lp {shape}", dtype, shape)
        y = norm_of(p)(x.astype(LONG), axis=tuple(range(2, len(shape))), keepdims=True)
        bound = norm_bound(y, int(np.prod(shape[2:])), p, dtype)
        yield Case(f"{SHORT[dtype]}-p-{p}-{shape_name(shape)}", [x], [as_dtype(y, dtype)], bounds=[bound], p=p)


GLOBAL = ((1, 3, 5, 7), (2, 17, 3, 1), (1, 5, 1, 1), (2, 3, 9), (0, 2, 3, 3))


def global_pool(reduce, bounded):
    for dtype in (F32, F64):
        for shape in GLOBAL + ((1, 70, 9, 13),):
            large = shape == (1, 70, 9, 13)
            x = uniform(f"global {shape}", dtype, shape)
            axes = tuple(range(2, len(shape)))
            y = reduce(x.astype(LONG), axis=axes, keepdims=True)
            bound = [mean_bound(x, y, {"kernel_shape": shape[2:]}, dtype)] if bounded else None
            yield Case(f"{SHORT[dtype]}-{'large-' if large else ''}{shape_name(shape)}", [x], [as_dtype(y, dtype)], 0, bounds=bound, large=large)


def batch_normalization():
    for dtype, shapes in ((F32, ((1, 3, 4, 5), (2, 17, 3), (3, 5), (0, 3, 2, 2), (1, 2, 2, 3, 2))), (F64, ((1, 3, 4, 5), (3, 5)))):
        for shape in shapes:
            for attributes in ({}, {"epsilon": 0.1}):
                channels = (shape[1],)
                x = uniform(f"bn {shape}", dtype, shape)
                scale, bias, mean = (uniform(f"bn {word} {shape}", dtype, channels) for word in ("scale", "bias", "mean"))
                variance = uniform(f"bn variance {shape}", dtype, channels, 0.1, 2.0)
                per = (1, -1) + (1,) * (len(shape) - 2)
                wide = [v.astype(LONG).reshape(per) for v in (scale, bias, mean, variance)]
                # The attribute is a double; operands given at run time take it in their own type.
                factor = wide[0] / np.sqrt(wide[3] + LONG(attributes.get("epsilon", 1e-5)))
                y = (x.astype(LONG) - wide[2]) * factor + wide[1]
                size = abs(x.astype(LONG) * factor) + abs(wide[2] * factor) + abs(wide[1])
                bound = 6 * ref.unit(dtype) * size + ref.half_ulp(y, dtype)
                suffix = "-epsilon" if attributes else ""
                yield Case(f"{SHORT[dtype]}-{shape_name(shape)}{suffix}", [x, scale, bias, mean, variance], [as_dtype(y, dtype)],
                           bounds=[bound], constants=[[1, 2, 3, 4], [2, 3]], **attributes)


def lrn():
    for shape, options in (((1, 7, 3, 5), {"size": 5}), ((2, 3, 4, 4), {"size": 3, "alpha": 0.5, "beta": 0.5, "bias": 2.0}), ((1, 33, 2, 3), {"size": 4, "alpha": 1.0}),
                           ((1, 6, 9), {"size": 1, "alpha": 2.0}), ((1, 2, 3, 3), {"size": 7, "alpha": 3.0, "beta": 0.75}), ((0, 3, 2, 2), {"size": 3})):
        for dtype in (F32, F64) if shape[1] == 7 else (F32,):
            x = uniform(f"lrn {shape}", dtype, shape, -3, 3)
            size, channels = options["size"], shape[1]
            squares = np.pad(x.astype(LONG) ** 2, [(0, 0), ((size - 1) // 2, size - 1 - (size - 1) // 2)] + [(0, 0)] * (len(shape) - 2))
            total = sum(squares[:, i:i + channels] for i in range(size))
            number = lambda key, value: LONG(options.get(key, value))
            base = number("bias", 1.0) + number("alpha", 0.0001) / size * total
            y = x.astype(LONG) / base ** number("beta", 0.75)
            bound = np.abs(y) * (2 * size + 16) * ref.unit(dtype)
            yield Case(f"{SHORT[dtype]}-{shape_name(shape)}-{size}", [x], [as_dtype(y, dtype)], bounds=[bound], **options)


OPERATORS = {
    "Conv": conv,
    "LRN": lrn,
    "MaxPool": max_pool,
    "AveragePool": average_pool,
    "LpPool": lp_pool,
    "GlobalLpPool": global_lp_pool,
    "GlobalMaxPool": lambda: global_pool(np.max, False),
    "GlobalAveragePool": lambda: global_pool(np.mean, True),
    "BatchNormalization": batch_normalization,
}
