"""Element types of models: numbers of each as numpy has them, their bytes in a model and in memory, and the nearest number of each type.

Floats are kept as float64 (as longdouble where that is more), integers as int64 or uint64, all of them numbers of their type."""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "oracle"))
import narrow  # noqa: E402

LONG = np.longdouble
# By kgen's name: the number that ONNX has for it.
NUMBERS = {"f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "bool": 9, "f16": 10, "f64": 11, "u32": 12, "u64": 13, "bf16": 16,
           "f8e4m3fn": 17, "f8e5m2": 19, "u4": 21, "i4": 22}
FLOATS = ["f32", "f64", "bf16", "f16"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
INTEGERS = SIGNED + UNSIGNED
NUMERIC = FLOATS + INTEGERS
STORED = ["f8e4m3fn", "f8e5m2", "i4", "u4"]
EVERY = NUMERIC + ["bool"] + STORED
FORMATS = {known.name: known for known in narrow.FORMATS.values()}
FLOATS8 = {name: narrow.STORED[name] for name in ("f8e4m3fn", "f8e5m2")}
PLAIN = {"f32": np.float32, "f64": np.float64, "bool": np.bool_, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32,
         "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "i4": np.int8, "u4": np.uint8}
# The unit roundoff.
UNITS = {"f32": LONG(2) ** -24, "f64": LONG(2) ** -53, "bf16": LONG(2) ** -8, "f16": LONG(2) ** -11, "f8e4m3fn": LONG(2) ** -4, "f8e5m2": LONG(2) ** -3}
# What sums and functions are computed in.
WIDE = {"f32": "f32", "f64": "f64", "bf16": "f32", "f16": "f32"}


def is_float(element):
    return element in UNITS


def is_unsigned(element):
    return element.startswith("u")


def limits(element):
    """Of integers, the least and the greatest."""
    if element in ("i4", "u4"):
        return (-8, 7) if element == "i4" else (0, 15)
    info = np.iinfo(PLAIN[element])
    return int(info.min), int(info.max)


def nearest(values, element):
    """Floats as numbers of the type, rounded once."""
    known = FORMATS.get(element) or FLOATS8.get(element)
    with np.errstate(all="ignore"):
        if known:
            return np.asarray(known.rounded(values)).view(np.ndarray).astype(np.float64)
        return np.asarray(values).astype(PLAIN[element]).astype(np.float64)


def wrapped(values, element):
    """Integers modulo 2^bits: of int64 or uint64, which wrap by themselves."""
    return np.asarray(values).astype(PLAIN[element]).astype(np.uint64 if is_unsigned(element) else np.int64)


def least(element):
    """The smallest number above 0."""
    known = FORMATS.get(element) or FLOATS8.get(element)
    return LONG(known.tiny) if known else LONG(np.finfo(PLAIN[element]).smallest_subnormal)


def normal(element):
    """The smallest normal number."""
    known = FORMATS.get(element) or FLOATS8.get(element)
    return LONG(known.normal) if known else LONG(np.finfo(PLAIN[element]).tiny)


def greatest(element):
    known = FORMATS.get(element) or FLOATS8.get(element)
    return LONG(known.largest) if known else LONG(np.finfo(PLAIN[element]).max)


def stored(values, element):
    """As the library has them in memory."""
    values = np.asarray(values)
    if element in FORMATS:
        return np.asarray(FORMATS[element].bits(values.astype(np.float32))).reshape(values.shape)
    if element in FLOATS8:
        table = np.asarray(FLOATS8[element].all_numbers()).view(np.ndarray).astype(np.float64)
        codes = {(v, bool(np.signbit(v))): i for i, v in reversed(list(enumerate(table))) if v == v}
        nan = int(np.flatnonzero(np.isnan(table))[0])
        found = [nan if v != v else codes[(float(v), bool(np.signbit(v)))] for v in values.ravel()]
        return np.array(found, np.uint8).reshape(values.shape)
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(values.astype(PLAIN[element])).reshape(values.shape)


def loaded(array, element):
    """The numbers of what `stored` makes."""
    if element == "bf16":
        return np.left_shift(array.ravel(), 16, dtype=np.uint32).view(np.float32).astype(np.float64).reshape(array.shape)
    if element == "f16":
        return np.ascontiguousarray(array).view(np.float16).astype(np.float64).reshape(array.shape)
    if element in FLOATS8:
        return np.asarray(FLOATS8[element].all_numbers()).view(np.ndarray).astype(np.float64)[array]
    if element in ("f32", "f64"):
        return array.astype(np.float64)
    return array


def raw(values, element):
    """As a model has them: integers of 4 bits are two a byte."""
    array = stored(values, element)
    if element not in ("i4", "u4"):
        return array.tobytes()
    flat = array.astype(np.int64).ravel() & 15
    flat = np.concatenate([flat, np.zeros(flat.size % 2, np.int64)])
    return (flat[0::2] | flat[1::2] << 4).astype(np.uint8).tobytes()
