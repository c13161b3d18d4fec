"""Cases of ScatterElements, ScatterND and TensorScatter: one update after another. Reductions are in the type that is computed in, each rounded."""
import itertools

import numpy as np

from cases import F32, F64, I32, I64, Case, shape_name
from narrow import BF16, FORMATS, FP16
from typed import ALL, name_of, numbers, special

REDUCTIONS = ("none", "add", "mul", "max", "min")


def combined(reduction, old, new):
    with np.errstate(all="ignore"):
        return {"none": lambda: new, "add": lambda: old + new, "mul": lambda: old * new, "max": lambda: np.maximum(old, new),
                "min": lambda: np.minimum(old, new)}[reduction]()


def scattered(dtype, data, updates, places, reduction):
    """`data` with the slices `updates` at `places`; narrow types are computed in f32 and rounded each time."""
    y = np.array(np.asarray(data).view(np.ndarray), copy=True)
    updates = np.asarray(updates).view(np.ndarray)
    for i, place in enumerate(places):
        new = combined(reduction, y[place], updates[i])
        y[place] = np.asarray(FORMATS[dtype].rounded(new)).view(np.ndarray) if dtype in FORMATS else new
    return FORMATS[dtype].rounded(y) if dtype in FORMATS else y


def options(reduction, **others):
    return {**others, **({} if reduction == "none" else {"reduction": reduction})}


def index(name, shape, size, dtype=I64):
    """Of both signs."""
    return (np.abs(numbers(name, I32, shape)) % (2 * size) - size).astype(dtype)


def elements_case(dtype, shape, indices_shape, axis, reduction="none", kind=I64, label=""):
    data, updates = numbers(f"sd {shape}", dtype, shape), numbers(f"su {indices_shape}", dtype, indices_shape)
    at = index(f"si {indices_shape} {axis}", indices_shape, shape[axis], kind)
    places = []
    for place in itertools.product(*map(range, indices_shape)):
        where = list(place)
        where[axis] = int(at[place]) % shape[axis]
        places.append(tuple(where))
    y = scattered(dtype, data, np.asarray(updates).reshape(-1), places, reduction)
    name = f"{name_of(dtype)}-{shape_name(shape)}-{shape_name(indices_shape)}-axis-{axis}{label}" + ("" if reduction == "none" else f"-{reduction}")
    return Case(name, [data, at, updates], [y], constants=[[1]], **options(reduction, axis=axis))


def elements():
    for dtype in ALL:
        yield elements_case(dtype, (5, 7), (3, 7), 0)
    for shape, indices, axis in (((7,), (3,), 0), ((7,), (12,), 0), ((4, 5), (4, 9), 1), ((2, 3, 4), (2, 2, 3), -1), ((2, 3, 4), (1, 6, 4), 1), ((5, 7), (0, 7), 0)):
        yield elements_case(F32, shape, indices, axis, kind=I32)
    for dtype in (F32, F64, BF16, FP16, I32, I64):
        for reduction in REDUCTIONS[1:]:
            yield elements_case(dtype, (3, 5), (6, 5), 0, reduction)
    data, updates = np.zeros(3, F32), np.array([1, 2, 3], F32)  # outside: the nearest inside
    yield Case("f32-outside", [data, np.array([-9, 7, 1]), updates], [np.array([1, 3, 2], F32)])


def nd_case(dtype, shape, indices_shape, reduction="none", kind=I64):
    depth = indices_shape[-1]
    updates_shape = (*indices_shape[:-1], *shape[depth:])
    data, updates = numbers(f"nd {shape}", dtype, shape), numbers(f"nu {updates_shape}", dtype, updates_shape)
    at = np.stack([index(f"ni {indices_shape} {i}", indices_shape[:-1], shape[i], kind) for i in range(depth)], -1)
    places = [tuple(int(v) % shape[i] for i, v in enumerate(row)) for row in at.reshape(-1, depth)]
    y = scattered(dtype, data, np.asarray(updates).reshape(len(places), *shape[depth:]), places, reduction)
    name = f"{name_of(dtype)}-{shape_name(shape)}-{shape_name(indices_shape)}" + ("" if reduction == "none" else f"-{reduction}")
    return Case(name, [data, at, updates], [y], constants=[[1]], **options(reduction))


def nd():
    for dtype in ALL:
        yield nd_case(dtype, (6, 19), (3, 1))
    for shape, indices in (((7,), (4, 1)), ((7,), (1,)), ((4, 5), (3, 2)), ((4, 5), (2,)), ((3, 4, 5), (2, 3, 1)), ((3, 4, 5), (7, 2)), ((2, 3, 4), (2, 2, 3)),
                           ((4, 5), (0, 1))):
        yield nd_case(F32, shape, indices, kind=I32)
    for dtype in (F32, F64, BF16, FP16, I32, I64):
        for reduction in REDUCTIONS[1:]:
            yield nd_case(dtype, (3, 18), (7, 1), reduction)
            yield nd_case(dtype, (3, 2), (7, 2), reduction)
    x = special(F32)
    yield Case("f32-special-max", [x, np.arange(x.size)[:, None], x[::-1].copy()], [np.maximum(x, x[::-1])], reduction="max")


def with_rows(cache, update, first, axis=-2, mode="linear"):
    """`cache` with rows of `update` from `first` on, a position of each sequence."""
    y, axis = np.array(cache.view(np.ndarray), copy=True), axis % cache.ndim
    length, rows = cache.shape[axis], update.shape[axis]
    for sequence in range(cache.shape[0]):
        for row in range(rows):
            at = (first[sequence] + row) % length if mode == "circular" else min(max(first[sequence], 0), length - rows) + row
            between = (slice(None),) * (axis - 1)
            y[(sequence, *between, at)] = update.view(np.ndarray)[(sequence, *between, row)]
    return y


def rows_case(dtype, shape, rows, first, label="", **attributes):
    axis = attributes.get("axis", -2) % len(shape)
    cache, update = numbers(f"tc {shape}", dtype, shape), numbers(f"tu {shape}", dtype, (*shape[:axis], rows, *shape[axis + 1:]))
    y = with_rows(cache, update, first, **attributes)
    at = [] if label == "-from-start" else [np.array(first, I64)]
    return Case(f"{name_of(dtype)}-{shape_name(shape)}-{rows}{label}", [cache, update, *at], [FORMATS[dtype].rounded(y) if dtype in FORMATS else y], **attributes)


def rows():
    for dtype in ALL:
        yield rows_case(dtype, (2, 3, 7, 5), 2, [5, 1])
    yield rows_case(F32, (3, 40, 16), 3, [0, 37, 11])
    yield rows_case(F32, (1, 2, 33, 8), 1, [32])
    yield rows_case(F32, (2, 9, 4), 9, [0, 0])
    yield rows_case(F32, (2, 9, 4), 0, [3, 9])
    yield rows_case(F32, (2, 9, 4), 2, [0, 0], "-from-start")
    yield rows_case(F32, (2, 9, 4), 2, [-3, 8], "-outside")
    yield rows_case(F32, (2, 3, 6), 4, [0, 2], "-last-axis", axis=-1)
    yield rows_case(F32, (2, 6, 3, 2), 4, [1, 0], "-axis-1", axis=1)
    for first in ([6, 3], [20, -2]):
        yield rows_case(F32, (2, 3, 7, 4), 3, first, f"-circular-{first[0]}", mode="circular")
    yield rows_case(BF16, (2, 5, 6), 5, [2, 4], "-circular", mode="circular")


OPERATORS = {"ScatterElements": elements, "ScatterND": nd, "TensorScatter": rows}
