"""Cases of operators on single elements: rounding, powers, trigonometry, activation functions. All in longdouble, rounded once."""
from decimal import Decimal

import numpy as np

import cases
import reference as ref
from cases import F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Case, powers_of_ten, shape_name
from narrow import BF16, FORMATS, FP16, LONG
from pi import pi_in_units
from typed import FLOATS, INTEGERS, SHAPES, binary_arguments, name_of, numbers, result, some, special, wide

PI = LONG("3.14159265358979323846264338327950288")


def arguments(dtype, points, low=-2.0, high=2.0):
    for shape in some(SHAPES, dtype):
        yield shape_name(shape), numbers(f"e {shape}", dtype, shape, low, high)
    yield "special", special(dtype)
    if points is not None and dtype in (F32, F64, BF16, FP16):
        x = np.array(points, dtype=np.float64)
        yield "range", FORMATS[dtype].rounded(x) if dtype in FORMATS else x.astype(dtype)


def unary(function, types=FLOATS, ulps=0, points=None, suffix="", only=None, low=-2.0, high=2.0, **attributes):
    """`function` of longdouble (or of integers)."""

    def make():
        for dtype in types:
            for label, x in arguments(dtype, points, low, high):
                if only and label not in only:
                    continue
                with np.errstate(all="ignore"):
                    y = np.asarray(function(wide(x)))
                yield result(f"{name_of(dtype)}-{label}{suffix}", dtype, [x], y, ulps, **attributes)

    return make


def several(*makers):
    return lambda: [case for make in makers for case in make()]


def mirrored(values):
    return list(values) + [-v for v in values]


WHOLE = mirrored([0.25, 0.5, 0.75, 1.5, 2.5, 3.5, 100.5, 8388607.5, 8388608.5, 4503599627370495.5, 1e30, 0.49999997, 0.999999])


def sine(x, quarters=0):
    """sin(x + quarters pi/2): x modulo pi/2 by integers, with digits of pi as far as x reaches and beyond."""
    digits = 400
    pi = pi_in_units(10 ** (digits + 10)) // 10**10
    out = []
    for v in np.asarray(x, np.float64).ravel():
        if not np.isfinite(v):
            out.append(LONG(np.nan))
            continue
        numerator, denominator = float(v).as_integer_ratio()
        scaled = numerator * 10**digits // denominator
        quotient = (4 * scaled + pi) // (2 * pi)
        rest = LONG(str(2 * scaled - quotient * pi)) / LONG(10) ** digits / 2
        turn = (quotient + quarters) % 4
        out.append((np.cos(rest) if turn % 2 else np.sin(rest)) * (-1 if turn > 1 else 1))
    return np.array(out, LONG).reshape(np.shape(x))


ANGLES = mirrored([1e-8, 0.1, 0.785, 1.5707964, 3.1415927, 10, 22, 355, 1e4, 1e6, 2097151, 2097153, 1e8, 16367173 * 2.0**72, 1e20, 1e30, 3e38])
TRIGONOMETRIC = FLOATS


UNIT_RANGE = mirrored([1e-8, 1e-3, 0.3, 0.41421354, 0.70710677, 0.9, 0.999, 0.99999994, 1, 1.0009765625])
SLOPES = mirrored([1e-8, 1e-3, 0.41421354, 0.41421357, 1, 2.4142134, 2.4142137, 17, 1e4, 1e9, 1e30])
HYPERBOLIC = mirrored([1e-8, 1e-3, 0.1, 0.5, 3, 10, 11.7, 29.9, 30.1, 70, 88.7, 89, 89.4, 90, 700, 710.4, 711])
AREAS = mirrored([1e-8, 1e-3, 0.9, 1, 1.0000001192092896, 1.0009765625, 1.5, 3, 40, 1e4, 9.9e8, 1.1e9, 1e18, 1e30, 3e38])


def trigonometric(function, ulps, points, low=-2.0, high=2.0):
    return several(unary(function, (F32, F64), ulps, points, only=("17", "special", "range"), low=low, high=high),
                   unary(function, (BF16, FP16), ulps, points, only=("range",)))


