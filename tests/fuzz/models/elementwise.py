"""Operators that compute each element by itself, with broadcasting."""
import math

import numpy as np

from draw import function_error, generator, once, single, working_unit
from elements import EVERY, FLOATS, INTEGERS, LONG, NUMERIC, SIGNED, UNSIGNED, is_float, is_unsigned, limits, nearest, wrapped
from model import Array, Expected


def erf(x):
    return np.array([LONG(math.erf(float(v))) for v in x.ravel()], LONG).reshape(x.shape)


def erfc(x):
    """math.erfc takes a double: what is left of a number with more digits counts by the slope, which is steep beside the small results."""
    near = x.astype(np.float64)
    values = np.array([LONG(math.erfc(v)) for v in near.ravel()], LONG).reshape(x.shape)
    left = np.where(np.isfinite(near), x - near, 0)
    return values - 2 / np.sqrt(LONG(math.pi)) * np.exp(-near.astype(LONG) ** 2) * left


def softplus(x):
    return np.where(np.isnan(x), x, np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def gelu(x):
    return np.where(x == np.inf, x, x * erfc(-x / np.sqrt(LONG(2))) / 2)


def gelu_tanh(x):
    return np.where(x == np.inf, x, x / (1 + np.exp(-2 * np.sqrt(2 / LONG(math.pi)) * (x + LONG(0.044715) * x * x * x))))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Function, ulps (0: exact), first opset, least and greatest argument, numbers that are left out.
FUNCTIONS = {
    "Exp": (np.exp, 4, 6), "Log": (np.log, 4, 6), "Sqrt": (np.sqrt, 0, 6), "Abs": (np.abs, 0, 6), "Neg": (np.negative, 0, 6), "Ceil": (np.ceil, 0, 6),
    "Floor": (np.floor, 0, 6), "Round": (np.rint, 0, 11), "Reciprocal": (lambda x: 1 / x, 0, 6), "Sin": (np.sin, 4, 7), "Cos": (np.cos, 4, 7),
    "Tan": (np.tan, 6, 7), "Asin": (np.arcsin, 4, 7), "Acos": (np.arccos, 4, 7), "Atan": (np.arctan, 4, 7), "Sinh": (np.sinh, 6, 9),
    "Cosh": (np.cosh, 6, 9), "Asinh": (np.arcsinh, 6, 9), "Acosh": (np.arccosh, 6, 9), "Atanh": (np.arctanh, 6, 9), "Tanh": (np.tanh, 4, 6),
    "Erf": (erf, 4, 9), "Sigmoid": (sigmoid, 4, 6), "Softplus": (softplus, 4, 7), "Sign": (np.sign, 0, 9),
    "Softsign": (lambda x: x / (1 + np.abs(x)), 2, 7), "Mish": (lambda x: x * np.tanh(softplus(x)), 8, 18),
    "HardSwish": (lambda x: x * np.clip(x / 6 + LONG(0.5), 0, 1), 4, 14), "Relu": (lambda x: np.where(x < 0, LONG(0), x), 0, 6),
}
# Far arguments need as many digits of pi as there are: longdouble's own functions lack them.
TRIGONOMETRIC = {"Sin", "Cos", "Tan"}
OF_INTEGERS = {"Abs": INTEGERS, "Neg": SIGNED, "Sign": INTEGERS, "Relu": SIGNED}


def in_type(y, element, error=None):
    return Expected(np.asarray(y), element, error)


@generator(*FUNCTIONS)
def unary(draw, name):
    function, ulps, first = FUNCTIONS[name]
    element = draw.choose(FLOATS if draw.chance(0.7) else OF_INTEGERS.get(name, FLOATS))
    opset = draw.opset(max(first, 14 if not is_float(element) and name == "Relu" else 13 if element == "bf16" else 7))
    if not is_float(element):
        x = draw.array(element, draw.shape())
        y = {"Abs": lambda v: np.where(v < 0, -v, v) if v.dtype.kind == "i" else v, "Neg": lambda v: -v, "Sign": lambda v: (v > 0).astype(v.dtype) - (v < 0).astype(v.dtype),
             "Relu": lambda v: np.where(v < 0, 0, v)}[name](x.values)
        return draw.model(name, [x], {}, [in_type(wrapped(y, element), element)], opset)
    low, high = draw.choose([(-2, 2), (-9, 9), (-0.01, 0.01), (-100, 100)])
    without = (np.inf, -np.inf, 1e30, -1e30, *(() if name not in TRIGONOMETRIC else ())) if name in TRIGONOMETRIC else ()
    x = draw.array(element, draw.shape(), low, high, special=0.5, without=without)
    if name in TRIGONOMETRIC:
        x = Array(np.where(np.abs(x.values) > 1e4, 1.0, x.values), element)
    with np.errstate(all="ignore"):
        y = function(once(x.values, element) if ulps == 0 else x.values.astype(LONG))
        error = None if ulps == 0 else function_error(y, element, ulps)
        if name in ("Tan", "Sin", "Cos"):
            error = error + 4 * working_unit(element) ** 2
        if name == "HardSwish":  # x / 6 and 1/2 cancel near -3, where their sum is rounded as they are
            error = error + np.where(np.isfinite(x.values), np.abs(x.values), 0) * working_unit(element)
    return draw.model(name, [x], {}, [in_type(y, element, error)], opset)


def elu(x, alpha):
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0, x)))


