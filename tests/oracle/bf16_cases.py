"""Cases of the operators on bf16. They compute in f32 and round once, so the exact result of the type's own operations is
known to the bit, and that of the others up to the f32 error before the rounding: mostly to the bit as well."""
import numpy as np

import cases
import reference as ref
from bfloat16 import LONG, all_numbers, result, rounded
from cases import Case, shape_name, uniform

UNIT, TINY = LONG(2) ** -24, LONG(2) ** -149  # of f32
SHAPES = ((17,), (), (5, 7), (0,), (1, 33), (13, 1))


def random(name, shape, low=-2.0, high=2.0):
    return rounded(uniform(f"bf16 {name}", np.float32, shape, low, high))


def special():
    """NaN, infinities, zeros, subnormals, the ends of the range and neighbours of 1."""
    tiny, normal, largest = 2.0 ** -133, 2.0 ** -126, (2 - 2.0 ** -7) * 2.0 ** 127
    edges = [np.nan, np.inf, 0.0, tiny, 3 * tiny, normal - tiny, normal, largest, 1.0, 1 + 2.0 ** -7, 1 - 2.0 ** -8, 0.5, 0.1]
    return rounded(edges + [-e for e in edges[1:]])


def exact(name, inputs, y, **options):
    with np.errstate(all="ignore"):
        return Case(f"bf16-{name}", inputs, [rounded(y)], **options)


def near(name, inputs, y, error, exact_zeros=False, **options):
    expected, bound = result(y, error)
    if exact_zeros and not np.any(bound):
        return Case(f"bf16-{name}", inputs, [expected], **options)
    return Case(f"bf16-{name}", inputs, [expected], bounds=[bound], **options)


def long(x):
    return np.asarray(x, LONG)


def arguments(name, low=-2.0, high=2.0):
    yield from ((shape_name(s), random(f"{name} {s}", s, low, high)) for s in SHAPES)
    yield "special", special()


def unary(name, function, units, points=None, low=-2.0, high=2.0, every=True, **attributes):
    """`units`: the error before rounding, in u of f32; 0 for operations that are exact or correctly rounded."""
    chosen = list(arguments(name, low, high))
    if points is not None:
        chosen.append(("range", rounded(points)))
    if every:
        chosen.append(("every-number", all_numbers()))
    for label, x in chosen:
        with np.errstate(all="ignore"):
            y = long(function(long(x)))
            options = dict(attributes, large=label == "every-number")
            error = np.where(np.isfinite(y), units * UNIT * np.abs(y) + (TINY if units else 0), LONG(0))
            yield exact(label, [x], y, **options) if units == 0 else near(label, [x], y, error, True, **options)


def gelu():
    points = np.linspace(-14.5, 8, 90)
    yield from unary("gelu", ref.GELU, 8, points, every=False)
    for case in unary("gelu", ref.GELU_TANH, 8, points, every=False, approximate="tanh"):
        case.name += "-tanh"
        yield case


def leaky_relu():
    for alpha in (0.01, -1.0):
        slope = LONG(np.float32(alpha))
        for case in unary("leaky", lambda x: np.where(x < 0, slope * x, x), 1, alpha=alpha):
            case.name += f"-alpha-{alpha}"
            yield case


def clip():
    for low, high in ((-0.5, 1.0), (None, 1.0), (-0.5, None), (None, None), (np.nan, np.nan)):
        for label, x in (("special", special()), ("5x7", random("clip", (5, 7)))):
            limits = [None if v is None else rounded(v) for v in (low, high)]
            inputs = [x] + limits
            while inputs[-1] is None:
                inputs.pop()
            constants = [[i for i in (1, 2) if i < len(inputs) and inputs[i] is not None]]
            yield exact(f"{label}-{low}-{high}", inputs, ref.clip(x, *limits), constants=[c for c in constants if c])