def hard_sigmoid(alpha, beta):
    """In f32 (f64) itself, each operation rounded."""

    def make():
        suffix = "" if (alpha, beta) == (0.2, 0.5) else f"-{alpha}-{beta}"
        attributes = {} if not suffix else {"alpha": alpha, "beta": beta}
        for dtype in FLOATS:
            own = F64 if dtype == F64 else F32
            for label, x in arguments(dtype, mirrored([2.5, 2.4, 3, 5])):
                v = np.asarray(x).view(np.ndarray).astype(own)
                with np.errstate(all="ignore"):
                    line = np.asarray(v * own(alpha) + own(beta), own)
                    y = np.where(line < 0, own(0), np.where(line > 1, own(1), line))
                yield result(f"{name_of(dtype)}-{label}{suffix}", dtype, [x], y, **attributes)

    return make


def hard_swish():
    for dtype in FLOATS:
        own = F64 if dtype == F64 else F32
        for label, x in arguments(dtype, mirrored([2.5, 2.9, 3, 3.1, 8, 9])):
            v = np.asarray(x).view(np.ndarray).astype(own)
            with np.errstate(all="ignore"):
                line = np.asarray(v * own(1 / 6) + own(0.5), own)
                factor = np.where(line < 0, own(0), np.where(line > 1, own(1), line))
                y = v * factor
            yield result(f"{name_of(dtype)}-{label}", dtype, [x], y)


def elu(alpha, gamma=1.0, divisor=1.0):
    return lambda x: LONG(gamma) * np.where(x <= 0, LONG(alpha) * np.expm1(x / LONG(divisor)), x)


def in_f32(value):
    return float(np.float32(value))


def softplus(x):
    return np.where(x > 0, x, LONG(0)) + np.log1p(np.exp(-np.abs(x))) + 0 * x


def softplus_of(x):
    return np.where(np.isinf(x), np.where(x > 0, LONG(np.inf), LONG(0)), softplus(np.where(np.isinf(x), LONG(0), x)))


def mish(x):
    e = np.exp(np.minimum(x, LONG(100)))
    n = e * (e + 2)
    return x * (n / (n + 2))


SMOOTH = mirrored(list(powers_of_ten(-7, 1.3, 24)) + [30, 44.5, 80, 87, 100, 104])
SELU = (in_f32(1.67326319217681884765625), in_f32(1.05070102214813232421875))


def prelu():
    for dtype in (*FLOATS, np.int32, np.int64):
        for sx, ss in (((5, 7), (7,)), ((5, 7), (5, 7)), ((2, 3, 5), (3, 1)), ((5, 7), ()), ((0, 3), (3,)), ((1,), (1,)), ((3, 33), (1,)))[:7 if dtype == F32 else 2]:
            x, slope = numbers(f"p {sx}", dtype, sx), numbers(f"slope {ss}", dtype, ss)
            with np.errstate(all="ignore"):
                y = np.where(wide(x) < 0, wide(x) * wide(slope), wide(x))
            yield result(f"{name_of(dtype)}-{shape_name(sx)}-{shape_name(ss)}", dtype, [x, slope], y, constants=[[1]])
        if dtype in FLOATS:
            x = special(dtype)
            slope = numbers("slope", dtype, (1,))
            with np.errstate(all="ignore"):
                y = np.where(wide(x) < 0, wide(x) * wide(slope), wide(x))
            yield result(f"{name_of(dtype)}-special", dtype, [x, slope], y)


def power_of(x, y):
    """C's pow, of which longdouble's has the special cases."""
    with np.errstate(all="ignore"):
        return np.power(wide(x), wide(y))