# Attributes as (name, default, least, greatest), the function of x and them, ulps, first opset.
WITH_ATTRIBUTES = {
    "LeakyRelu": ([("alpha", 0.01, -1, 2)], lambda x, a: np.where(x < 0, a * x, x), 1, 6),
    "Elu": ([("alpha", 1.0, 0, 2)], elu, 6, 6),
    "Celu": ([("alpha", 1.0, 0.25, 2)], lambda x, a: elu(x / a, a) if False else np.where(x > 0, x, a * np.expm1(np.where(x > 0, 0, x) / a)), 6, 12),
    "Selu": ([("alpha", 1.67326319217681884765625, 0.5, 2), ("gamma", 1.05070102214813232421875, 0.5, 2)], lambda x, a, g: g * elu(x, a), 6, 6),
    "HardSigmoid": ([("alpha", 0.2, -1, 1), ("beta", 0.5, -1, 1)], lambda x, a, b: np.clip(a * x + b, 0, 1), 2, 6),
    "ThresholdedRelu": ([("alpha", 1.0, -1, 1)], lambda x, a: np.where(x > a, x, np.where(np.isnan(x), LONG(0), LONG(0))), 0, 10),
    "Shrink": ([("lambd", 0.5, 0, 1), ("bias", 0.0, -1, 1)], lambda x, l, b: np.where(x < -l, x + b, np.where(x > l, x - b, LONG(0))), 1, 9),
    "Swish": ([("alpha", 1.0, -2, 2)], lambda x, a: x * sigmoid(a * x), 8, 24),
}


@generator(*WITH_ATTRIBUTES)
def with_attributes(draw, name):
    listed, function, ulps, first = WITH_ATTRIBUTES[name]
    element = draw.choose(FLOATS)
    given = {key: draw.real(low, high) for key, _, low, high in listed if draw.chance(0.7)}
    numbers = [single(given[key]) if key in given else LONG(default) for key, default, _, _ in listed]
    low, high = draw.choose([(-2, 2), (-9, 9)])
    without = {"Selu": (), "Elu": ()}.get(name, ())
    x = draw.array(element, draw.shape(), low, high, special=0.3, without=(np.nan, *without) if name in ("ThresholdedRelu", "Shrink") else without)
    with np.errstate(all="ignore"):
        v = x.values.astype(LONG)
        y = function(v, *numbers)
        error = None
        if ulps:
            error = function_error(y, element, ulps) + 4 * working_unit(element) * np.where(np.isfinite(v), np.minimum(np.abs(v), 100), 0)
    return draw.model(name, [x], given, [in_type(y, element, error)], draw.opset(first, max(first, 23)))