def binary(function):
    for sa, sb in cases.BROADCASTS[:12]:
        a, b = random(f"a {sa} {sb}", sa), random(f"b {sa} {sb}", sb)
        yield exact(f"{shape_name(sa)}-{shape_name(sb)}", [a, b], function(long(a), long(b)), constants=[[1]])
    values = special()[[0, 1, 2, 3, 7, 8, 9, 12, 13, 14, 15, 19]]
    a, b = (rounded(v.ravel()) for v in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        yield exact("special", [a, b], function(long(a), long(b)))
        yield exact("same-tensor", [a, 0], function(long(a), long(a)))
        # Ties, subnormal results, and largest numbers that become infinite.
        for label, value in (("next-to-one", 1 + 2.0 ** -7), ("half", 0.5), ("tiny", 3 * 2.0 ** -133)):
            x, c = all_numbers(), rounded(value)
            yield exact(f"every-number-and-{label}", [x, c], function(long(x), long(c)), constants=[[1]], large=True)


def variadic(function):
    yield from binary(function)
    x, y, z = random("v0", (3, 1)), random("v1", (5,)), random("v2", (2, 1, 5))
    yield exact("one", [x], x)
    yield exact("three", [x, y, z], function(x, y, z), constants=[[1], [0, 2]])


LARGE_MATMULS = cases.LARGE_MATMULS + ((7, 1023, 66), (1, 1025, 1), (128, 2304, 96))


def matmul():
    def product(label, a, b, **options):
        with np.errstate(invalid="ignore"):
            return near(label, [a, b], *f32_contraction(a, b), **options)

    shapes = cases.MATMULS[:15] + cases.MATMULS[16::2] + (((6, 6), (6, 6)), ((6, 7), (7, 6)))  # an odd depth among them
    for sa, sb in shapes:
        a, b = random(f"ma {sa}", sa), random(f"mb {sb}", sb)
        yield product(f"{shape_name(sa)}-{shape_name(sb)}", a, b, constants=[[1], [0]])
    a = random("square", (7, 7))
    yield near("same-tensor", [a, 0], *f32_contraction(a, a))
    a, b = random("inf a", (7, 5)), random("inf b", (5, 19))
    a[2, 3], a[6, 4], b[0, 18] = np.inf, np.nan, -np.inf
    yield product("infinities", a, b, constants=[[1], [0]])
    # Subnormal products and sums, which dot-product instructions take for zero; results that overflow when they are rounded,
    # not before.
    a, b = rounded(random("small a", (6, 5)).astype(LONG) * LONG(2) ** -120), random("small b", (5, 18))
    b = rounded(long(b) * LONG(2) ** -8)
    value, error = f32_contraction(a, b)
    yield near("subnormal", [a, b], value, error + 5 * LONG(2) ** -126, constants=[[1]])
    a, b = rounded([[1.0, 1.0], [-1.0, -1.0]]), rounded([[(2 - 2.0 ** -7) * 2.0 ** 127] * 3, [0, 2.0 ** 120, 2.0 ** 118]])
    yield product("overflow", a, b, constants=[[1]])
    for m, k, n in LARGE_MATMULS:
        a, b = random(f"la {m} {k}", (m, k)), random(f"lb {k} {n}", (k, n))
        yield product(f"large-{m}x{k}x{n}", a, b, constants=[[1]], large=True)


def f32_contraction(a, b, alpha=1.0, beta=0.0, c=None):
    """(alpha A B + beta C, the error of f32 before rounding): (K + 2) u (sum |a b| + |c|)."""
    alpha, beta = LONG(np.float32(alpha)), LONG(np.float32(beta))
    y = alpha * np.matmul(long(a), long(b))
    size = np.abs(alpha) * np.matmul(np.abs(long(a)), np.abs(long(b)))
    if c is not None and beta != 0:
        y, size = y + beta * long(c), size + np.abs(beta * long(c))
    return y, np.where(np.isfinite(y), (a.shape[-1] + 2) * (UNIT * size + TINY), LONG(0))


def gemm_case(m, k, n, c_shape, attributes, large=False):
    label = f"{'large-' if large else ''}{m}x{k}x{n}" + ("" if c_shape is None else f"-c-{shape_name(c_shape)}")
    label += "".join(f"-{key}-{value}" for key, value in attributes.items())
    a = random(f"ga {m} {k}", (k, m) if attributes.get("transA") else (m, k))
    b = random(f"gb {k} {n}", (n, k) if attributes.get("transB") else (k, n))
    inputs = [a, b] + ([] if c_shape is None else [random(f"gc {c_shape}", c_shape)])
    y, error = f32_contraction(a.T if attributes.get("transA") else a, b.T if attributes.get("transB") else b,
                               attributes.get("alpha", 1.0), attributes.get("beta", 1.0), (inputs + [None])[2])
    return near(label, inputs, y, error, constants=[list(range(1, len(inputs)))], large=large, **attributes)


def gemm():
    yield from (gemm_case(*arguments) for arguments in cases.GEMMS)
    yield from (gemm_case(*arguments, large=True) for arguments in cases.LARGE_GEMMS)


def softmax():
    def one(label, x, axis):
        with np.errstate(all="ignore"):
            y, bound = ref.softmax_of(long(x), axis, np.float32)
        return near(f"{label}-axis-{axis}", [x], y, bound, **({} if axis == -1 else {"axis": axis}))

    for shape, axis in (((7,), -1), ((5, 7), 0), ((5, 7), 1), ((2, 3, 5), 1), ((3, 1), -1), ((2, 65), -1), ((0, 3), 0)):
        yield one(shape_name(shape), random(f"s {shape}", shape, -4, 4), axis)
    big = (2 - 2.0 ** -7) * 2.0 ** 127
    rows = rounded([[1000, 992, -1000, 0], [88, 87, -104, 12], [-1e4] * 4, [big, -big, 1, 0], [np.nan, 1, 2, 3],
                    [-np.inf, 0, 1, 2], [np.inf, 0, 1, 2], [-np.inf] * 4, [0, -0.0, 0, -0.0]])
    yield one("large-logits-and-special", rows, -1)
    yield one("special-by-column", rows.T.copy(), 0)


def moved(name, forms):
    """`forms`: (shape, function, further inputs, attributes). The same bits; NaN, infinities and subnormals among them."""
    for label, shape, function, others, attributes in forms:
        x = random(f"{name} {shape}", shape)
        if x.size >= 4:
            x.ravel()[:4] = [np.nan, -0.0, np.inf, 2.0 ** -133]
        weights = [1] if others else []
        yield Case(f"bf16-{label}", [x, *others], [function(x).copy()], weights=weights, **attributes)


def identity():
    return moved("identity", [(shape_name(s), s, lambda x: x, [], {}) for s in ((17,), (), (3, 5))])


def reshape():
    forms = (((2, 3), (3, 2)), ((2, 3, 4), (4, 6)), ((), (1, 1)), ((3, 5, 7), (7, 15)))
    return moved("reshape", [(f"{shape_name(s)}-to-{shape_name(t)}", s, lambda x, t=t: x.reshape(t),
                              [np.array(t, dtype=np.int64)], {}) for s, t in forms])


def transpose():
    forms = (((4, 4), None), ((3, 5), None), ((17, 33), None), ((7, 9), None), ((1, 9), None), ((2, 3, 5), [2, 0, 1]),
             ((2, 3, 4, 5), [0, 2, 1, 3]), ((2, 3, 4, 5), [3, 1, 0, 2]))
    return moved("transpose", [(shape_name(s) + ("-perm-" + "-".join(map(str, p)) if p else ""), s,
                                lambda x, p=p: np.transpose(x, p), [], {} if p is None else {"perm": p}) for s, p in forms])



OPERATORS = {
    "Abs": lambda: unary("abs", np.abs, 0),
    "Add": lambda: binary(np.add),
    "Clip": clip,
    "Div": lambda: binary(np.divide),
    "Erf": lambda: unary("erf", ref.ERF, 8, cases.both_signs(list(np.logspace(-6, 0.9, 50)), np.float32), every=False),
    "Exp": lambda: unary("exp", np.exp, 8),
    "Gelu": gelu,
    "Gemm": gemm,
    "Identity": identity,
    "LeakyRelu": leaky_relu,
    "Log": lambda: unary("log", np.log, 8, None, 0.01, 4.0),
    "MatMul": matmul,
    "Max": lambda: variadic(ref.maximum),
    "Min": lambda: variadic(ref.minimum),
    "Mul": lambda: binary(np.multiply),
    "Neg": lambda: unary("neg", np.negative, 0),
    "Relu": lambda: unary("relu", lambda x: np.where(x < 0, LONG(0), x), 0),
    "Reshape": reshape,
    "Sigmoid": lambda: unary("sigmoid", ref.sigmoid, 8, np.linspace(-104, 20, 70)),
    "Softmax": softmax,
    "Sqrt": lambda: unary("sqrt", np.sqrt, 0, None, 0.0, 4.0),
    "Sub": lambda: binary(np.subtract),
    "Tanh": lambda: unary("tanh", np.tanh, 8),
    "Transpose": transpose,
}