def pow_():
    for dtype in FLOATS:
        for label, x, y, constants in binary_arguments(dtype, "pow"):
            yield result(f"{label}", dtype, [x, y], power_of(x, y), 4, constants=constants)
        base = np.abs(wide(numbers("base", dtype, (90,), 0.01, 4)))
        exponent = np.linspace(-300, 300, 90) if dtype == F64 else np.linspace(-40, 40, 90)
        make = FORMATS[dtype].rounded if dtype in FORMATS else lambda v: np.asarray(v).astype(dtype)
        x, y = make(base), make(exponent)
        if dtype == FP16:
            y = make(exponent / 4)
        yield result(f"{name_of(dtype)}-range", dtype, [x, y], power_of(x, y), 4)
        near, far = make(1 + np.linspace(-1e-3, 1e-3, 41)), make(np.linspace(-30000, 30000, 41))
        if dtype not in FORMATS:
            yield result(f"{name_of(dtype)}-near-one", dtype, [near, far], power_of(near, far), 4)
        negative = make(np.array([-2, -3.5, -1, -0.5, -7, -1.25]))
        whole = make(np.array([3, 2, -3, 5, -1, 4]))
        yield result(f"{name_of(dtype)}-negative", dtype, [negative, whole], power_of(negative, whole), 4)
        for e in (0, 1, 2, 3, 0.5, -1, -0.5, 4):
            for label, x in (("special", special(dtype)), ("5x7", numbers("base", dtype, (5, 7)))):
                y = make(np.array(e))
                yield result(f"{name_of(dtype)}-{label}-to-{e}", dtype, [x, y], power_of(x, y), 4, weights=[1])


def whole_power(x, y, bits):
    """Of Python's integers, wrapped."""
    if y < 0:
        return {1: 1, -1: 1 if y % 2 == 0 else -1}.get(x, 0)
    value = pow(x, y, 2 ** bits)
    return value - 2 ** bits if value >= 2 ** (bits - 1) else value


def mixed_powers():
    """Bases and exponents of different types, and integers."""
    for base, exponent in ((F32, I32), (F32, I64), (F32, I8), (F32, U8), (F32, F64), (F64, I64), (F64, F32), (BF16, I64), (FP16, I32), (F32, U16), (F32, U32), (F64, U64), (F32, I16)):
        x = numbers("base", base, (5, 9), -2.5, 2.5)
        y = numbers("exponent", exponent, (9,)) if exponent in (F32, F64) else np.array([0, 1, 2, 3, 5, 7, 4, 12, 6]).astype(exponent)
        if exponent in (I32, I64, I8, I16):
            y[6:] = -y[6:]
        if exponent in (F32, F64):
            x = abs(x)
        yield result(f"{name_of(base)}-to-{name_of(exponent)}", base, [x, y], power_of(x, y), 4, constants=[[1]])
        if exponent in (I32, I64):
            for e in (2, 4, -1):
                y = np.array(e, exponent)
                yield result(f"{name_of(base)}-to-{name_of(exponent)}-{e}", base, [x, y], power_of(x, y), 4, weights=[1])
    for base, exponent in ((I32, I32), (I64, I64), (I32, I64), (I64, I32), (I32, U8), (I64, I8), (I32, U16), (I32, I16), (I32, U32), (I64, U32), (I32, U64), (I64, U64)):
        left = np.array([0, 1, -1, 2, -2, 3, 7, -11, 1000, np.iinfo(base).min, np.iinfo(base).max], dtype=base)[:, None]
        info = np.iinfo(exponent)
        right = np.array([0, 1, 2, 3, 5, 30, 31, info.max, info.max - 1, max(info.min, -3), max(info.min, -2), info.min], dtype=exponent)
        bits = np.iinfo(base).bits
        y = np.array([[whole_power(int(a), int(b), bits) for b in right] for a in left[:, 0]], dtype=object).astype(base)
        yield Case(f"{name_of(base)}-to-{name_of(exponent)}", [left, right], [y], constants=[[1]])
    base, exponent = np.array([[2], [3], [10], [-4], [0]], I32), np.array([0.5, 2.0, 1.5, 3.0, 0.0], F32)
    exact = power_of(base.astype(F64), exponent)
    exact = np.where(np.isnan(exact), 0, np.trunc(exact))
    yield Case("i32-to-f32", [base, exponent], [exact.astype(I32)])