@generator("Gelu")
def gelus(draw, name):
    element = draw.choose(FLOATS)
    given = {"approximate": draw.choose(["none", "tanh"])} if draw.chance(0.7) else {}
    x = draw.array(element, draw.shape(), *draw.choose([(-2, 2), (-9, 9)]), special=0.3, without=(-np.inf,))
    with np.errstate(all="ignore"):
        y = (gelu_tanh if given.get("approximate") == "tanh" else gelu)(x.values.astype(LONG))
        error = 2 * function_error(y, element)
    return draw.model(name, [x], given, [in_type(y, element, error)], draw.opset(20))


@generator("QuickGelu", "FastGelu", "BiasGelu")
def contributed(draw, name):
    element = draw.choose(["f32", "f64", "bf16", "f16"])
    shape = draw.shape(1, 4)
    x = draw.array(element, shape)
    given, inputs, v = {}, [x], x.values.astype(LONG)
    with np.errstate(all="ignore"):
        if name == "QuickGelu":
            given = {"alpha": draw.real(0.5, 2)} if draw.chance(0.5) else {}
            y = v * sigmoid(single(given.get("alpha", 1.702)) * v)
        else:
            if name == "BiasGelu" or draw.chance(0.5):
                bias = draw.array(element, shape[-1:])
                inputs, v = [x, bias], v + bias.values.astype(LONG)
            y = gelu(v) if name == "BiasGelu" else gelu_tanh(v)
        error = 2 * function_error(y, element) + 8 * working_unit(element) * np.abs(v)
    return draw.model(name, inputs, given, [in_type(y, element, error)], draw.opset(), domain="com.microsoft")


def divided(a, b):
    """Towards zero; x / 0 is 0."""
    safe = np.where(b == 0, 1, b)
    q = np.abs(a.astype(object)) // np.abs(safe.astype(object))
    return either(b == 0, 0, either((a < 0) != (b < 0), -q, q))


def either(condition, a, b):
    """np.where of integers of any size: those of arrays without dimensions are no f64 in between."""
    return np.where(condition, np.asarray(a, object), np.asarray(b, object))


def remainder(a, b):
    safe = either(b == 0, 1, b)
    return either(b == 0, 0, a.astype(object) % safe)


def truncated_remainder(a, b):
    return either(b == 0, 0, a.astype(object) - b.astype(object) * divided(a, b))


def modulo(values, element):
    """Of integers of any size."""
    bits = limits(element)[1].bit_length() + (not is_unsigned(element))
    values = np.asarray(values, object) & ((1 << bits) - 1)
    if not is_unsigned(element):
        values = either(values >= 1 << (bits - 1), values - (1 << bits), values)
    return np.asarray(values).astype(np.uint64 if is_unsigned(element) else np.int64)


ARITHMETIC = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}


def of_integers(name, a, b):
    a, b = np.broadcast_arrays(a, b)
    a, b = a.astype(object), b.astype(object)
    return divided(a, b) if name == "Div" else ARITHMETIC[name](a, b)


@generator(*ARITHMETIC)
def arithmetic(draw, name):
    element = draw.choose(FLOATS if draw.chance(0.6) else INTEGERS)
    shapes = draw.broadcast(2)
    inputs = [draw.array(element, shape, special=0.3) for shape in shapes]
    opset = draw.opset(14 if element in ("i8", "i16", "u8", "u16") else 13 if element == "bf16" else 7)
    a, b = (i.values for i in inputs)
    with np.errstate(all="ignore"):
        y = ARITHMETIC[name](once(a, element), once(b, element)) if is_float(element) else modulo(of_integers(name, a, b), element)
    return draw.model(name, inputs, {}, [in_type(y, element)], opset)


@generator("Mod")
def mod(draw, name):
    element = draw.choose(FLOATS if draw.chance(0.4) else INTEGERS)
    inputs = [draw.array(element, shape) for shape in draw.broadcast(2)]
    a, b = np.broadcast_arrays(*(i.values for i in inputs))
    with np.errstate(all="ignore"):
        if is_float(element):
            given, y = {"fmod": 1}, np.fmod(a.astype(LONG), b.astype(LONG))
        else:
            given = {"fmod": 1} if draw.chance(0.3) else {"fmod": 0} if draw.chance(0.3) else {}
            y = modulo((truncated_remainder if given.get("fmod") else remainder)(a, b), element)
    return draw.model(name, inputs, given, [in_type(y, element)], draw.opset(13 if element == "bf16" else 10))


