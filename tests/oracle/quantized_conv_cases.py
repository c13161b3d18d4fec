"""Cases of ConvInteger and QLinearConv: exact sums of integers, modulo 2^32, requantized as QLinearMatMul's are."""
import numpy as np

from cases import SHORT, Case
from image_cases import CONVOLUTIONS, LARGE_CONVOLUTIONS, conv_name, convolution
from quantized_cases import BYTES, F32, I8, I32, I64, TYPES, U8, integers, quantized, scales, wrapped


def by_filter(p, w):
    """A scale or zero point of the filter as it broadcasts over it."""
    return p.reshape(-1, *(1,) * (w.ndim - 1)) if p.size > 1 else p.reshape(())


def sums(x, w, zx, zw, **window):
    image = x.astype(I64) - (0 if zx is None else int(zx.reshape(())))
    filters = w.astype(I64) - (0 if zw is None else by_filter(zw, w).astype(I64))
    return wrapped(np.asarray(convolution(image, filters, None, **window)[0]))


def integer_case(label, x, w, zx=None, zw=None, constants=None, large=False, **window):
    inputs = [x, w, zx, zw]
    while inputs[-1] is None:
        inputs.pop()
    runs = constants or [[i for i in (1, 2, 3) if i < len(inputs) and inputs[i] is not None], [1]]
    name = "-".join((SHORT[x.dtype.type], SHORT[w.dtype.type], label))
    return Case(name, inputs, [sums(x, w, zx, zw, **window)], constants=runs, large=large, **window)


def zero_points(dtype, filters):
    """The forms that a filter's may have."""
    return (("one", integers("zw", dtype, ())), ("each", integers("zw", dtype, (filters,))))


def integer():
    for i, (sx, sw, _, window) in enumerate(CONVOLUTIONS):
        tx, tw = TYPES[i % 4]
        label, x, w = conv_name(sx, sw, window), integers(f"x {sx}", tx, sx), integers(f"w {sw}", tw, sw)
        yield integer_case(label, x, w, **window)
        form, zw = zero_points(tw, sw[0])[i % 2]
        yield integer_case(f"{label}-zero-points-{form}", x, w, integers("zx", tx, ()), zw, **window)
    sx, sw, window = (1, 3, 5, 6), (5, 3, 3, 3), {"pads": [1, 1, 1, 1]}
    for tx, tw in TYPES:
        x, w = integers("zx x", tx, sx), integers("zx w", tw, sw)
        yield integer_case("only-image", x, w, np.array(101, tx), **window)
        yield integer_case("only-filter", x, w, None, np.array(101, tw), **window)
        yield integer_case("zeros", x, w, np.array(0, tx), np.zeros(5, tw), **window)
        # Filters whose differences still are bytes, as those around 128.
        near = np.asarray(np.where(w.astype(I64) % 2 == 0, 100, 90)).astype(tw)
        yield integer_case("filters-near-zero-point", x, near, np.array(3, tx), np.array(95, tw), **window)
        # Each channel by itself, and in groups; what stands around the image is its zero point.
        for group, filters in ((16, (16, 1, 3, 3)), (2, (6, 8, 3, 3))):
            image = integers(f"zx x {group}", tx, (1, 16, 7, 9))
            yield integer_case(f"only-image-groups-{group}", image, integers(f"zx w {group}", tw, filters), np.array(101, tx), group=group, **window)
    for sx, sw, _, window in LARGE_CONVOLUTIONS:
        for tx, tw in TYPES[:2]:
            label, x, w = "large-" + conv_name(sx, sw, window), integers(f"x {sx}", tx, sx), integers(f"w {sw}", tw, sw)
            yield integer_case(label, x, w, integers("zx", tx, ()), np.array(0, tw), [[1, 2, 3]], True, **window)