def total(divide):
    def make():
        for dtype in FLOATS:
            own = {F64: F64}.get(dtype, F32)
            x, y, z = numbers("v0", dtype, (3, 1)), numbers("v1", dtype, (5,)), numbers("v2", dtype, (2, 1, 5))
            for label, values in (("one", [x]), ("two", [y, z]), ("three", [x, y, z]), ("special", [special(dtype), special(dtype)[::-1].copy()])):
                parts = [np.asarray(v).view(np.ndarray).astype(own) for v in values]
                with np.errstate(all="ignore"):
                    sum_ = parts[0]
                    for part in parts[1:]:
                        sum_ = np.asarray(sum_ + part, own)
                    if divide and len(parts) > 1:
                        sum_ = np.asarray(sum_ / own(len(parts)), own)
                constants = [[1]] if len(values) > 1 else []
                yield result(f"{name_of(dtype)}-{label}", dtype, list(values), sum_, constants=constants)

    return make


def mod():
    for dtype in INTEGERS:
        for fmod in (0, 1):
            for label, a, b, constants in binary_arguments(dtype, "mod"):
                x, y = np.broadcast_arrays(a, b)
                values = []
                for v, w in zip(x.ravel().tolist(), y.ravel().tolist()):
                    if w == 0:
                        values.append(0)
                    elif fmod:
                        values.append(abs(v) % abs(w) * (-1 if v < 0 else 1))
                    else:
                        values.append(v % w)
                y = np.array(values, dtype=dtype).reshape(x.shape)
                yield Case(f"{label}{'-fmod' if fmod else ''}", [a, b], [y], constants=constants, **({"fmod": 1} if fmod else {}))


def float_mod():
    """C's fmod, which is exact."""
    for dtype in FLOATS:
        for label, x, y, constants in binary_arguments(dtype, "fmod"):
            with np.errstate(all="ignore"):
                yield result(f"{label}-fmod", dtype, [x, y], np.fmod(wide(x), wide(y)), constants=constants, fmod=1)
        far = {F32: 30, F64: 300, BF16: 30, FP16: 3}[dtype]
        make = FORMATS[dtype].rounded if dtype in FORMATS else lambda v: np.asarray(v).astype(dtype)
        x, y = make(np.linspace(1, 9, 35) * powers_of_ten(-far, far, 35)), make(np.linspace(-7, 5, 35))
        yield result(f"{name_of(dtype)}-far-fmod", dtype, [x, y], np.fmod(wide(x), wide(y)), fmod=1)


def sign(x):
    return np.where(np.isnan(x), x, np.sign(x)) if x.dtype.kind == "f" else np.sign(x)


def kind_of(function, suffix="", **attributes):
    """A question about each element."""

    def make():
        for dtype in FLOATS:
            for label, x in arguments(dtype, None):
                yield Case(f"{name_of(dtype)}-{label}{suffix}", [x], [np.asarray(function(wide(x)))], **attributes)

    return make


def shrunk(limit, bias):
    return lambda x: np.where(x < -limit, x + bias, np.where(x > limit, x - bias, LONG(0)))


def swish(alpha):
    return lambda x: x / (1 + np.exp(-LONG(alpha) * x))


def biased(function, ulps, is_optional=False):
    """Of x and a row, added in the type."""

    def make():
        for dtype in (F32, F64):
            for shape in some(((5, 7), (17,), (2, 3, 33), (0, 3), (4, 1)), dtype):
                x, bias = numbers(f"bx {shape}", dtype, shape, -4, 4), numbers(f"bb {shape}", dtype, shape[-1:])
                y = np.array([function(Decimal(float(v))) for v in np.asarray(x + bias).ravel()], LONG).reshape(shape)
                yield result(f"{name_of(dtype)}-{shape_name(shape)}", dtype, [x, bias], y, ulps, constants=[[1]])
            if is_optional:
                x = numbers("bx", dtype, (3, 19), -4, 4)
                y = np.array([function(Decimal(float(v))) for v in x.ravel()], LONG).reshape(x.shape)
                yield result(f"{name_of(dtype)}-no-bias", dtype, [x], y, ulps)

    return make


