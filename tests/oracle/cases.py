"""The table of operator cases: each function yields the cases of one operator."""
from decimal import Decimal

import numpy as np

import randoms
import reference as ref

F32, F64, I32, I64, I8, U8 = np.float32, np.float64, np.int32, np.int64, np.int8, np.uint8
I16, U16, U32, U64 = np.int16, np.uint16, np.uint32, np.uint64
BOOLEAN = np.bool_
FLOATS = (F32, F64)
UNSIGNED = (U8, U16, U32, U64)
SIGNED = (F32, F64, I32, I64, I8, I16)
NUMBERS = (*SIGNED, *UNSIGNED)
SHORT = {F32: "f32", F64: "f64", I32: "i32", I64: "i64", np.int8: "i8", np.uint8: "u8", np.bool_: "bool",
         I16: "i16", U16: "u16", U32: "u32", U64: "u64"}
ELEMENTWISE_SHAPES = ((17,), (), (5, 7), (0,), (1,), (7,), (1, 33), (13, 1), (2, 3, 5), (2, 0, 3))


class Case:
    """Operands, attributes and expected results. `constants`: sets of inputs that are weights in further runs of the case;
    `weights`: inputs that always are. An input may be None (skipped) or the number of an earlier one (the same tensor)."""

    def __init__(self, name, inputs, expected, ulps=0, bounds=None, constants=(), weights=(), large=False, **attributes):
        self.name, self.inputs, self.expected = name, inputs, expected
        self.ulps, self.bounds = ulps, bounds
        self.constants, self.weights, self.large = [list(c) for c in dict.fromkeys(map(tuple, constants))], weights, large
        self.attributes = attributes
        self.quantize = {}  # {input: (bits, block, scales are f16)} of weights
        self.nodes, self.outputs = [], []  # of a graph; an operator's case is one node
        self.compute = self.accumulate = self.winograd = None  # the graph's keys