@generator("Pow")
def power(draw, name):
    element = draw.choose(["f32", "f64", "bf16", "f16", "i32", "i64"])
    other = element if draw.chance(0.6) else draw.choose(["f32", "f64", "i32", "i64"])
    shapes = draw.broadcast(2)
    if is_float(element):
        a = draw.array(element, shapes[0], 0.0 if is_float(other) and draw.chance(0.5) else -3, 3, special=0.2)
        b = draw.array(other, shapes[1], special=0.2) if is_float(other) else Array(draw.rng.integers(-4, 5, shapes[1]), other)
        with np.errstate(all="ignore"):
            y = np.power(a.values.astype(LONG), b.values.astype(LONG))
            error = function_error(y, element, 6) if element != "f64" else function_error(y, element, 4) * 64
        return draw.model(name, [a, b], {}, [in_type(y, element, error)], draw.opset(15 if element == "bf16" else 13 if other != element else 12))
    a = Array(draw.rng.integers(-3, 4, shapes[0]), element)
    b = Array(draw.rng.integers(0, 9, shapes[1]), other) if not is_float(other) else Array(draw.rng.integers(0, 5, shapes[1]).astype(float), other)
    y = modulo(np.power(*np.broadcast_arrays(a.values.astype(object), b.values.astype(np.int64).astype(object))), element)
    return draw.model(name, [a, b], {}, [in_type(y, element)], draw.opset(13))


COMPARISONS = {"Equal": np.equal, "Less": np.less, "Greater": np.greater, "LessOrEqual": np.less_equal, "GreaterOrEqual": np.greater_equal}


@generator(*COMPARISONS)
def comparison(draw, name):
    element = draw.choose(NUMERIC + (["bool"] if name == "Equal" else []))
    inputs = [draw.array(element, shape, special=0.4) for shape in draw.broadcast(2)]
    if is_float(element) and draw.chance(0.5):
        inputs = [Array(nearest(np.round(i.values), element), element) for i in inputs]
    with np.errstate(all="ignore"):
        y = COMPARISONS[name](*(i.values for i in inputs))
    return draw.model(name, inputs, {}, [in_type(y, "bool")], draw.opset(16 if "Or" in name else 13 if element == "bf16" else 11 if name == "Equal" else 9))


@generator("And", "Or", "Xor")
def logical(draw, name):
    inputs = [draw.array("bool", shape) for shape in draw.broadcast(2)]
    y = {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}[name](*(i.values for i in inputs))
    return draw.model(name, inputs, {}, [in_type(y, "bool")], draw.opset(7))


@generator("Not")
def logical_not(draw, name):
    x = draw.array("bool", draw.shape())
    return draw.model(name, [x], {}, [in_type(~x.values, "bool")], draw.opset(7))


