"""Arguments and results of any element type, for operators whose cases differ only by type. A type is a numpy type, or one of
narrow.FORMATS."""
import numpy as np

import cases
from cases import BOOLEAN, F32, F64, I8, I16, I32, I64, SHORT, U8, U16, U32, U64, Case, shape_name, uniform
from narrow import BF16, FORMATS, FP16, LONG

FLOATS = (F32, F64, BF16, FP16)
INTEGERS = (I8, U8, I32, I64, I16, U16, U32, U64)
ALL = (*FLOATS, *INTEGERS, BOOLEAN)
SHAPES = ((17,), (), (5, 7), (0,), (1, 33), (13, 1), (2, 3, 5))
UNIT = LONG(2) ** -24  # of f32


def name_of(dtype):
    return FORMATS[dtype].name if dtype in FORMATS else SHORT[dtype]


def numbers(seed, dtype, shape, low=-2.0, high=2.0):
    if dtype in FORMATS:
        return FORMATS[dtype].rounded(uniform(f"{name_of(dtype)} {seed}", F32, shape, low, high))
    if dtype == BOOLEAN:
        return uniform(seed, I32, shape) % 2 == 0
    return np.asarray(uniform(seed, dtype, shape, low, high))


def special(dtype):
    """NaN, infinities, zeros, subnormals and the ends of the range; of integers the limits."""
    if dtype in FORMATS:
        f = FORMATS[dtype]
        edges = [np.nan, np.inf, 0.0, f.tiny, f.normal, f.largest, 1.0, 1 + f.epsilon, 0.5, 2.5, 3.5]
        return f.rounded(edges + [-e for e in edges[1:]])
    if dtype in cases.FLOATS:
        return np.concatenate([cases.special(dtype), np.array([2.5, -2.5, 1.5, -1.5, 3.5], dtype)])
    if dtype == BOOLEAN:
        return np.array([False, True])
    info = np.iinfo(dtype)
    return np.array([info.min, info.max, 0, 1, 2, info.max - 1], dtype=dtype)


def rounded(y, dtype):
    """To the type, once."""
    if dtype in FORMATS:
        return FORMATS[dtype].rounded(y)
    return cases.as_dtype(y, dtype)


def result(name, dtype, inputs, exact, ulps=0, **options):
    """A case whose result is `exact` (longdouble, or of the type itself) up to so many ulps of the type that it is computed in.
    Functions, which are within 4 ulp, are less exact where their results are rounded to 16 bits."""
    with np.errstate(all="ignore"):
        if dtype not in FORMATS:
            return Case(name, inputs, [rounded(exact, dtype)], ulps, **options)
        if ulps == 0:
            return Case(name, inputs, [FORMATS[dtype].rounded(exact)], **options)
        y = np.asarray(exact, LONG)
        few = FORMATS[dtype].few_digits
        units = few if ulps == 4 else 2 * few if ulps > 4 else 2 * ulps
        error = np.where(np.isfinite(y), units * UNIT * np.abs(y) + LONG(2) ** -149, LONG(0))
        expected, bound = FORMATS[dtype].result(y, error)
        return Case(name, inputs, [expected], **({"bounds": [bound]} if np.any(bound) else {}), **options)


def wide(x):
    """As longdouble, of floats; integers stay."""
    x = np.asarray(x)
    return x.view(np.ndarray).astype(LONG) if x.dtype.kind == "f" else x


def some(shapes, dtype):
    """All shapes for f32; the shape's part of the code does not depend on the type."""
    return shapes if dtype == F32 else shapes[:2]


def pairs(dtype):
    values = special(dtype)[:12]
    left, right = np.meshgrid(values, values)
    if dtype in FORMATS:
        return FORMATS[dtype].rounded(left.ravel()), FORMATS[dtype].rounded(right.ravel())
    return left.ravel(), right.ravel()


BROADCASTS = (((5, 7), (5, 7)), ((5, 1), (1, 7)), ((5, 7), ()), ((7,), (5, 7)), ((2, 1, 5), (3, 1)), ((1,), (1,)), ((), ()),
              ((0, 3), (1, 3)), ((3, 17), (3, 1)), ((1, 33), (1, 33)))


def binary_arguments(dtype, seed="b"):
    """(label, a, b, constants)"""
    for sa, sb in some(BROADCASTS, dtype):
        label = f"{name_of(dtype)}-{shape_name(sa)}-{shape_name(sb)}"
        yield label, numbers(f"{seed} a {sa} {sb}", dtype, sa), numbers(f"{seed} b {sa} {sb}", dtype, sb), [[1]]
    yield f"{name_of(dtype)}-special", *pairs(dtype), []
