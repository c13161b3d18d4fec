"""bf16, which numpy does not have: an array of Bf16 is one of floats whose lower 16 bits are zero."""
import numpy as np

LONG = np.longdouble
DIGITS, SMALLEST, LARGEST = 8, -133, 128  # bits of the significand; exponents of the smallest number and of infinity


class Bf16(np.ndarray):
    """Floats that are numbers of bf16."""


class BF16(np.float32):
    """What stands for the type where numpy wants one: its arrays are floats until `rounded` is applied."""


def is_bf16(array):
    return isinstance(array, Bf16) and array.dtype == np.float32


def rounded(values):
    """To the nearest bf16, ties to even, by way of longdouble only: rounded once."""
    y = np.asarray(values, dtype=LONG)
    with np.errstate(all="ignore"):
        size = np.abs(y)
        step = np.maximum(np.frexp(size)[1] - DIGITS, SMALLEST)
        size = np.ldexp(np.rint(np.ldexp(size, -step)), step)
        size = np.where(size >= LONG(2) ** LARGEST, LONG(np.inf), size)
        size = np.where(np.isfinite(y), size, np.abs(y))
        return np.asarray(np.copysign(size, y), dtype=np.float32).view(Bf16)


def upper_halves(array):
    return (np.ascontiguousarray(array).view(np.ndarray).view(np.uint32) >> 16).astype(np.uint16)


def text(value):
    """Four digits tell all numbers apart."""
    return f"{value:.4g}".replace("e+", "e")


def all_numbers():
    """All 65536 of them."""
    return (np.arange(65536, dtype=np.uint32) << 16).view(np.float32).view(Bf16)


def result(exact, error):
    """(expected, bound): what a correct implementation may round is anything within `error` of the exact result."""
    exact = np.asarray(exact, LONG)
    error = np.where(np.isfinite(exact), error, LONG(0))
    expected, low, high = rounded(exact), rounded(exact - error), rounded(exact + error)
    with np.errstate(invalid="ignore"):
        apart = [np.abs(LONG(1) * np.asarray(end, LONG) - np.asarray(expected, LONG)) for end in (low, high)]
    bound = np.where(np.isfinite(expected), np.maximum(*apart), LONG(0))
    if not np.all(np.isfinite(bound)):
        raise ValueError("a result between the largest bf16 and infinity")
    return expected, np.asarray(bound)


def half_ulp(y):
    """Half a unit in the last place at a number, rounded up to the next power of two."""
    exponent = np.maximum(np.frexp(np.abs(np.asarray(y, LONG)))[1] - DIGITS, SMALLEST)
    return np.ldexp(LONG(1), exponent - 1)
