"""Element types of the table of operations: what numbers they hold, and as which bytes.

Numbers are float64 for floats, int64 for integers and index, and bool for i1, whatever holds them in the library.
"""
import numpy as np

FLOATS = ["f32", "f64", "f16", "bf16", "f8E4M3FN", "f8E5M2"]
INTEGERS = ["i8", "i16", "i32", "i64"]
ALL = FLOATS + ["i1"] + INTEGERS + ["index"]
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}

# Digits with the hidden one, the exponent of the smallest normal number, the largest number, what is beyond it.
FORMATS = {
    "f8E4M3FN": (4, -6, 448.0, np.nan),
    "f8E5M2": (3, -14, 57344.0, np.inf),
    "bf16": (8, -126, float.fromhex("0x1.fep127"), np.inf),
    "f16": (11, -14, 65504.0, np.inf),
    "f32": (24, -126, float.fromhex("0x1.fffffep127"), np.inf),
    "f64": (53, -1022, float.fromhex("0x1.fffffffffffffp1023"), np.inf),
}
STORED = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": np.uint16, "f8E4M3FN": np.uint8, "f8E5M2": np.uint8,
          "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


def is_float(element):
    return element in FORMATS


def width(element):
    return BITS.get(element) or np.dtype(STORED[element]).itemsize * 8


def rounded(values, element):
    """Numbers as the type holds them: to nearest, ties to even; integers wrap."""
    if element == "i1":
        return np.asarray(values).astype(bool)
    if not is_float(element):
        values, bits = np.asarray(values).astype(np.int64), BITS[element]
        if bits == 64:
            return values
        return ((values + (1 << (bits - 1))) & ((1 << bits) - 1)) - (1 << (bits - 1))
    values = np.asarray(values, np.float64)
    if element == "f64":
        return values
    digits, lowest, largest, beyond = FORMATS[element]
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.where(np.isfinite(values), values, 0))
        quantum = np.ldexp(1.0, np.maximum(exponent - 1, lowest) - (digits - 1))
        near = np.where(np.isfinite(values), np.rint(values / quantum) * quantum, values)
    if element == "f8E4M3FN":  # it has no infinity
        near = np.where(np.isinf(near), np.nan, near)
    return np.where(np.abs(near) > largest, np.copysign(beyond, near), near) if beyond == np.inf else np.where(np.abs(near) > largest, beyond, near)


def _float8(element):
    """The numbers of bits 0 to 127."""
    digits, lowest, _, _ = FORMATS[element]
    bits = np.arange(128)
    fraction, exponent = bits & ((1 << (digits - 1)) - 1), bits >> (digits - 1)
    numbers = np.where(exponent == 0, np.ldexp(fraction * 1.0, lowest - digits + 1),
                       np.ldexp(fraction + (1 << (digits - 1)) * 1.0, exponent - 1 + lowest - digits + 1))
    if element == "f8E4M3FN":
        numbers[127] = np.nan
    else:
        numbers[124], numbers[125:] = np.inf, np.nan
    return numbers


FLOAT8 = {element: _float8(element) for element in ("f8E4M3FN", "f8E5M2")}


def stored(values, element):
    """Numbers that the type holds as the arrays that the library takes."""
    if element == "bf16":
        return (np.asarray(values, np.float32, order="C").view(np.uint32) >> 16).astype(np.uint16)
    if element in FLOAT8:
        table = FLOAT8[element]
        finite = np.nan_to_num(np.abs(values), nan=0.0, posinf=0.0)
        bits = np.searchsorted(np.where(np.isfinite(table), table, 1e9), finite)
        bits = np.where(np.isinf(values), 124, np.where(np.isnan(values), 127, bits))
        return (bits | np.where(np.signbit(values), 128, 0)).astype(np.uint8)
    return np.asarray(values, STORED[element], order="C")


def numbers(array, element):
    """And back."""
    if element == "bf16":
        return np.left_shift(array.astype(np.uint32), np.uint32(16)).view(np.float32).astype(np.float64)
    if element in FLOAT8:
        return np.where(array & 128, -1.0, 1.0) * FLOAT8[element][array & 127]
    if is_float(element):
        return array.astype(np.float64)
    return array.astype(bool) if element == "i1" else array.astype(np.int64)


def small(random, element, shape):
    """Whole numbers of which a few hundred products add up without rounding (in floats of 8 bits: a few)."""
    if element == "i1":
        return random.integers(0, 2, shape).astype(bool)
    most = {"f8E4M3FN": 2, "f8E5M2": 1}.get(element, 3)
    return random.integers(-most, most + 1, shape).astype(np.float64 if is_float(element) else np.int64)


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5, -2.5]


def wide(random, element, shape, low=-10.0, high=10.0, special=True):
    """Numbers of all sorts: with `special`, also infinities, NaN, zeros of both signs and ties of floats; extremes of integers."""
    if element == "i1":
        return random.integers(0, 2, shape).astype(bool)
    if is_float(element):
        values = random.uniform(low, high, shape)
        if special and values.ndim:
            flat = values.reshape(-1)
            chosen = random.permutation(flat.size)[: len(SPECIAL)]
            flat[chosen] = np.array(SPECIAL)[random.permutation(len(SPECIAL))[: len(chosen)]]
        return rounded(values, element)
    bits = BITS[element]
    values = random.integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1, shape, dtype=np.int64, endpoint=True)
    few = random.integers(-9, 10, shape)
    values = np.where(random.integers(0, 2, shape) == 0, few, values)
    if values.ndim and values.size > 3:
        values.reshape(-1)[:3] = [-(1 << (bits - 1)), (1 << (bits - 1)) - 1, 0]
    return values


def near_least_normal(random, element, shape):
    """Numbers of all sorts, and those around the smallest normal one."""
    least = rounded(random.uniform(-2, 2, shape) * 2.0 ** FORMATS[element][1], element)
    return np.where(random.integers(0, 2, shape) == 0, wide(random, element, shape), least)


def distance(found, expected, element):
    """How many values of the type lie between; 0 for two NaN or two zeros, a large number where one only is finite."""
    if not is_float(element):
        return np.where(found == expected, 0, np.inf)
    with np.errstate(all="ignore"):
        digits, lowest, largest, _ = FORMATS[element]
        larger = np.maximum(np.abs(found), np.abs(expected))
        _, exponent = np.frexp(np.where(np.isfinite(larger), larger, 1))
        quantum = np.ldexp(1.0, np.maximum(exponent - 1, lowest) - (digits - 1))
        apart = np.abs(found - expected) / quantum
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    return np.where(same, 0, np.where(np.isfinite(found) & np.isfinite(expected), apart, np.inf))
