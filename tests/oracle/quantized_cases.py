"""Cases of the operators on 8-bit integers, and of Cast. Their results are defined to the bit: f32 arithmetic is numpy's own, one
rounding an operation; integers are exact, modulo 2^32 where they are i32."""
import random

import numpy as np

import randoms
import stored_cases
from cases import I16, SHORT, U16, U32, U64, Case, shape_name, uniform
from narrow import FORMATS, format_of, rounded_to_bf16 as rounded

F32, F64, I8, U8, I32, I64, BOOL = np.float32, np.float64, np.int8, np.uint8, np.int32, np.int64, np.bool_
LONG = np.longdouble
BYTES = (I8, U8)
NARROW = {format.name: format for format in FORMATS.values()}


def integers(name, dtype, shape):
    """Both ends of the range are among them, if there is room."""
    info = np.iinfo(dtype)
    values = randoms.integers(f"{name} {SHORT[dtype]} {shape}", int(info.min), int(info.max) + 1, int(np.prod(shape)))
    values[1:3] = [info.min, info.max][:max(0, len(values) - 1)]
    return values.astype(dtype).reshape(shape)


def scales(name, shape, low=0.001, high=0.1):
    return np.asarray(uniform(f"scale {name} {shape}", F32, shape, low, high))


def wrapped(x):
    return np.asarray(x).astype(I64).astype(I32)


def saturated(x, dtype):
    """Of whole numbers; NaN becomes the smallest number."""
    info = np.iinfo(dtype)
    x = np.where(np.isnan(x), LONG(info.min), np.asarray(x, LONG))
    return np.asarray(np.clip(x, info.min, info.max)).astype(dtype)


def quantized(quotient, zero, dtype):
    """Of an f32, rounded to even."""
    with np.errstate(all="ignore"):
        return saturated(np.rint(quotient).astype(LONG) + (0 if zero is None else zero.astype(LONG)), dtype)


def plain(x):
    """As f32; a number of bf16 or f16 is one."""
    return np.asarray(x).view(np.ndarray).astype(F32)


def kind_of(x):
    return format_of(x).name if format_of(x) else "f32"


