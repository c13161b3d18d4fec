"""What single elements become: arith and math, and names that linalg gives them. Each takes the element type and numbers."""
import math

import numpy as np

from operations_values import BITS, is_float, rounded, width

U64 = np.uint64


def unsigned(x, bits):
    x = np.asarray(x).astype(np.int64).astype(U64)
    return x if bits == 64 else x & U64((1 << bits) - 1)


def by_unsigned(function):
    def of(element, *arguments):
        bits = BITS[element]
        return rounded(function(*(unsigned(x, bits) for x in arguments)).astype(np.int64), element)
    return of


def quotient(a, b):
    """Toward zero."""
    a, b = np.broadcast_arrays(np.asarray(a, np.int64), np.asarray(b, np.int64))
    whole = a // b
    return whole + ((whole * b != a) & ((a < 0) != (b < 0)))


def each(function):
    """A function of Python's numbers."""
    return lambda *arguments: np.vectorize(function, otypes=[float])(*arguments)


def erf(x):
    return each(lambda v: v if math.isnan(v) else math.erf(v))(x)


def minimum(quiet):
    def of(a, b):
        least = np.where(np.isnan(a), b if quiet else a, np.where(np.isnan(b), a if quiet else b, np.minimum(a, b)))
        return least
    return of


def maximum(quiet):
    least = minimum(quiet)
    return lambda a, b: -least(-np.asarray(a), -np.asarray(b))


def away(x):
    """To the nearest whole number, ties away from zero."""
    with np.errstate(all="ignore"):
        return np.where(np.isfinite(x), np.copysign(np.floor(np.abs(x)) + (np.abs(x) - np.floor(np.abs(x)) >= 0.5), x), x)


FLOAT_UNARY = {  # function, and whether it has to be exact
    "exp": (np.exp, False), "log": (np.log, False), "abs": (np.abs, True), "ceil": (np.ceil, True), "floor": (np.floor, True),
    "negf": (np.negative, True), "reciprocal": (lambda x: 1 / x, True), "round": (away, True), "sqrt": (np.sqrt, True),
    "rsqrt": (lambda x: 1 / np.sqrt(x), False), "square": (np.square, True), "tanh": (np.tanh, False), "erf": (erf, False),
}

FLOAT_BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "max": maximum(False), "min": minimum(False),
}

INTEGER_BINARY = {
    "add": lambda e, a, b: rounded(a + b, e),
    "sub": lambda e, a, b: rounded(a - b, e),
    "mul": lambda e, a, b: rounded(a * b, e),
    "div": lambda e, a, b: rounded(quotient(a, b), e),
    "div_unsigned": by_unsigned(lambda a, b: a // b),
    "max": lambda e, a, b: np.maximum(a, b),
    "min": lambda e, a, b: np.minimum(a, b),
    "max_unsigned": by_unsigned(np.maximum),
    "min_unsigned": by_unsigned(np.minimum),
}
BOOL_BINARY = {"add": np.logical_or, "mul": np.logical_and}


def binary(name, element):
    """The function of two numbers that linalg calls so, or None."""
    if element == "i1":
        return BOOL_BINARY.get(name)
    if is_float(element):
        function = FLOAT_BINARY.get(name)
        return function and (lambda a, b: rounded(function(a, b), element))
    function = INTEGER_BINARY.get(name)
    return function and (lambda a, b: function(element, a, b))


def divisors(random, element, shape):
    """Not 0, and not -1 where the dividend may be the least number."""
    if is_float(element):
        return rounded(random.uniform(0.5, 4, shape) * random.choice([-1, 1], shape), element)
    return random.integers(1, 12, shape) * np.where(random.integers(0, 2, shape) == 0, 1, -3)


def ulp_of(element, exact):
    """Of a function that promises 4 units in the last place of f32 and f64; narrow types are rounded once."""
    if exact:
        return 0
    return 4 if element in ("f32", "f64") else 1


def mask_of(element):
    return (1 << width(element)) - 1