def some(shapes, dtype):
    """All shapes for f32; the shape's part of the code does not depend on the type, so others get fewer, first ones."""
    return shapes[:{F32: len(shapes), F64: max(3, len(shapes) // 2)}.get(dtype, 3)]


def shape_name(shape):
    return "x".join(map(str, shape)) or "scalar"


def uniform(seed, dtype, shape, low=-2.0, high=2.0):
    """Seeded by the case's name."""
    count = int(np.prod(shape))
    if dtype in FLOATS:
        values = randoms.short_reals(seed, low, high, count)
    else:
        small = {I8: (-128, 128), U8: (0, 256), I16: (-2**15, 2**15), U16: (0, 2**16), U32: (0, 2**32), U64: (0, 2**63)}.get(dtype, (-1000, 1000))
        values = randoms.integers(seed, *small, count)
        if dtype == U64:  # all 64 bits
            values = values.astype(U64) * U64(2) + U64(1)
    return np.array(values, dtype=dtype).reshape(shape)


def special(dtype):
    """NaN, infinities, both zeros, subnormals, the ends of the range and everything in between."""
    info = np.finfo(dtype)
    tiny = np.nextafter(dtype(0), dtype(1))
    edges = [np.nan, np.inf, 0.0, tiny, 3 * tiny, info.tiny, info.max, 1.0, info.eps, 1 + info.eps, 0.5, 2.0, 0.1]
    positive = [dtype(e) for e in edges]
    return np.array(positive + [-e for e in positive[1:]], dtype=dtype)


def powers_of_ten(low, high, count):
    """10^low to 10^high, rounded once: numpy's powers depend on the CPU."""
    return np.array([float(Decimal(10) ** Decimal(float(exponent))) for exponent in np.linspace(low, high, count)])


def both_signs(values, dtype):
    return np.array(list(values) + [-v for v in values], dtype=dtype)


def as_dtype(y, dtype):
    with np.errstate(all="ignore"):
        return np.asarray(y).astype(dtype)


def unary(function, dtypes, ulps=0, ranges=None, low=-2.0, high=2.0, **attributes):
    """Shapes, special values, and arguments over the interesting range of each type."""
    for dtype in dtypes:
        suffix = SHORT[dtype]
        shapes = some(ELEMENTWISE_SHAPES, dtype)
        arguments = {shape_name(s): uniform(f"unary {s}", dtype, s, low, high) for s in shapes}
        if dtype in FLOATS:
            arguments["special"] = special(dtype)
        else:
            info = np.iinfo(dtype)
            arguments["limits"] = np.array([info.min, info.max, 0, 1, -1 if info.min else 2], dtype=dtype)
        if ranges and dtype in ranges:
            arguments["range"] = np.array(ranges[dtype], dtype=dtype)
        for name, x in arguments.items():
            with np.errstate(all="ignore"):
                y = as_dtype(function(x), dtype)
            yield Case(f"{suffix}-{name}", [x], [y], ulps, **attributes)


def exp():
    ranges = {F32: np.linspace(-104, 89, 80), F64: np.linspace(-746, 710, 80)}
    yield from unary(lambda x: np.exp(ref.long(x)), FLOATS, 4, ranges)


def log():
    ranges = {F32: list(powers_of_ten(-45, 38.5, 60)) + list(np.linspace(0.9, 1.1, 21)),
              F64: list(powers_of_ten(-323, 308, 60)) + list(np.linspace(0.9, 1.1, 21))}
    yield from unary(lambda x: np.log(ref.long(x)), FLOATS, 4, ranges, 0.01, 4.0)


def tanh():
    values = list(powers_of_ten(-6, 1.4, 50))
    ranges = {t: both_signs(values, t) for t in FLOATS}
    yield from unary(lambda x: np.tanh(ref.long(x)), FLOATS, 4, ranges)


def erf():
    values = list(powers_of_ten(-6, 0.9, 50))
    yield from unary(ref.ERF, FLOATS, 4, {t: both_signs(values, t) for t in FLOATS})


def sigmoid():
    ranges = {F32: np.linspace(-104, 20, 70), F64: np.linspace(-746, 40, 70)}
    yield from unary(ref.sigmoid, FLOATS, 4, ranges)


def gelu():
    ranges = {F32: list(np.linspace(-14.5, 8, 70)), F64: list(np.linspace(-38.5, 10, 70))}
    yield from unary(ref.GELU, FLOATS, 4, ranges)
    for case in unary(ref.GELU, FLOATS, 4, approximate="none"):
        if case.name.endswith("-17"):
            case.name += "-none"
            yield case
    ranges = {F32: list(np.linspace(-11.5, 8, 70)), F64: list(np.linspace(-22.5, 10, 70))}
    for case in unary(ref.GELU_TANH, FLOATS, 4, ranges, approximate="tanh"):
        case.name += "-tanh"
        yield case


def sqrt():
    ranges = {F32: powers_of_ten(-45, 38.5, 40), F64: powers_of_ten(-323, 308, 40)}
    yield from unary(np.sqrt, FLOATS, 0, ranges, 0.0, 4.0)


def neg():
    yield from unary(lambda x: -x, SIGNED)


def absolute():
    yield from unary(np.abs, NUMBERS)


def relu():
    yield from unary(lambda x: np.where(x < 0, x.dtype.type(0), x), SIGNED)


def leaky_relu():
    yield from unary(lambda x: ref.leaky_relu(x, 0.01), FLOATS)
    for alpha in (0.25, -1.0, 0.0):
        for case in unary(lambda x: ref.leaky_relu(x, alpha), FLOATS, alpha=alpha):
            if case.name.endswith(("-17", "-special")):
                case.name += f"-alpha-{alpha}"
                yield case


def clip():
    def scalar(dtype, value):
        return None if value is None else np.array(value, dtype=dtype)

    bounds = ((-0.5, 1.0), (None, 1.0), (-0.5, None), (None, None), (1.0, -1.0), (0.0, 6.0),
              (-np.inf, np.inf), (np.nan, np.nan))
    for dtype in FLOATS:
        arguments = {"special": special(dtype), "5x7": uniform("clip", dtype, (5, 7)),
                     "scalar": uniform("clip scalar", dtype, ()), "empty": np.zeros((0, 2), dtype)}
        for name, x in arguments.items():
            for low, high in bounds if name != "empty" else bounds[:1]:
                lo, hi = scalar(dtype, low), scalar(dtype, high)
                inputs = [x, lo, hi]
                while inputs[-1] is None:
                    inputs.pop()
                constants = [[i for i in (1, 2) if i < len(inputs) and inputs[i] is not None]]
                yield Case(f"{SHORT[dtype]}-{name}-{low}-{high}", inputs, [ref.clip(x, lo, hi)],
                           constants=[c for c in constants if c])


def clip_of_integers():
    for dtype in (I8, U8, I32, I64, I16, U16, U32, U64):
        info = np.iinfo(dtype)
        x = np.concatenate([uniform("clip", dtype, (21,)), np.array([info.min, info.max, 0, 1], dtype)])
        for low, high in ((3, 100), (None, 9), (60, None), (100, 3), (info.min, info.max)):
            inputs = [x] + [None if v is None else np.array(v, dtype) for v in (low, high)]
            while inputs[-1] is None:
                inputs.pop()
            present = [i for i in range(1, len(inputs)) if inputs[i] is not None]
            yield Case(f"{SHORT[dtype]}-{low}-{high}", inputs, [ref.clip(x, *inputs[1:])], constants=[present])


def quotient(a, b):
    """Of integers: cut towards zero, x / 0 = 0, and the smallest number divided by -1 is itself."""
    if a.dtype.type in FLOATS:
        return np.divide(a, b)
    a, b = np.broadcast_arrays(a, b)
    whole = [0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in zip(a.ravel().tolist(), b.ravel().tolist())]
    size = 2 ** (8 * a.itemsize)
    top = np.iinfo(a.dtype).max
    return np.array([(q + size - top - 1) % size - (size - top - 1) for q in whole], dtype=a.dtype).reshape(a.shape)


BROADCASTS = (((5, 7), (5, 7)), ((5, 7), (7,)), ((5, 1), (1, 7)), ((7,), (5, 7)), ((5, 7), (5, 1)), ((), (5, 7)),
              ((5, 7), ()), ((), ()), ((2, 4, 8), (8,)), ((4, 2), (4, 1)), ((3, 17), (3, 1)), ((2, 1, 5), (3, 1)),
              ((1,), (1,)), ((1, 1), (4, 3)), ((0, 3), (1, 3)), ((2, 0), (1,)), ((3, 1, 1, 5), (1, 2, 1, 1)),
              ((1, 33), (1, 33)), ((9, 6), (1, 6)), ((9, 6), (9, 1)))


def pairs(dtype):
    """All pairs of some special values."""
    values = special(dtype)[[0, 1, 2, 3, 6, 7, 12, 13, 14, 18]]
    left, right = np.meshgrid(values, values)
    return left.ravel(), right.ravel()


def binary(function, dtypes):
    for dtype in dtypes:
        name = SHORT[dtype]
        for sa, sb in some(BROADCASTS, dtype):
            a = uniform(f"a {sa} {sb}", dtype, sa)
            b = uniform(f"b {sa} {sb}", dtype, sb)
            constants = [[1], [0]] if (sa, sb) in BROADCASTS[:3] else [[1]]
            yield Case(f"{name}-{shape_name(sa)}-{shape_name(sb)}", [a, b], [as_dtype(function(a, b), dtype)],
                       constants=constants)
        a, b = pairs(dtype) if dtype in FLOATS else limits(dtype)
        with np.errstate(all="ignore"):
            yield Case(f"{name}-special", [a, b], [as_dtype(function(a, b), dtype)])
            yield Case(f"{name}-same-tensor", [a, 0], [as_dtype(function(a, a), dtype)])


def limits(dtype):
    info = np.iinfo(dtype)
    some_others = {I8: (77, -33), U8: (77, 33)}.get(dtype, (12345, -321))
    values = [info.min, info.max, 0, 1, -1 if info.min else 2]
    left, right = np.meshgrid(*(np.array([*values, other], dtype=dtype) for other in some_others))
    return left.ravel(), right.ravel()


def variadic(function):
    yield from binary(function, NUMBERS)
    for dtype in NUMBERS:
        name = SHORT[dtype]
        x, y, z = uniform("v0", dtype, (3, 1)), uniform("v1", dtype, (5,)), uniform("v2", dtype, (2, 1, 5))
        yield Case(f"{name}-one", [x], [x])
        yield Case(f"{name}-three", [x, y, z], [function(x, y, z)], constants=[[1], [0, 2]])
        yield Case(f"{name}-three-same", [x, 0, y], [function(x, x, y)])


MATMULS = (((4, 8), (8, 4)), ((7, 13), (13, 5)), ((1, 9), (9, 17)), ((19, 9), (9, 1)), ((5, 1), (1, 6)), ((1, 1), (1, 1)),
           ((1, 1), (1, 37)), ((13, 3), (3, 18)), ((6, 8), (8, 16)), ((3, 64), (64, 3)),
           ((8,), (8,)), ((8,), (8, 5)), ((5, 8), (8,)), ((2, 3, 8), (8,)), ((8,), (3, 8, 2)),
           ((2, 5, 4), (2, 4, 3)), ((2, 5, 4), (4, 3)), ((5, 4), (2, 4, 3)), ((2, 1, 5, 4), (3, 4, 2)), ((1, 5, 4), (1, 4, 3)),
           ((2, 1, 3, 4), (1, 2, 4, 3)), ((2, 2, 3, 4), (2, 2, 4, 3)), ((1, 3, 4), (2, 4, 5)), ((2, 3, 4), (1, 4, 5)),
           ((3, 0), (0, 4)), ((0, 3), (3, 4)), ((3, 4), (4, 0)), ((0, 2, 3), (3, 4)), ((2, 1, 4, 0), (3, 0, 2)))

# Few columns of many elements.
SHORT_ROWS = (((5, 67), (67, 3)), ((2, 5, 41), (41, 6)), ((1, 50), (50, 10)), ((7, 93), (93, 2)))

LARGE_MATMULS = ((48, 96, 64), (64, 96, 48), (64, 64, 64), (256, 128, 64), (128, 512, 256), (127, 129, 131), (10, 479, 10),
                 (1, 300, 517), (200, 3, 5), (33, 1, 65), (17, 31, 33), (33, 3, 34))


def product_case(name, a, b, **options):
    y, bound = ref.contraction(a, b)
    return Case(name, [a, b], [as_dtype(y, a.dtype)], bounds=[bound], **options)


def integer_matmul():
    """Exact modulo the type's size: numpy wraps, too."""
    for dtype in (I32, I64):
        info = np.iinfo(dtype)
        for sa, sb in MATMULS[:10] + MATMULS[10:-1:4] + (((17, 31), (31, 33)), ((33, 64), (64, 48))):
            a, b = uniform(f"ma {sa}", dtype, sa), uniform(f"mb {sb}", dtype, sb)
            if a.size and b.size:
                a.ravel()[0], b.ravel()[-1] = info.min, info.max
            with np.errstate(over="ignore"):
                y = np.asarray(np.matmul(a, b))
            yield Case(f"{SHORT[dtype]}-{shape_name(sa)}-{shape_name(sb)}", [a, b], [y], constants=[[1]], large=a.size > 500)


def matmul():
    yield from integer_matmul()
    for dtype in FLOATS:
        name = SHORT[dtype]
        for sa, sb in (MATMULS if dtype == F32 else MATMULS[::2]) + SHORT_ROWS:
            a, b = uniform(f"ma {sa}", dtype, sa), uniform(f"mb {sb}", dtype, sb)
            yield product_case(f"{name}-{shape_name(sa)}-{shape_name(sb)}", a, b, constants=[[1], [0]])
        a = uniform("square", dtype, (7, 7))
        y, bound = ref.contraction(a, a)
        yield Case(f"{name}-same-tensor", [a, 0], [as_dtype(y, dtype)], bounds=[bound])
        # Infinities and NaN spoil their row or column only: whoever pads must not multiply them by his zeros.
        a, b = uniform("inf a", dtype, (7, 5)), uniform("inf b", dtype, (5, 19))
        a[2, 3], a[6, 4], b[0, 18] = np.inf, np.nan, -np.inf
        with np.errstate(invalid="ignore"):
            yield product_case(f"{name}-infinities", a, b, constants=[[1], [0]])
        for m, k, n in LARGE_MATMULS:
            a = uniform(f"la {m} {k}", dtype, (m, k))
            b = uniform(f"lb {k} {n}", dtype, (k, n))
            yield product_case(f"{name}-large-{m}x{k}x{n}", a, b, constants=[[1]], large=True)


GEMMS = (  # m, k, n, shape of C, attributes
    (5, 7, 3, None, {}), (5, 7, 3, (3,), {}), (5, 7, 3, (5, 1), {}), (5, 7, 3, (1, 3), {}), (5, 7, 3, (), {}),
    (5, 7, 3, (1,), {}), (5, 7, 3, (5, 3), {}), (7, 9, 17, (17,), {}), (7, 9, 17, (17,), {"transB": 1}),
    (7, 9, 17, (17,), {"transA": 1}), (6, 4, 8, (6, 8), {"transA": 1, "transB": 1}),
    (5, 7, 3, (3,), {"alpha": 0.5}), (5, 7, 3, (3,), {"beta": 2.0}), (5, 7, 3, (5, 3), {"alpha": 0.3, "beta": -1.7}),
    (5, 7, 3, None, {"alpha": -2.0}), (5, 7, 3, (3,), {"beta": 0.0}), (5, 7, 3, (3,), {"alpha": 0.0}),
    (1, 16, 10, (10,), {"transB": 1}), (13, 16, 1, (1,), {}), (4, 1, 5, (5,), {}), (1, 1, 1, (), {"alpha": 0.25, "beta": 4.0}),
    (3, 0, 4, (4,), {}), (0, 3, 4, (4,), {}))
LARGE_GEMMS = ((128, 256, 512, (512,), {}), (10, 479, 1000, (1000,), {"transB": 1}), (97, 101, 103, (97, 1), {"transA": 1}), (17, 9, 33, (33,), {}))


def gemm_case(dtype, m, k, n, c_shape, attributes, large=False):
    label = f"{m}x{k}x{n}" + ("" if c_shape is None else f"-c-{shape_name(c_shape)}")
    label += "".join(f"-{key}-{value}" for key, value in attributes.items())
    sa = (k, m) if attributes.get("transA") else (m, k)
    sb = (n, k) if attributes.get("transB") else (k, n)
    a, b = uniform(f"ga {sa}", dtype, sa), uniform(f"gb {sb}", dtype, sb)
    c = None if c_shape is None else uniform(f"gc {c_shape}", dtype, c_shape)
    y, bound = ref.contraction(a.T if sa != (m, k) or attributes.get("transA") else a,
                               b.T if attributes.get("transB") else b,
                               attributes.get("alpha", 1.0), attributes.get("beta", 1.0), c)
    inputs = [a, b] + ([] if c is None else [c])
    return Case(f"{SHORT[dtype]}-{'large-' if large else ''}{label}", inputs, [as_dtype(y, dtype)], bounds=[bound],
                constants=[list(range(1, len(inputs)))], large=large, **attributes)


def gemm():
    for dtype in FLOATS:
        for arguments in GEMMS if dtype == F32 else GEMMS[::3]:
            yield gemm_case(dtype, *arguments)
        for arguments in LARGE_GEMMS:
            yield gemm_case(dtype, *arguments, large=True)
        a, c = uniform("gemm same", dtype, (6, 6)), uniform("gemm c", dtype, (6,))
        y, bound = ref.contraction(a, a.T, 1.0, 1.0, c)
        yield Case(f"{SHORT[dtype]}-same-tensor", [a, 0, c], [as_dtype(y, dtype)], bounds=[bound], transB=1)


def softmax():
    shapes = (((7,), -1), ((5, 7), -1), ((5, 7), 0), ((5, 7), 1), ((2, 3, 5), 1), ((2, 3, 5), -3), ((3, 1), -1), ((1, 33), -1),
              ((2, 65), -1), ((1,), 0), ((3, 0), -1), ((0, 3), -1), ((0, 3), 0), ((2, 17, 3), 1), ((2, 64, 3), 1),
              ((2, 24, 7, 7), 1), ((3, 32, 17), 1), ((21, 12), -1), ((16, 17), -1), ((3, 6, 33), -1), ((2, 16, 7), -1))

    def one(name, x, axis, large=False):
        with np.errstate(invalid="ignore"):
            y, bound = ref.softmax(x, axis)
        attributes = {} if axis == -1 else {"axis": axis}
        return Case(name, [x], [as_dtype(y, x.dtype)], bounds=[bound], large=large, **attributes)

    for dtype in FLOATS:
        name = SHORT[dtype]
        for shape, axis in shapes if dtype == F32 else shapes[::2]:
            yield one(f"{name}-{shape_name(shape)}-axis-{axis}", uniform(f"s {shape}", dtype, shape, -4, 4), axis)
        big = np.finfo(dtype).max
        rows = [[1000, 999, -1000, 0], [88.9, 88.8, -104, 12], [-1e4, -1e4, -1e4, -1e4], [big, -big, 1, 0],
                [np.nan, 1, 2, 3], [-np.inf, 0, 1, 2], [np.inf, 0, 1, 2], [-np.inf] * 4, [0, -0.0, 0, -0.0]]
        yield one(f"{name}-large-logits-and-special", np.array(rows, dtype=dtype), -1)
        yield one(f"{name}-special-by-column", np.array(rows, dtype=dtype).T.copy(), 0)
        if dtype == F32:
            wide = np.zeros((18, 17), dtype)
            wide[::2, 3:7] = rows
            yield one(f"{name}-special-in-odd-rows", wide, -1)
        yield one(f"{name}-special-by-short-row", np.tile(np.array(rows, dtype=dtype).T, (4, 1)), 0)
        least = np.log(np.finfo(dtype).tiny)
        falling = np.append(np.linspace(0.8 * least, 1.1 * least, 36), [0, -1])
        # More than caches keep, of f32: blocks along the axis, one of which has nothing but -inf.
        for shape, axis in ((((264, 1000), 0), ((1, 264192), -1)) if dtype == F32 else ()):
            x = uniform(f"s large {shape}", dtype, shape, -4, 4)
            x[:44, :11008] = -np.inf
            if axis == 0:
                x[:, 1], x[50, 2], x[51, 3] = -np.inf, np.nan, np.inf
            yield one(f"{name}-large-{shape_name(shape)}-axis-{axis}", x, axis, large=True)
        # Rows across vectors, and together; columns in parts.
        for shape, axis in ((((1040, 3), -1), ((1040, 5), -1), ((1051, 10), -1), ((53, 31), -1), ((37, 50), -1), ((64, 1088), 0)) if dtype == F32 else ()):
            x = uniform(f"s rows {shape}", dtype, shape, -4, 4)
            x[3, 1], x[5, 2], x[7, 0] = np.inf, -np.inf, np.nan
            yield one(f"{name}-rows-{shape_name(shape)}-axis-{axis}", x, axis, large=True)
        yield one(f"{name}-small-weights", falling.astype(dtype).reshape(1, -1), -1)


def all_types(seed, shape):
    for dtype, name in SHORT.items():
        count = int(np.prod(shape))
        values = uniform(f"{seed} {shape}", I32, shape)
        if dtype == np.bool_:
            yield name, (values % 2 == 0)
        elif name in ("i8", "u8"):
            yield name, (values % 100).astype(dtype)
        else:
            x = uniform(f"{seed} {shape}", dtype, shape)
            if dtype in FLOATS and count >= 4:
                x.ravel()[:4] = [np.nan, -0.0, np.inf, np.nextafter(dtype(0), dtype(1))]
            yield name, x


def identity():
    for shape in ((), (1,), (17,), (3, 5), (2, 0)):
        for name, x in all_types("identity", shape):
            if name in ("f32", "f64") or shape in ((17,), ()):
                yield Case(f"{name}-{shape_name(shape)}", [x], [x])


def reshape():
    forms = (((2, 3), (3, 2), {}), ((2, 3), (6,), {}), ((6,), (2, 3), {}), ((2, 3, 4), (2, -1), {}), ((2, 3, 4), (0, -1), {}),
             ((2, 3, 4), (0, 0, 2, 2), {}), ((2, 3, 4), (4, 3, 2), {}), ((1,), (), {}), ((), (1, 1), {}), ((), (), {}),
             ((6, 1), (1, 6), {}), ((1, 6, 1), (6,), {}), ((2, 6), (4, 3), {}), ((3, 5, 7), (7, 15), {}), ((0, 3), (0, 3), {}),
             ((0, 3), (3, 0), {"allowzero": 1}), ((2, 0), (0, 5), {"allowzero": 1}), ((0, 4), (-1, 2), {}), ((5,), (-1,), {}))
    for shape, wanted, attributes in forms:
        for name, x in all_types("reshape", shape):
            if name != "f32" and shape not in ((2, 3), ()):
                continue
            if wanted == (-1, 2):
                result = x.reshape((0, 2))
            else:
                full = [shape[i] if w == 0 and not attributes else w for i, w in enumerate(wanted)]
                result = x.reshape(full)
            label = f"{name}-{shape_name(shape)}-to-{shape_name(wanted)}"
            yield Case(label, [x, np.array(wanted, dtype=I64)], [result], weights=[1], **attributes)


def transpose():
    forms = (((3, 5), None), ((4, 8), [1, 0]), ((3, 5), [0, 1]), ((17, 33), None), ((2, 3, 5), None), ((2, 3, 5), [0, 2, 1]),
             ((2, 3, 5), [1, 0, 2]), ((2, 3, 5), [2, 0, 1]), ((7,), None), ((), None), ((1, 9), None), ((9, 1), None),
             ((0, 3), None), ((2, 3, 4, 5), [0, 2, 1, 3]), ((2, 3, 4, 5), [3, 1, 0, 2]))
    for shape, perm in forms:
        for name, x in all_types("transpose", shape):
            if name != "f32" and shape not in ((3, 5), (2, 3, 4, 5)):
                continue
            attributes = {} if perm is None else {"perm": perm}
            label = f"{name}-{shape_name(shape)}" + ("" if perm is None else "-perm-" + "-".join(map(str, perm)))
            yield Case(label, [x], [np.transpose(x, perm).copy()], **attributes)
    # Several squares each way and parts of them; the last one is larger than the caches of every target.
    large = (((70, 150), [1, 0]), ((3, 131, 77), [0, 2, 1]), ((150, 3), [1, 0]), ((2, 130, 5, 64), [0, 3, 1, 2]), ((40, 6, 72), [2, 1, 0]),
             ((1056, 1024), [1, 0]))
    for shape, perm in large:
        for name, x in all_types("transpose-large", shape):
            if name in ("f32", "f64", "u8") and (name == "f32" or shape[0] < 1000):
                label = f"{name}-{shape_name(shape)}-perm-" + "-".join(map(str, perm))
                yield Case(label, [x], [np.transpose(x, perm).copy()], large=True, perm=perm)


# Add, Sub, Mul, Div and Sqrt are correctly rounded by definition: numpy's operations in the type itself. By way of longdouble
# results would be rounded twice.
OPERATORS = {
    "Abs": absolute, "Clip": lambda: [*clip(), *clip_of_integers()], "Erf": erf, "Exp": exp, "Gelu": gelu, "Gemm": gemm, "Identity": identity,
    "LeakyRelu": leaky_relu, "Log": log, "MatMul": matmul, "Neg": neg, "Relu": relu, "Reshape": reshape,
    "Sigmoid": sigmoid, "Softmax": softmax, "Sqrt": sqrt, "Tanh": tanh, "Transpose": transpose,
    "Add": lambda: binary(np.add, NUMBERS),
    "Sub": lambda: binary(np.subtract, NUMBERS),
    "Mul": lambda: binary(np.multiply, NUMBERS),
    "Div": lambda: binary(quotient, NUMBERS),
    "Max": lambda: variadic(ref.maximum),
    "Min": lambda: variadic(ref.minimum),
}