def along(parameter, x, axis):
    """In a shape that broadcasts along the axis."""
    if parameter is None or parameter.size == 1:
        return parameter if parameter is None else parameter.reshape(())
    if parameter.ndim == x.ndim and x.ndim > 1:
        return np.repeat(parameter, x.shape[axis] // parameter.shape[axis], axis)
    return parameter.reshape([-1 if d == axis % x.ndim else 1 for d in range(x.ndim)])


def blocks():
    """(shape, axis, elements of a block)"""
    return (((6, 21), 1, 7), ((6, 21), 0, 3), ((4, 32), -1, 16), ((2, 9, 5), 1, 3), ((3, 4), 1, 1), ((3, 4), 1, 4), ((1, 8), 1, 8))


def block_shape(shape, axis, size):
    return tuple(n // size if d == axis % len(shape) else n for d, n in enumerate(shape))


# QuantizeLinear, DequantizeLinear

EDGES = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, -1e-45, 3e38, -3e38, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 127.5, 127.4, -128.5,
         -129.0, 254.5, 255.5, 255.4, 8388609.0, -8388609.0, 1e9, -1e9, 2147483648.0, 16777217.0]


def quantize_case(label, x, scale, zero, dtype, dimension=1, constants=(), **attributes):
    with np.errstate(all="ignore"):
        quotient = plain(x) / along(plain(scale), x, dimension)
    expected = quantized(quotient, along(zero, x, dimension), dtype)
    kind = kind_of(x)
    inputs = [x, scale] + ([] if zero is None else [zero])
    everything = [[1, 2], [2]] if zero is not None else [[1]]
    return Case(f"{kind}-{SHORT[dtype]}-{label}", inputs, [expected], constants=constants or everything, **attributes)


def quantize():
    edges = np.array(EDGES, dtype=F32)
    for dtype in BYTES:
        for shape in ((), (1,), (17,), (5, 7), (2, 3, 33), (0,), (4, 0, 3)):
            x = uniform(f"q {shape}", F32, shape, -20, 20)
            yield quantize_case(shape_name(shape), x, F32(0.125).reshape(()), np.array(7, dtype), dtype)
        for zero in dict.fromkeys((0, 1, np.iinfo(dtype).min, np.iinfo(dtype).max)):
            for scale in (1.0, 0.1, -0.5):
                yield quantize_case(f"edges-{scale}-{zero}", edges, np.array(scale, F32), np.array([zero], dtype).reshape(()), dtype)
        x = np.concatenate([uniform("q axis", F32, (59,), -30, 30), np.array(EDGES, F32)[:4]]).reshape(9, 7).astype(F32)
        for axis in (0, 1, -1, -2):
            n = x.shape[axis]
            label = f"9x7-axis-{axis}"
            attributes = {} if axis == 1 else {"axis": axis}
            yield quantize_case(label, x, scales("q", (n,)), integers("q", dtype, (n,)), dtype, axis, **attributes)
        x = uniform("q middle", F32, (3, 5, 2, 9), -30, 30)
        yield quantize_case("3x5x2x9-axis-1", x, scales("m", (5,)), integers("m", dtype, (5,)), dtype, 1)
        yield quantize_case("3x5x2x9-axis-2-one", x, scales("o", (1,)), integers("o", dtype, (1,)), dtype, 2, axis=2)
        for shape, axis, size in blocks():
            x, s = uniform(f"q blocks {shape}", F32, shape, -20, 20), block_shape(shape, axis, size)
            yield quantize_case(f"{shape_name(shape)}-axis-{axis}-blocks-of-{size}", x, scales("qb", s), integers("qb", dtype, s), dtype, axis,
                                axis=axis, block_size=size)
        for kind, format in NARROW.items():
            b = format.rounded(uniform(f"q {kind}", F32, (5, 19), -20, 20))
            yield quantize_case("5x19", b, format.rounded(np.array(0.1, F32)), np.array(-3 % 128, dtype), dtype)
            yield quantize_case("axis-0", b, format.rounded(scales("qb", (5,))), integers("qb", dtype, (5,)), dtype, 0, axis=0)
            yield quantize_case("edges", format.rounded(edges), format.rounded(np.array(1.0, F32)), np.array(2, dtype), dtype)
    yield quantize_case("default-type", edges, np.array(0.5, F32), None, U8)
    yield quantize_case("asked-for", edges, np.array(0.5, F32), None, I8, output_dtype="i8")
    yield quantize_case("asked-for-twice", edges, np.array(0.5, F32), np.array(3, I8), I8, output_dtype="i8")
    yield quantize_case("scale-0", edges, np.array(0.0, F32), np.array(3, U8), U8)
    yield quantize_case("scale-inf-nan", edges[:2].reshape(1, 2), np.array([np.inf, np.nan], F32), np.array([3, 4], U8), U8)


def dequantize_case(label, x, scale, zero, dimension=1, **attributes):
    difference = wrapped(x.astype(I64) - (0 if zero is None else along(zero, x, dimension).astype(I64)))
    with np.errstate(all="ignore"):
        product = np.asarray(difference).astype(F32) * along(plain(scale), x, dimension)
    kind = kind_of(scale)
    expected = NARROW[kind].rounded(product) if kind in NARROW else np.asarray(product, F32)
    inputs = [x, scale] + ([] if zero is None else [zero])
    return Case(f"{SHORT[x.dtype.type]}-{kind}-{label}", inputs, [expected], constants=[list(range(1, len(inputs)))], **attributes)


def dequantize():
    for dtype in (I8, U8, I32):
        every = np.arange(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, dtype=I64).astype(dtype) if dtype != I32 else \
            np.array([-2 ** 31, 2 ** 31 - 1, 0, 1, -1, 2 ** 24 + 1, -2 ** 24 - 3, 123456789], I32)
        yield dequantize_case("every" if dtype != I32 else "limits", every, np.array(0.1, F32), np.array(5, dtype))
        yield dequantize_case("no-zero-point", every[::3].copy(), np.array(0.37, F32), None)
        yield dequantize_case("zero-point-0", every[::5].copy(), np.array(np.inf, F32), np.array(0, dtype))
        for shape in ((), (1,), (19,), (3, 5, 2), (0, 3)):
            yield dequantize_case(shape_name(shape), integers("d", dtype, shape), np.array(0.05, F32), np.array(100, dtype))
        for axis in (0, 1, -1):
            x = integers("d axis", dtype, (6, 21))
            n = x.shape[axis]
            yield dequantize_case(f"6x21-axis-{axis}", x, scales("d", (n,)), integers("dz", dtype, (n,)), axis,
                                  **({} if axis == 1 else {"axis": axis}))
        for shape, axis, size in blocks():
            x, s = integers(f"d blocks {shape}", dtype, shape), block_shape(shape, axis, size)
            yield dequantize_case(f"{shape_name(shape)}-axis-{axis}-blocks-of-{size}", x, scales("db", s), integers("dbz", dtype, s), axis,
                                  axis=axis, block_size=size)
        x = integers("d bf16", dtype, (4, 18))
        for format in NARROW.values():
            yield dequantize_case("4x18", x, format.rounded(np.array(0.3, F32)), np.array(9, dtype))
            yield dequantize_case("4x18-axis-1", x, format.rounded(scales("db", (18,))), integers("db", dtype, (18,)))
        yield dequantize_case("one-dimension-of-one", x, scales("one", (1,)), integers("one", dtype, (1,)))


# DynamicQuantizeLinear

def dynamic_case(label, x, **options):
    with np.errstate(all="ignore"):
        low, high = np.min(x, initial=F32(0)), np.max(x, initial=F32(0))
        spread = F32(high) - F32(low)
        scale = F32(1) if spread == 0 else F32(spread / F32(255))
        zero = quantized(np.asarray(-(F32(low) / scale)), None, U8)
        y = quantized(x / scale, zero, U8)
    return Case(label, [x], [y, np.array(scale, F32), zero], **options)


def dynamic():
    for shape in ((), (1,), (7,), (17,), (5, 7), (2, 3, 33), (129,), (0,), (3, 0)):
        yield dynamic_case(shape_name(shape), uniform(f"dyn {shape}", F32, shape, -2, 3))
    yield dynamic_case("positive", uniform("dyn p", F32, (37,), 1, 3))
    yield dynamic_case("negative", uniform("dyn n", F32, (37,), -3, -1))
    yield dynamic_case("zeros", np.zeros((2, 9), F32))
    yield dynamic_case("negative-zeros", -np.zeros((17,), F32))
    yield dynamic_case("one-subnormal", np.array([0, 1e-45, 0], F32))
    yield dynamic_case("overflow", np.array([3e38, -3e38, 1, 0], F32))
    yield dynamic_case("ties", np.array([0, 255, 0.5, 1.5, 2.5, 253.5, 254.5], F32))
    for name, value in (("nan", np.nan), ("inf", np.inf), ("minus-inf", -np.inf)):
        x = uniform("dyn special", F32, (41,), -2, 3)
        x[23] = value
        yield dynamic_case(name, x)
    yield dynamic_case("large", uniform("dyn large", F32, (67, 301), -2, 3), large=True)


# MatMulInteger, QLinearMatMul

def integer_product(a, b, za, zb):
    """As [.., m, n] of matrices; zero points broadcast over them."""
    left = a.astype(I64) - (0 if za is None else parameter(za, a, True).astype(I64))
    right = b.astype(I64) - (0 if zb is None else parameter(zb, b, False).astype(I64))
    return wrapped(np.matmul(left, right))


def parameter(p, matrix, is_left):
    if p.size == 1:
        return p.reshape(())
    return p.reshape(-1, 1) if is_left and p.ndim == 1 else p


def integer_case(label, a, b, za=None, zb=None, large=False):
    inputs = [a, b, za, zb]
    while inputs[-1] is None:
        inputs.pop()
    present = [i for i in range(len(inputs)) if inputs[i] is not None]
    constants = [[1], present[1:]] if len(present) > 2 else [[1], [0]]
    name = "-".join((SHORT[a.dtype.type], SHORT[b.dtype.type], label))
    return Case(name, inputs, [np.asarray(integer_product(a, b, za, zb))], constants=constants[-1:] if large else constants, large=large)


PRODUCTS = (((4, 8), (8, 4)), ((7, 13), (13, 5)), ((1, 9), (9, 17)), ((19, 9), (9, 1)), ((5, 1), (1, 6)), ((1, 1), (1, 1)),
            ((1, 1), (1, 37)), ((13, 3), (3, 18)), ((3, 64), (64, 3)), ((8,), (8,)), ((8,), (8, 5)), ((5, 8), (8,)), ((2, 3, 8), (8,)),
            ((2, 5, 4), (2, 4, 3)), ((2, 5, 4), (4, 3)), ((5, 4), (2, 4, 3)), ((2, 1, 5, 4), (3, 4, 2)), ((3, 0), (0, 4)), ((0, 3), (3, 4)),
            ((3, 4), (4, 0)))
TYPES = ((U8, I8), (U8, U8), (I8, I8), (I8, U8))


def zero_points(name, dtype, matrix, is_left):
    """The forms that a zero point may have for a matrix: one, a vector, and the matrix's shape with 1 for the depth."""
    count = matrix[-2 if is_left else -1]
    deep = list(matrix)
    deep[-1 if is_left else -2] = 1
    return (("one", integers(name, dtype, ())), ("each", integers(name, dtype, (count,))), ("whole", integers(name, dtype, tuple(deep))))


def integer():
    for i, (sa, sb) in enumerate(PRODUCTS):
        for left, right in TYPES if i < 2 else (TYPES[i % 4],):
            a, b = integers(f"a {sa}", left, sa), integers(f"b {sb}", right, sb)
            label = f"{shape_name(sa)}-{shape_name(sb)}"
            yield integer_case(label, a, b)
            yield integer_case(f"{label}-zero-points", a, b, integers("za", left, ()), integers("zb", right, ()))
    for left, right in TYPES:
        a, b = integers("za a", left, (6, 11)), integers("za b", right, (11, 19))
        yield integer_case("only-a", a, b, np.array(101, left))
        yield integer_case("only-b", a, b, None, np.array(101, right))
        yield integer_case("zeros", a, b, np.array(0, left), np.zeros(19, right))
        for la, za in zero_points("fa", left, a.shape, True):
            for lb, zb in zero_points("fb", right, b.shape, False):
                if la == lb or (left, right) == (U8, I8):
                    yield integer_case(f"a-{la}-b-{lb}", a, b, za, zb)
    a, b = integers("batch a", U8, (2, 3, 7)), integers("batch b", I8, (2, 7, 5))
    for la, za in zero_points("ba", U8, a.shape, True):
        for lb, zb in zero_points("bb", I8, b.shape, False):
            yield integer_case(f"batch-a-{la}-b-{lb}", a, b, za, zb)
    b = integers("one b", I8, (7, 5))
    for la, za in zero_points("ra", U8, a.shape, True):
        yield integer_case(f"rows-of-batches-a-{la}", a, b, za, np.array(-7, I8))
    yield integer_case("zero-points-without-depth", np.zeros((3, 0), U8), np.zeros((0, 4), I8), np.array(3, U8), np.array(4, I8))
    a = integers("same", I8, (6, 6))
    yield Case("same-tensor", [a, 0], [integer_product(a, a, None, None)])
    for m, k, n in ((5, 257, 33), (48, 96, 64), (1, 767, 65), (33, 64, 130), (64, 129, 48), (16, 2, 31), (127, 129, 131)):
        for left, right in TYPES if k == 257 else TYPES[:2]:
            a, b = integers(f"la {m} {k}", left, (m, k)), integers(f"lb {k} {n}", right, (k, n))
            yield integer_case(f"large-{m}x{k}x{n}", a, b, large=True)
            yield integer_case(f"large-{m}x{k}x{n}-zero-points", a, b, integers("lza", left, ()), integers("lzb", right, (n,)), large=True)
    for left, right in TYPES:
        ends = [(np.iinfo(left).max, np.iinfo(right).max), (np.iinfo(left).max, np.iinfo(right).min), (np.iinfo(left).min, np.iinfo(right).min)]
        for x, y in ends:
            a, b = np.full((7, 768), x, left), np.full((768, 19), y, right)
            yield integer_case(f"large-ends-{x}-{y}", a, b, np.array(np.iinfo(left).min, left), np.array(np.iinfo(right).max, right), large=True)


    for left in BYTES:  # whole layers, and as many products of the largest numbers
        a, b = integers("layer a", left, (256, 768)), integers("layer b", I8, (768, 768))
        a[200:203], b[:, 500:503] = np.iinfo(left).max, 127
        yield integer_case("large-256x768x768", a, b, integers("layer z", left, ()), large=True)


def linear_case(label, a, b, parameters, y_scale, y_zero, large=False):
    (sa, za), (sb, zb) = parameters
    total = integer_product(a, b, za, zb).astype(F32)
    with np.errstate(all="ignore"):
        factor = parameter(plain(sa), a, True) * parameter(plain(sb), b, False) / plain(y_scale).reshape(())
        assert factor.dtype == F32
        expected = quantized(total * factor, y_zero.reshape(()), y_zero.dtype.type)
    inputs = [a, sa, za, b, sb, zb, y_scale, y_zero]
    constants = [[1, 2, 3, 4, 5, 6, 7]] + ([] if large else [[3, 4, 5]])
    name = "-".join((*(SHORT[t.dtype.type] for t in (a, b, y_zero)), label))
    return Case(name, inputs, [np.asarray(expected)], constants=constants, large=large)


def matching_scales(name, zero):
    return scales(name, zero.shape)


def scale_of_result(sa, sb, depth):
    """So that results fill the type and some saturate."""
    return np.array(F32(float(np.median(sa)) * float(np.median(sb)) * 6000 * np.sqrt(depth) / 110), F32)


def linear():
    def one(label, sa, sb, left, right, result, za, zb, zero=3, shrink=1.0, large=False):
        a, b = integers(f"qa {sa}", left, sa), integers(f"qb {sb}", right, sb)
        pa, pb = matching_scales("qsa", za), matching_scales("qsb", zb)
        y = np.asarray(scale_of_result(pa, pb, max(1, sa[-1])) * F32(shrink))
        return linear_case(label, a, b, ((pa, za), (pb, zb)), y, np.array(zero, result), large)

    for i, (sa, sb) in enumerate(PRODUCTS):
        left, right = TYPES[i % 4]
        yield one(f"{shape_name(sa)}-{shape_name(sb)}", sa, sb, left, right, BYTES[i % 2], integers("qza", left, ()), integers("qzb", right, ()))
    for left, right in TYPES:
        for result in BYTES:
            shapes = (6, 11), (11, 19)
            yield one("no-zero-points", *shapes, left, right, result, np.array(0, left), np.array(0, right), 0)
            yield one("saturates", *shapes, left, right, result, np.array(1, left), np.array(2, right), 100, 0.02)
            for la, za in zero_points("qfa", left, shapes[0], True):
                for lb, zb in zero_points("qfb", right, shapes[1], False):
                    if (left, right, result) == (U8, I8, U8) or (la == lb and result == left):
                        yield one(f"a-{la}-b-{lb}", *shapes, left, right, result, za, zb)
    # Every tie: sums 0, 1, 2, ... times a half.
    a, b = np.arange(32, dtype=U8).reshape(32, 1), np.array([[1, -1, 3]], I8)
    one_half = (np.array(0.5, F32), np.array(0, U8)), (np.array(1.0, F32), np.array(0, I8))
    yield linear_case("ties", a, b, one_half, np.array(1.0, F32), np.array(1, I8))
    for value in (0.0, np.inf, np.nan):
        yield linear_case(f"scale-{value}", a, b, one_half, np.array(value, F32), np.array(9, U8))
    a, b = integers("qbatch a", U8, (2, 3, 7)), integers("qbatch b", I8, (2, 7, 5))
    for la, za in zero_points("qba", U8, a.shape, True):
        for lb, zb in zero_points("qbb", I8, b.shape, False):
            pair = (matching_scales("qba", za), za), (matching_scales("qbb", zb), zb)
            yield linear_case(f"batch-a-{la}-b-{lb}", a, b, pair, scale_of_result(pair[0][0], pair[1][0], 7), np.array(-5, I8))
    yield one("large-256x768x768-by-column", (256, 768), (768, 768), U8, I8, I8, integers("lqa", U8, ()), np.zeros(768, I8), large=True)
    # Scales of narrow types: one, one for each column, and for rows and columns both, which are multiplied for each element.
    a, b = integers("narrow a", U8, (6, 11)), integers("narrow b", I8, (11, 19))
    for kind, format in NARROW.items():
        for za, zb in ((integers("nza", U8, ()), np.zeros((), I8)), (integers("nza", U8, ()), integers("nzb", I8, (19,))),
                       (integers("nza", U8, (6,)), integers("nzb", I8, (19,)))):
            sa, sb = format.rounded(matching_scales("nsa", za)), format.rounded(matching_scales("nsb", zb))
            y = format.rounded(scale_of_result(sa, sb, 11))
            yield linear_case(f"{kind}-scales-a-{za.size}-b-{zb.size}", a, b, ((sa, za), (sb, zb)), y, np.array(3, U8))
    for m, k, n in ((5, 257, 33), (48, 96, 64), (1, 767, 65), (64, 768, 48)):
        for left, right in TYPES:
            label = f"large-{m}x{k}x{n}"
            yield one(label, (m, k), (k, n), left, right, left, integers("lqa", left, ()), np.array(0, right), large=True)
            yield one(f"{label}-by-column", (m, k), (k, n), left, right, right, integers("lqa", left, ()), integers("lqb", right, (n,)), large=True)


# Cast

def casts_to(x, to):
    """x, whose numbers are exact, as another type."""
    y = np.asarray(x).view(np.ndarray)
    if to in NARROW:
        return NARROW[to].rounded(y.astype(LONG))
    with np.errstate(all="ignore"):
        if to == BOOL:
            return y != 0
        if np.issubdtype(to, np.floating):
            return y.astype(LONG).astype(to) if y.dtype != to else y
        if not np.issubdtype(y.dtype, np.floating):
            return y.astype(to)
        info = np.iinfo(to)
        whole = [0 if np.isnan(v) else info.max if v >= info.max else info.min if v <= info.min else int(v) for v in y.ravel()]
        return np.array(whole, dtype=to).reshape(y.shape)


def numbers_to_cast(kind):
    """What each type has that is hard for another one."""
    edges = EDGES + [0.1, -0.1, 0.99999994, -0.99999994, 1e-40, 65519.0, 65520.0, 2147483520.0, -2147483648.0, 9.2e18, -9.2e18, 9223372036854775808.0,
                     -9223372036854775808.0, 1.00390625, 1.01171875]
    if kind == "bf16":
        return rounded(np.array(edges, F32))
    if kind == "f16":  # subnormals, the largest number, neighbours
        return NARROW[kind].rounded(np.array(edges + [6e-8, -1e-7, 6.1e-5, 65504.0, -65504.0, 1.0009765625, 2047.0, 2049.0], F32))
    # What lies between two numbers of f16, and at its ends.
    edges += [1.00048828125, 1.0014648437, 2.0 ** -25, 2.0 ** -25 * 1.5, 2.0 ** -24 * 1.5, 65519.996, -65520.0, 32784.0, 32752.0, 2049.0, 2051.0]
    if kind == F32:
        return np.array(edges, F32)
    if kind == F64:  # ties that are none, 2 ^ -30 beside them; what is too much for f32
        return np.array(edges + [1 + 2.0 ** -8 + 2.0 ** -40, 1 + 2.0 ** -8 - 2.0 ** -40, -1 - 3 * 2.0 ** -8 + 2.0 ** -45, 1 + 2.0 ** -24, 1e300, 1 + 2.0 ** -11 + 2.0 ** -40,
                                 1 + 2.0 ** -11 - 2.0 ** -40, 2.0 ** -25 * (1 + 2.0 ** -50), 65520 - 2.0 ** -20,
                                 -1e300, 1e-310, -1e-310, 2147483647.5, -2147483648.5, -2147483649.0, 3.4e38 * (1 + 2.0 ** -20), 2.0 ** -149 * 0.75,
                                 2.0 ** -134 * (1 + 2.0 ** -50), 3.3961775292304957e38], F64)
    if kind == BOOL:
        return np.array([i % 3 == 0 for i in range(37)], BOOL)
    info = np.iinfo(kind)
    values = [info.min, info.max, 0, 1, info.max - 1, info.min + 1]
    if kind in (U16, U32, U64):
        values += [info.max // 2, info.max // 2 + 1, info.max // 2 + 2, 2049, 2051, 65504, 65519, 65520, 32784, 257, 385]
    if kind in (U32, U64):
        values += [2 ** 24 + 1, 2 ** 24 + 3, 2 ** 30 + 2 ** 22 + 1, 2 ** 31 + 2 ** 7, 2 ** 31 + 2 ** 7 + 1, 2 ** 31 + 3 * 2 ** 7, 2 ** 31 + 2 ** 23 + 1, 2 ** 32 - 129, 2 ** 32 - 127]
    if kind == U64:
        values += [2 ** 53 + 1, 2 ** 62 + 2 ** 38 + 1, 2 ** 63 + 2 ** 10, 2 ** 63 + 2 ** 10 + 1, 2 ** 63 + 3 * 2 ** 10, 2 ** 63 + 2 ** 39, 2 ** 63 + 2 ** 39 + 1, 2 ** 63 + 3 * 2 ** 39,
                   2 ** 63 + 2 ** 55, 2 ** 63 + 2 ** 55 + 1, 2 ** 64 - 1025, 2 ** 64 - 1023]
    if kind in (I32, I64):
        values += [-1, 255, 256, -128, -129, 127, 128, 2049, 2051, -2049, 65519, 65520, 32784, 2 ** 24 + 1, 2 ** 30 + 2 ** 22 + 1, 2 ** 30 + 2 ** 22, -(2 ** 30) - 2 ** 22 - 1, 2 ** 25 + 2]
    if kind == I64:
        values += [2 ** 62 + 2 ** 54 + 1, 2 ** 62 + 2 ** 54, 2 ** 53 + 1, -(2 ** 53) - 1, 2 ** 53, 2 ** 62 + 2 ** 38 + 1, -(2 ** 62) - 2 ** 54 - 1, 2 ** 40 + 2 ** 32 + 1, 3 * 2 ** 54 - 1]
    source = random.Random(f"cast {SHORT[kind]}")
    values += [source.randrange(info.min, info.max + 1) for _ in range(37 - len(values))]
    return np.array(values, dtype=kind)


def cast():
    kinds = {**{name: name for name in NARROW}, **{name: kind for kind, name in SHORT.items()}}
    for source, kind in kinds.items():
        x = numbers_to_cast(kind)
        for target, to in kinds.items():
            y = x if source == target else casts_to(x, to)
            yield Case(f"{source}-to-{target}", [x], [y], to=target)
    far = [np.nan, 32767.5, 32768.0, -32768.5, -32769.0, -0.9, -1.0, 65535.0, 65535.5, 65536.0, 2147483648.0, 3e9, 4294967040.0, 4294967296.0, 9.3e18, 1.8446742974197924e19,
           1.8446744073709552e19, 1e30, -np.inf, np.inf]
    for kind in (F32, F64):
        x = np.array(far + ([4294967295.5, 18446744073709549568.0] if kind == F64 else []), kind)
        for to in (I16, U16, U32, U64):
            yield Case(f"{SHORT[kind]}-to-{SHORT[to]}-far", [x], [casts_to(x, to)], to=SHORT[to])
    for shape in ((), (1,), (3, 5), (2, 0), (2, 3, 19)):
        x = integers("cast", I32, shape)
        yield Case(f"shape-{shape_name(shape)}", [x], [casts_to(x, F32)], to="f32")


def cast_like():
    for to in (F32, U8, I64, BOOL, "bf16"):
        x, like = integers("cast like", I32, (3, 5)), np.zeros((2,))
        like = rounded(like.astype(F32)) if to == "bf16" else like.astype(to)
        yield Case(f"i32-to-{to if to == 'bf16' else SHORT[to]}", [x, like], [casts_to(x, to)], constants=[[1]])


OPERATORS = {"Cast": lambda: [*cast(), *stored_cases.cast()], "CastLike": cast_like, "DequantizeLinear": lambda: [*dequantize(), *stored_cases.dequantize()],
             "DynamicQuantizeLinear": dynamic, "MatMulInteger": integer, "QLinearMatMul": linear, "QuantizeLinear": lambda: [*quantize(), *stored_cases.quantize()]}