@generator("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot")
def bitwise(draw, name):
    element = draw.choose(INTEGERS)
    inputs = [draw.array(element, shape) for shape in (draw.broadcast(2) if name != "BitwiseNot" else [draw.shape()])]
    y = {"BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor, "BitwiseNot": np.invert}[name](*(i.values for i in inputs))
    return draw.model(name, inputs, {}, [in_type(wrapped(y, element), element)], draw.opset(18))


@generator("BitShift")
def bit_shift(draw, name):
    element, direction = draw.choose(UNSIGNED), draw.choose(["LEFT", "RIGHT"])
    shapes = draw.broadcast(2)
    a = draw.array(element, shapes[0])
    b = Array(draw.rng.integers(0, limits(element)[1].bit_length(), shapes[1]).astype(np.uint64).reshape(shapes[1]), element)
    y = (np.left_shift if direction == "LEFT" else np.right_shift)(a.values, b.values)
    return draw.model(name, [a, b], {"direction": direction}, [in_type(wrapped(y, element), element)], draw.opset(11))


def zero_aware(choose, sign):
    """Of two zeros, the one of that sign; NaN propagates."""
    return lambda a, b: np.where(np.isnan(a) | np.isnan(b), LONG(np.nan), choose(a, b))


@generator("Max", "Min", "Sum", "Mean")
def variadic(draw, name):
    element = draw.choose(FLOATS if name in ("Sum", "Mean") or draw.chance(0.5) else INTEGERS)
    count = draw.integer(1, 4)
    inputs = [draw.array(element, shape, special=0.3 if name in ("Max", "Min") else 0) for shape in draw.broadcast(count)]
    opset = draw.opset(13 if element == "bf16" else 12 if not is_float(element) else 8)
    arrays = [once(i.values, element) if is_float(element) else i.values for i in inputs]
    with np.errstate(all="ignore"):
        if name in ("Max", "Min"):
            y = arrays[0]
            for other in arrays[1:]:
                y = (np.maximum if name == "Max" else np.minimum)(y, other)
            return draw.model(name, inputs, {}, [in_type(y, element)], opset)
        y, size = sum(arrays), sum(map(np.abs, arrays))
        y, size = (y, size) if name == "Sum" else (y / count, size / count)
        error = (count + 1) * working_unit(element) * size
    return draw.model(name, inputs, {}, [in_type(y, element, error if count > 2 or name == "Mean" or element in ("bf16", "f16") else None)], opset)


@generator("Where")
def where(draw, name):
    element = draw.choose(EVERY)
    shapes = draw.broadcast(3)
    inputs = [draw.array("bool", shapes[0]), *(draw.array(element, shape, special=0.3) for shape in shapes[1:])]
    y = np.where(*(i.values for i in inputs))
    return draw.model(name, inputs, {}, [in_type(y, element)], draw.opset(16 if element == "bf16" else 9))


@generator("PRelu")
def prelu(draw, name):
    element = draw.choose(FLOATS + ["i32", "i64"])
    x = draw.array(element, draw.shape(1, 4))
    slope = tuple(1 if draw.chance(0.4) else n for n in x.shape)[draw.integer(0, len(x.shape)):]
    slope = draw.array(element, slope)
    with np.errstate(all="ignore"):
        if is_float(element):
            y = np.where(x.values < 0, once(x.values, element) * once(slope.values, element), once(x.values, element))
        else:
            y = modulo(np.where(x.values < 0, x.values.astype(object) * slope.values.astype(object), x.values.astype(object)), element)
    return draw.model(name, [x, slope], {}, [in_type(y, element)], draw.opset(16 if element == "bf16" else 9 if not is_float(element) else 7))


@generator("Clip")
def clip(draw, name):
    element = draw.choose(FLOATS if draw.chance(0.6) else INTEGERS)
    old = is_float(element) and element != "bf16" and draw.chance(0.3)
    x = draw.array(element, draw.shape(), special=0.3)
    ends = [np.asarray(v) for v in sorted([draw.values(element, ()) for _ in range(2)], key=lambda v: v.item())]
    low, high = (e if draw.chance(0.7) else None for e in ends)
    y = x.values.astype(LONG) if is_float(element) else x.values
    y = y if low is None else np.where(y < low, low, y)
    y = y if high is None else np.where(y > high, high, y)
    if old:
        given = {k: float(v) for k, v in (("min", low), ("max", high)) if v is not None}
        if any(np.float32(v) != v for v in given.values()):
            return clip(draw, name)
        return draw.model(name, [x], given, [in_type(y, element)], draw.opset(6, 10))
    inputs = [x, *(None if v is None else Array(v, element) for v in (low, high))]
    return draw.model(name, inputs, {}, [in_type(y, element)], draw.opset(13 if element == "bf16" else 12 if not is_float(element) else 11))


@generator("IsNaN", "IsInf")
def is_special(draw, name):
    element = draw.choose(FLOATS)
    x = draw.array(element, draw.shape(), special=1)
    if name == "IsNaN":
        return draw.model(name, [x], {}, [in_type(np.isnan(x.values), "bool")], draw.opset(20 if element == "bf16" else 9))
    given = {key: int(draw.chance(0.5)) for key in ("detect_negative", "detect_positive") if draw.chance(0.5)}
    y = (x.values == np.inf) & bool(given.get("detect_positive", 1)) | (x.values == -np.inf) & bool(given.get("detect_negative", 1))
    return draw.model(name, [x], given, [in_type(y, "bool")], draw.opset(20 if element in ("bf16", "f16") else 10))