def linear_case(label, x, w, zx, zw, sw, result, zero, bias=None, shrink=1.0, large=False, **window):
    sx = scales("sx", ())
    total = sums(x, w, zx, zw, **window)
    spread = max(1.0, float(np.abs(total).mean())) if total.size else 1.0
    y_scale = np.array(F32(float(sx) * float(np.median(sw)) * spread / 40 * shrink), F32)
    if bias is not None:
        total = wrapped(total.astype(I64) + bias.astype(I64).reshape(1, -1, *(1,) * (total.ndim - 2)))
    factor = sx * (by_filter(sw, w).reshape(1, -1, *(1,) * (total.ndim - 2)) if sw.size > 1 else sw.reshape(())) / y_scale
    assert factor.dtype == F32
    expected = quantized(total.astype(F32) * factor, np.array(zero, result), result)
    inputs = [x, sx, zx, w, sw, zw, y_scale, np.array(zero, result)] + ([] if bias is None else [bias])
    runs = [list(range(1, len(inputs)))] + ([] if large else [[3, 5]])
    name = "-".join((SHORT[x.dtype.type], SHORT[w.dtype.type], SHORT[result], label))
    return Case(name, inputs, [np.asarray(expected)], constants=runs, large=large, **window)


DEPTHWISE = [
    ((1, 3, 14, 14), (3, 3), {"pads": [1, 1, 1, 1]}),
    ((2, 5, 9, 7), (3, 3), {"pads": [1, 1, 1, 1]}),
    ((1, 2, 13, 31), (3, 3), {"pads": [1, 0, 0, 2], "strides": [2, 2]}),
    ((1, 1, 29, 29), (5, 5), {"pads": [2, 2, 2, 2], "strides": [2, 2]}),
    ((1, 2, 6, 70), (3, 2), {"strides": [1, 1]}),
    ((1, 2, 9, 79), (2, 3), {"pads": [0, 1, 1, 1], "strides": [1, 2]}),
]


def linear():
    for i, (sx, sw, has_bias, window) in enumerate(CONVOLUTIONS):
        tx, tw = TYPES[i % 4]
        label, x, w = conv_name(sx, sw, window), integers(f"x {sx}", tx, sx), integers(f"w {sw}", tw, sw)
        bias = integers("bias", I32, sw[:1]) // 2 ** 18 if has_bias else None
        form, zw = zero_points(tw, sw[0])[i // 2 % 2]
        yield linear_case(f"{label}-{form}", x, w, integers("zx", tx, ()), zw, scales("sw", zw.shape), BYTES[i % 2], 3, bias, **window)
    sx, sw, window = (1, 3, 5, 6), (5, 3, 3, 3), {"pads": [1, 1, 1, 1]}
    for tx, tw in TYPES:
        x, w = integers("zx x", tx, sx), integers("zx w", tw, sw)
        for result in BYTES:
            yield linear_case("no-zero-points", x, w, np.array(0, tx), np.array(0, tw), scales("sw", ()), result, 0, **window)
            yield linear_case("saturates", x, w, np.array(1, tx), np.zeros(5, tw), scales("sw", (5,)), result, 100, shrink=0.02, **window)
    # Each channel by itself between images in the order of the graph: rows that do not fill vectors, padding on each side.
    for i, (sx, kernel, window) in enumerate(DEPTHWISE):
        sw = (sx[1], 1, *kernel)
        for tx, tw in TYPES:
            label = "depthwise-" + conv_name(sx, sw, window)
            x, w, bias = integers(f"x {sx}", tx, sx), integers(f"w {sw}", tw, sw), integers("bias", I32, sw[:1]) // 2 ** 18
            yield linear_case(label, x, w, integers("zx", tx, ()), np.array(0 if tw is I8 else 128, tw), scales("sw", sw[:1]), BYTES[i % 2], 3, bias,
                              group=sx[1], **window)
    for sx, sw, _, window in LARGE_CONVOLUTIONS:
        label, x, w = "large-" + conv_name(sx, sw, window), integers(f"x {sx}", U8, sx), integers(f"w {sw}", I8, sw)
        yield linear_case(label, x, w, integers("zx", U8, ()), np.zeros(sw[0], I8), scales("sw", sw[:1]), U8, 9,
                          integers("bias", I32, sw[:1]) // 2 ** 16, large=True, **window)


OPERATORS = {"ConvInteger": integer, "QLinearConv": linear}
