"""ConvTranspose: each element of the image adds to all results that its window covers."""
import itertools

import numpy as np

import reference as ref
from cases import F32, F64, SHORT, Case, as_dtype, shape_name, uniform
from image_cases import conv_name
from narrow import FORMATS
from narrow_cases import NarrowCases
from reference import LONG


def axis(size, kernel, stride, dilation, begin, end, more, wanted, auto_pad):
    """(results in front that are cut off, number of results) as ONNX defines them."""
    everything = stride * (size - 1) + more + (kernel - 1) * dilation + 1
    if wanted is None and not auto_pad.startswith("SAME"):
        return begin, everything - begin - end
    wanted = size * stride if wanted is None else wanted
    total = max(0, everything - wanted)
    return (total // 2 if auto_pad == "SAME_UPPER" else total - total // 2), wanted


def transposed(x, w, bias, group=1, strides=None, dilations=None, pads=None, output_padding=None, output_shape=None, auto_pad="NOTSET",
               kernel_shape=None):
    """(the sums, the sums of absolute values, the number of terms) in longdouble."""
    rank = x.ndim - 2
    strides, dilations, pads = strides or [1] * rank, dilations or [1] * rank, pads or [0] * 2 * rank
    more, wanted = output_padding or [0] * rank, output_shape or [None] * rank
    axes = [axis(x.shape[2 + i], w.shape[2 + i], strides[i], dilations[i], pads[i], pads[rank + i], more[i], wanted[i], auto_pad)
            for i in range(rank)]
    n, out = x.shape[0], w.shape[1] * group
    y = np.zeros((n, out, *(count for _, count in axes)), dtype=LONG)
    size = np.zeros_like(y)
    filters = w.astype(LONG).reshape(group, x.shape[1] // group, *w.shape[1:])
    image = x.astype(LONG).reshape(n, group, x.shape[1] // group, *x.shape[2:])
    for at in itertools.product(*map(range, x.shape[2:])):
        pixel = image[(slice(None),) * 3 + at]
        for tap in itertools.product(*map(range, w.shape[2:])):
            place = tuple(at[i] * strides[i] + tap[i] * dilations[i] - axes[i][0] for i in range(rank))
            if any(p < 0 or p >= axes[i][1] for i, p in enumerate(place)):
                continue
            weight = filters[(slice(None),) * 3 + tap]
            y[(slice(None),) * 2 + place] += np.einsum("ngc,gco->ngo", pixel, weight).reshape(n, out)
            size[(slice(None),) * 2 + place] += np.einsum("ngc,gco->ngo", abs(pixel), abs(weight)).reshape(n, out)
    if bias is not None:
        shape = (1, out) + (1,) * rank
        y += bias.astype(LONG).reshape(shape)
        size += abs(bias.astype(LONG)).reshape(shape)
    return y, size, int(np.prod(w.shape[2:])) * x.shape[1] // group + 2


def tensors(random, x_shape, w_shape, has_bias, window):
    out = w_shape[1] * window.get("group", 1)
    return [random(f"tx {x_shape}", x_shape), random(f"tw {w_shape}", w_shape)] + ([random(f"tb {out}", (out,))] if has_bias else [])


def case(dtype, x_shape, w_shape, has_bias, window, constants=(), large=False):
    inputs = tensors(lambda name, shape: uniform(name, dtype, shape), x_shape, w_shape, has_bias, window)
    y, size, terms = transposed(*inputs, *([] if has_bias else [None]), **window)
    bound = terms * ref.unit(dtype) * size + ref.half_ulp(y, dtype)
    runs = [[i for i in run if i < len(inputs)] for run in constants]
    return Case(f"{SHORT[dtype]}-{'large-' if large else ''}{conv_name(x_shape, w_shape, window)}{'-bias' if has_bias else ''}", inputs,
                [as_dtype(y, dtype)], bounds=[bound], constants=runs, large=large, **window)


SHAPES = [
    ((1, 3, 4, 5), (3, 4, 3, 3), True, {}),
    ((1, 5, 3, 4), (5, 7, 2, 2), True, {"strides": [2, 2]}),
    ((2, 3, 4, 3), (3, 5, 4, 4), True, {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ((1, 4, 3, 4), (4, 6, 3, 3), False, {"strides": [2, 2], "pads": [1, 0, 1, 2], "output_padding": [1, 0]}),
    ((1, 2, 4, 3), (2, 3, 3, 2), True, {"dilations": [2, 3], "strides": [1, 2]}),
    ((1, 2, 4, 4), (2, 3, 3, 3), False, {"dilations": [2, 2], "strides": [2, 3]}),
    ((1, 2, 2, 2), (2, 17, 2, 1), True, {"strides": [3, 4], "output_padding": [2, 0]}),
    ((1, 6, 4, 3), (6, 2, 3, 3), True, {"group": 2, "strides": [2, 1], "pads": [1, 1, 1, 1]}),
    ((1, 17, 3, 4), (17, 1, 4, 3), True, {"group": 17, "strides": [2, 2], "pads": [1, 1, 1, 0]}),
    ((1, 3, 3, 3), (3, 2, 3, 3), False, {"group": 3}),
    ((1, 2, 4, 5), (2, 3, 3, 3), True, {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    ((1, 2, 4, 5), (2, 3, 4, 2), True, {"auto_pad": "SAME_LOWER", "strides": [1, 3]}),
    ((1, 2, 3, 4), (2, 3, 3, 3), False, {"auto_pad": "VALID", "strides": [2, 1]}),
    ((1, 2, 3, 3), (2, 3, 3, 3), True, {"output_shape": [6, 8], "strides": [2, 2]}),
    ((1, 1, 1, 1), (1, 1, 1, 1), True, {}),
    ((1, 1, 2, 2), (1, 2, 1, 1), False, {"strides": [9, 9], "kernel_shape": [1, 1]}),
    ((1, 2, 2, 2), (2, 2, 12, 10), True, {"strides": [9, 8], "pads": [2, 1, 1, 2]}),
    ((1, 3, 6), (3, 4, 4), True, {"strides": [2], "pads": [1, 1]}),
    ((2, 4, 5), (4, 3, 16), True, {"strides": [8], "pads": [4, 4]}),
    ((1, 4, 5), (4, 2, 3), False, {"group": 2, "dilations": [2], "pads": [1, 0]}),
    ((0, 3, 4, 4), (3, 2, 2, 2), True, {}),
    ((1, 2, 2, 3), (2, 3, 6, 7), True, {"strides": [5, 4], "pads": [1, 0, 2, 1]}),
    ((1, 4, 2, 2), (4, 1, 5, 5), False, {"group": 4, "strides": [4, 5]}),
]
LARGE = [
    ((1, 64, 9, 11), (64, 40, 2, 2), True, {"strides": [2, 2]}),
    ((1, 40, 8, 10), (40, 33, 4, 4), True, {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    ((1, 33, 7, 9), (33, 48, 3, 3), True, {"strides": [2, 2], "pads": [1, 1, 1, 1], "output_padding": [1, 1]}),
    ((1, 40, 60), (40, 20, 16), True, {"strides": [8], "pads": [4, 4]}),
    ((1, 40, 14, 15), (40, 1, 3, 3), True, {"group": 40, "strides": [2, 2], "pads": [1, 1, 1, 1]}),
]


def narrow(format):
    maker = NarrowCases(format)
    for x_shape, w_shape, has_bias, window in SHAPES[1:4] + SHAPES[7:9]:
        inputs = tensors(maker.random, x_shape, w_shape, has_bias, window)
        y, size, terms = transposed(*inputs, *([] if has_bias else [None]), **window)
        yield maker.near(conv_name(x_shape, w_shape, window), inputs, y, terms * LONG(2) ** -24 * size,
                         constants=[[1, 2] if has_bias else [1]], **window)


def conv_transpose():
    for x_shape, w_shape, has_bias, window in SHAPES:
        yield case(F32, x_shape, w_shape, has_bias, window, constants=([1, 2],))
    for x_shape, w_shape, has_bias, window in SHAPES[1::4]:
        yield case(F64, x_shape, w_shape, has_bias, window)
    for x_shape, w_shape, has_bias, window in LARGE:
        yield case(F32, x_shape, w_shape, has_bias, window, constants=([1, 2],), large=True)
    for format in FORMATS.values():
        yield from narrow(format)


OPERATORS = {"ConvTranspose": conv_transpose}