LESS = ("17", "special")
OPERATORS = {
    "Ceil": unary(np.ceil, points=WHOLE),
    "Floor": unary(np.floor, points=WHOLE),
    "Round": unary(np.rint, points=WHOLE),
    "Sign": unary(sign, (*FLOATS, *INTEGERS)),
    "Reciprocal": unary(lambda x: 1 / x),
    "Sin": unary(lambda x: np.where(x == 0, x, sine(x)), TRIGONOMETRIC, 4, ANGLES),
    "Cos": unary(lambda x: sine(x, 1), TRIGONOMETRIC, 4, ANGLES),
    "Tan": trigonometric(lambda x: np.where(x == 0, x, sine(x) / sine(x, 1)), 4, ANGLES),
    "Asin": trigonometric(np.arcsin, 4, UNIT_RANGE, -1.0, 1.0),
    "Acos": trigonometric(np.arccos, 4, UNIT_RANGE, -1.0, 1.0),
    "Atan": trigonometric(np.arctan, 4, SLOPES),
    "Sinh": trigonometric(np.sinh, 4, HYPERBOLIC),
    "Cosh": trigonometric(np.cosh, 4, HYPERBOLIC),
    "Asinh": trigonometric(np.arcsinh, 4, AREAS),
    "Acosh": trigonometric(np.arccosh, 4, AREAS, 1.0, 9.0),
    "Atanh": trigonometric(np.arctanh, 4, UNIT_RANGE, -1.0, 1.0),
    "HardSigmoid": several(hard_sigmoid(0.2, 0.5), hard_sigmoid(0.5, -0.25)),
    "HardSwish": hard_swish,
    "Elu": several(unary(elu(1), ulps=4, points=SMOOTH), unary(elu(2.5), ulps=6, suffix="-alpha-2.5", only=LESS, alpha=2.5)),
    "Selu": several(unary(elu(*SELU), ulps=6, points=SMOOTH),
                    unary(elu(2, 3), ulps=6, suffix="-2-3", only=LESS, alpha=2.0, gamma=3.0)),
    "Celu": several(unary(elu(1), ulps=4, points=SMOOTH), unary(elu(2, 1, 2), ulps=6, suffix="-alpha-2", only=LESS, alpha=2.0)),
    "Softplus": unary(softplus_of, ulps=4, points=SMOOTH),
    "Mish": unary(mish, ulps=8, points=SMOOTH),
    "Softsign": unary(lambda x: x / (1 + np.abs(x)), ulps=2, points=SMOOTH),
    "Swish": several(unary(swish(1), ulps=8, points=mirrored([1e-6, 0.01, 1, 3, 10, 30, 60])),
                     unary(swish(0.5), ulps=8, suffix="-alpha-0.5", only=LESS, alpha=0.5)),
    "QuickGelu": unary(swish(1.702), ulps=12, points=mirrored([1e-6, 0.01, 1, 3, 10])),
    "ThresholdedRelu": several(unary(lambda x: np.where(x > 1, x, LONG(0)), points=[1, 1.01, 0.99, -1, -2, 7]),
                               unary(lambda x: np.where(x > -0.5, x, LONG(0)), suffix="-alpha--0.5", only=LESS, alpha=-0.5)),
    "Shrink": several(unary(shrunk(0.5, 0), points=mirrored([0.5, 0.51, 0.49, 3])),
                      unary(shrunk(1.5, 0.25), suffix="-1.5-0.25", only=LESS, lambd=1.5, bias=0.25)),
    "IsNaN": kind_of(np.isnan),
    "IsInf": several(kind_of(np.isinf), kind_of(np.isposinf, "-positive", detect_negative=0), kind_of(np.isneginf, "-negative", detect_positive=0),
                     kind_of(lambda x: np.zeros(x.shape, bool), "-none", detect_negative=0, detect_positive=0)),
    "BiasGelu": biased(ref.gelu, 4),
    "FastGelu": biased(ref.gelu_tanh, 4, is_optional=True),
    "PRelu": prelu,
    "Pow": lambda: [*pow_(), *mixed_powers()],
    "Sum": total(False),
    "Mean": total(True),
    "Mod": lambda: [*mod(), *float_mod()],
}
