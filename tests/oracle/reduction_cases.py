"""Cases of reductions over any axes, of ArgMax and ArgMin, and of LogSoftmax. Sums are checked within n + 2 roundings of the sum of
magnitudes, whatever their order."""
import numpy as np

import reference as ref
from cases import BOOLEAN, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, UNSIGNED, Case, shape_name
from narrow import BF16, FORMATS, LONG
from typed import FLOATS, name_of, numbers, result, rounded, special, wide

TINY = LONG(2) ** -149
# shape, axes (None: all), keepdims
FORMS = (((5, 7), (1,), 1), ((5, 7), (0,), 1), ((5, 7), None, 1), ((5, 7), None, 0), ((2, 3, 5), (0, 2), 0), ((2, 3, 5), (1,), 0),
         ((2, 3, 5), (-1, -2), 1), ((17,), (0,), 1), ((1, 133), (1,), 0), ((1,), (0,), 0), ((), None, 1), ((9, 67), (0,), 0),
         ((3, 2, 33), (0, 1), 1), ((6, 1, 4), (1,), 0), ((0, 3), (0,), 1), ((3, 0), (0,), 1), ((2, 3, 4, 5), (1, 3), 0),
         ((11, 16), (0,), 0), ((5, 2, 37), (1,), 0), ((2, 3), (), 1))


def roundoff(dtype):
    return LONG(2) ** -53 if dtype == F64 else LONG(2) ** -24


def bounded(name, dtype, inputs, y, error, **options):
    """`error`: before the result is rounded to the type."""
    y = np.asarray(y, LONG)
    error = np.where(np.isfinite(y), np.asarray(error, LONG), LONG(0))
    if dtype in FORMATS:
        expected, bound = FORMATS[dtype].result(y, error)
    else:
        expected = np.asarray(rounded(y, dtype))
        bound = np.where(np.isfinite(y), error + ref.half_ulp(y, dtype), LONG(0))
    return Case(name, inputs, [expected], bounds=[np.asarray(bound)], **options)


def label(dtype, shape, axes, keepdims):
    text = "all" if axes is None else "-".join(map(str, axes)) or "none"
    return f"{name_of(dtype)}-{shape_name(shape)}-axes-{text}" + ("" if keepdims else "-dropped")


class Reduction:
    """`terms`: of longdouble, what is added up; `after`: of the sum and the count, (result, factor of the sum's error)."""

    def __init__(self, terms, after):
        self.terms, self.after = terms, after

    def of(self, x, axes, keepdims, dtype):
        u = roundoff(dtype)
        terms = self.terms(x)
        total = np.sum(terms, axis=axes, keepdims=bool(keepdims))
        size = np.sum(np.abs(terms), axis=axes, keepdims=bool(keepdims))
        count = x.size // max(1, total.size) if x.size else 0
        with np.errstate(all="ignore"):
            y, slope = self.after(total, count)
            # `terms` of an exp are within 4 ulp (8 u).
            error = (count + 10) * u * size * slope + 10 * u * np.abs(y)
        return y, error + TINY


def log_of(total, count):
    return np.log(total), 1 / np.abs(total)


def root_of(total, count):
    y = np.sqrt(total)
    return y, np.where(y > 0, 1 / np.where(y > 0, y, LONG(1)), LONG(0))


SUM = Reduction(lambda x: x, lambda s, n: (s, LONG(1)))
MEAN = Reduction(lambda x: x, lambda s, n: (s / LONG(n), 1 / LONG(n)))
L1 = Reduction(np.abs, lambda s, n: (s, LONG(1)))
SQUARES = Reduction(lambda x: x * x, lambda s, n: (s, LONG(1)))
L2 = Reduction(lambda x: x * x, root_of)
LOG_SUM = Reduction(lambda x: x, log_of)


def log_sum_exp(x, axes, keepdims, dtype):
    u = roundoff(dtype)
    few = FORMATS[dtype].few_digits * u if dtype in FORMATS else 0  # of exp and log for 16 bits
    with np.errstate(all="ignore"):
        top = np.max(x, axis=axes, keepdims=True) if x.size else np.full(np.sum(x, axis=axes, keepdims=True).shape, -np.inf, LONG)
        shift = np.where(np.isinf(top), LONG(0), top)
        y = np.log(np.sum(np.exp(x - shift), axis=axes, keepdims=True)) + shift
        count = x.size // max(1, y.size)
        spread = np.max(np.abs(np.where(np.isfinite(x - shift), x - shift, LONG(0)))) if x.size else LONG(0)
        error = (count + 20 + min(spread, LONG(110))) * u + 4 * u * np.abs(y) + 4 * u * np.abs(shift)
        error = error + few * (2 + np.abs(np.where(np.isfinite(y), y - shift, LONG(0))))
    drop = axes if axes is not None else tuple(range(x.ndim))
    return (y, error) if keepdims else (np.squeeze(y, drop), np.squeeze(np.broadcast_to(error, y.shape), drop))


def attributes_of(axes, keepdims, as_input):
    result = {} if keepdims else {"keepdims": 0}
    if axes is not None and not as_input:
        result["axes"] = list(axes)
    return result


def cases_of(function, low=-2.0, positive=False):
    def make():
        for dtype in FLOATS:
            for number, (shape, axes, keepdims) in enumerate(FORMS if dtype == F32 else FORMS[:6]):
                if axes == ():
                    continue
                x = numbers(f"r {shape}", dtype, shape, low, 2.0)
                y, error = function(wide(x), axes, keepdims, dtype)
                as_input = number % 2 == 0
                inputs = [x] + ([np.array(axes, I64)] if axes is not None and as_input else [])
                yield bounded(label(dtype, shape, axes, keepdims), dtype, inputs, y, error, weights=list(range(1, len(inputs))),
                              **attributes_of(axes, keepdims, as_input))
            x = numbers("noop", dtype, (2, 3))
            yield Case(f"{name_of(dtype)}-noop", [x], [x], noop_with_empty_axes=1)
            rows = np.array([[np.nan, 1, 2], [np.inf, 1, -2], [-np.inf, 1, 2], [np.inf, -np.inf, 0], [0.0, -0.0, 0.0], [-np.inf] * 3])
            x = FORMATS[dtype].rounded(rows) if dtype in FORMATS else rows.astype(dtype)
            with np.errstate(all="ignore"):
                y, error = function(wide(x), (1,), 1, dtype)
            yield bounded(f"{name_of(dtype)}-special", dtype, [x], y, np.where(np.isfinite(error), error, LONG(0)), axes=[1])
            y, error = function(wide(numbers("long", dtype, (3, 1200), max(low, 0.0), 2.0)), (1,), 1, dtype)
            yield bounded(f"{name_of(dtype)}-long", dtype, [numbers("long", dtype, (3, 1200), max(low, 0.0), 2.0)], y, error, axes=[1], large=True)
            for shape in ((9, 4133), (37, 3, 129)) if dtype == F32 else ((37, 3, 67),):
                x = numbers("tall", dtype, shape, max(low, 0.0), 2.0)
                y, error = function(wide(x), (0,), 1, dtype)
                yield bounded(f"{name_of(dtype)}-tall-{shape_name(shape)}", dtype, [x], y, error, axes=[0], large=True)

            # Rows that are reduced together, in blocks or across vectors; infinities and NaN among them. Axes around rows.
            for shape in ((1040, 3), (1040, 10), (1051, 6), (53, 31), (37, 50), (19, 130)) if dtype in (F32, *FORMATS) else ((53, 31),):
                x = numbers("rows", dtype, shape, max(low, 0.0), 2.0)
                x[3, 1], x[5, 2], x[7, 0] = np.inf, -np.inf, np.nan
                x[11, :] = -np.inf
                x = FORMATS[dtype].rounded(wide(x)) if dtype in FORMATS else x
                with np.errstate(all="ignore"):
                    y, error = function(wide(x), (1,), 1, dtype)
                yield bounded(f"{name_of(dtype)}-rows-{shape_name(shape)}", dtype, [x], y, np.where(np.isfinite(error), error, LONG(0)), axes=[1],
                              large=True)
            # Short rows that are joined where they are reduced across.
            x = numbers("joined", dtype, (2, 48, 3), max(low, 0.0), 2.0)
            x[0, 3, 1], x[1, 5, 2], x[1, 7, 0] = np.inf, -np.inf, np.nan
            x = FORMATS[dtype].rounded(wide(x)) if dtype in FORMATS else x
            with np.errstate(all="ignore"):
                y, error = function(wide(x), (1,), 1, dtype)
            yield bounded(f"{name_of(dtype)}-short-rows", dtype, [x], y, np.where(np.isfinite(error), error, LONG(0)), axes=[1])
            x = numbers("around", dtype, (5, 6, 70), max(low, 0.0), 2.0)
            y, error = function(wide(x), (0, 2), 1, dtype)
            yield bounded(f"{name_of(dtype)}-around-rows", dtype, [x], y, error, axes=[0, 2], large=True)

    return make


def integer_cases(function, types=(I32, I64, U32, U64)):
    def make():
        for dtype in types:
            for shape, axes, keepdims in FORMS[:8] + FORMS[14:15] * (function not in (np.max, np.min)):
                x = numbers(f"i {shape}", dtype, shape)
                with np.errstate(over="ignore"):
                    y = np.asarray(function(x, axis=axes, keepdims=bool(keepdims))).astype(dtype)
                yield Case(label(dtype, shape, axes, keepdims), [x], [y], **attributes_of(axes, keepdims, False))

    return make


def product(x, axes, keepdims, dtype):
    u = roundoff(dtype)
    y = np.prod(x, axis=axes, keepdims=bool(keepdims))
    count = x.size // max(1, y.size) if x.size else 0
    return y, (count + 2) * u * np.abs(y) + TINY * 2 ** min(count, 60)


def extremum(function, empty):
    """Exact."""

    def of(x, axes, keepdims):
        if x.size == 0:
            return np.full(np.sum(x, axis=axes, keepdims=bool(keepdims)).shape, empty)
        return function(x, axis=axes, keepdims=bool(keepdims))

    def make():
        for dtype in FLOATS:
            for shape, axes, keepdims in FORMS[:-1] if dtype == F32 else FORMS[:6]:
                x = numbers(f"m {shape}", dtype, shape)
                yield Case(label(dtype, shape, axes, keepdims), [x], [rounded(of(wide(x), axes, keepdims), dtype)],
                           **attributes_of(axes, keepdims, False))
            x = special(dtype)
            for name, values in (("special", x), ("special-numbers", x[~np.isnan(np.asarray(x))])):
                yield Case(f"{name_of(dtype)}-{name}", [values], [rounded(of(wide(values), None, 1), dtype)])

    return make


def arg(function, sign):
    def one(dtype, name, x, axis, keepdims, last, large=False):
        v = wide(x)
        if last:
            flipped = np.flip(v, axis)
            y = v.shape[axis] - 1 - function(flipped, axis=axis)
        else:
            y = function(v, axis=axis)
        y = np.asarray(np.expand_dims(y, axis) if keepdims else y).astype(I64)
        attributes = {k: n for k, n, default in (("axis", axis, 0), ("keepdims", keepdims, 1), ("select_last_index", last, 0)) if n != default}
        return Case(f"{name_of(dtype)}-{name}-axis-{axis}" + ("" if keepdims else "-dropped") + ("-last" if last else ""), [x], [y], large=large,
                    **attributes)

    def make():
        # More than caches keep: blocks along the axis, with extrema in several of them, and NaN in one or two.
        for dtype in (F32, F64, BF16, I8, I64):
            for shape, axis in ((264, 1000), 0), ((1, 264192), 1), ((2, 132, 1001), 1):
                x = numbers(f"large arg {shape}", dtype, shape)
                if dtype in FLOATS:
                    flat = x.reshape(-1)
                    flat[131000], flat[263001 % flat.size], flat[3::7919] = np.nan, np.nan, -np.inf
                for last in (0, 1):
                    yield one(dtype, f"large-{shape_name(shape)}", x, axis, 1, last, large=True)
        # Rows across vectors, and together.
        for dtype in (F32, BF16, I32):
            for shape in (1040, 3), (1040, 10), (1051, 13), (53, 31), (37, 50):
                x = numbers(f"arg rows {shape}", dtype, shape)
                if dtype in FLOATS:
                    x.reshape(-1)[[31, 32, 97]] = np.nan, np.nan, np.inf
                for last in (0, 1):
                    yield one(dtype, f"rows-{shape_name(shape)}", x, 1, 1, last, large=True)
        for dtype in (*FLOATS, I8, I32, I64, I16, U8, U16, U32, U64):
            for shape, axis in (((5, 7), 0), ((5, 7), 1), ((2, 3, 5), 1), ((2, 3, 5), -1), ((17,), 0), ((1, 133), 1), ((3, 150), -1), ((9, 67), 0), ((1,), 0), ((0, 3), 1))[:10 if dtype == F32 else 3]:
                x = numbers(f"arg {shape}", dtype, shape)
                for keepdims, last in ((1, 0), (0, 1)):
                    yield one(dtype, shape_name(shape), x, axis, keepdims, last)
            rows = np.array([[1, 3, 3, 1, 3], [2, 2, 2, 2, 2], [-1, -3, 0, -3, -1]] * 9)
            rows = rows % 2**np.iinfo(dtype).bits if dtype in UNSIGNED else rows
            ties = rows.T[:, :21].copy()
            for name, values in (("ties", rows), ("ties-by-column", ties)):
                x = FORMATS[dtype].rounded(values) if dtype in FORMATS else values.astype(dtype)
                for last in (0, 1):
                    yield one(dtype, name, x, 1 if name == "ties" else 0, 1, last)
            if dtype in FLOATS:
                rows = np.array([[1, np.nan, 3, np.nan], [np.inf, 1, np.inf, 2], [-np.inf] * 4, [0.0, -0.0, 0.0, -0.0], [-np.inf, 1, np.inf, 0]])
                x = FORMATS[dtype].rounded(rows) if dtype in FORMATS else rows.astype(dtype)
                yield one(dtype, "special", x, 1, 1, 0)

    return make


def hardmax():
    def one(dtype, name, x, axis):
        y = np.zeros(x.shape)
        if x.size:
            np.put_along_axis(y, np.expand_dims(np.argmax(wide(x), axis=axis), axis), 1, axis)
        return result(f"{name_of(dtype)}-{name}-axis-{axis}", dtype, [x], y, **({} if axis == -1 else {"axis": axis}))

    for shape, axis in (((5, 7), -1), ((5, 7), 0), ((2, 3, 5), 1), ((1,), 0), ((2, 65), -1), ((0, 3), -1)):
        yield one(F32, shape_name(shape), numbers(f"hm {shape}", F32, shape), axis)
    for dtype in FLOATS:
        rows = np.array([[1, np.nan, 3, np.nan], [np.inf, 1, np.inf, 2], [-np.inf] * 4, [0.0, -0.0, 0.0, -0.0], [3, 5, 5, 1]])
        x = FORMATS[dtype].rounded(rows) if dtype in FORMATS else rows.astype(dtype)
        yield one(dtype, "special", x, -1)


def log_softmax():
    shapes = (((5, 7), -1), ((5, 7), 0), ((2, 3, 5), 1), ((7,), -1), ((2, 65), -1), ((1,), 0), ((0, 3), -1), ((2, 17, 33), 1), ((3, 1), 1),
              ((2, 64, 3), 1), ((3, 32, 17), 1))

    def one(dtype, name, x, axis):
        v, u = wide(x), roundoff(dtype)
        with np.errstate(all="ignore"):
            if x.size:
                shifted = v - np.max(v, axis=axis, keepdims=True)
                log = np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
                y = shifted - log
                error = u * (2 * np.abs(shifted) + 10 * np.abs(log) + x.shape[axis] + 25)
            else:
                y, error = v, v
        return bounded(f"{name_of(dtype)}-{name}-axis-{axis}", dtype, [x], y, error, **({} if axis == -1 else {"axis": axis}))

    for dtype in FLOATS:
        for shape, axis in shapes if dtype == F32 else shapes[:3]:
            yield one(dtype, shape_name(shape), numbers(f"ls {shape}", dtype, shape, -4, 4), axis)
        rows = np.array([[1000, 999, -1000, 0], [88, 87, -104, 12], [-1e4] * 4, [np.nan, 1, 2, 3], [-np.inf, 0, 1, 2], [np.inf, 0, 1, 2], [-np.inf] * 4])
        x = FORMATS[dtype].rounded(rows) if dtype in FORMATS else rows.astype(dtype)
        yield one(dtype, "special", x, -1)
        yield one(dtype, "special-by-column", x.T.copy().view(type(x)), 0)
        yield one(dtype, "special-by-short-row", np.tile(x.T, (4, 1)).view(type(x)), 0)


def both(*makers):
    return lambda: [case for make in makers for case in make()]


OPERATORS = {
    "ReduceSum": both(cases_of(SUM.of), integer_cases(np.sum)),
    "ReduceMean": cases_of(MEAN.of),
    "ReduceL1": both(cases_of(L1.of), integer_cases(lambda x, **k: np.sum(np.abs(x), **k))),
    "ReduceL2": cases_of(L2.of),
    "ReduceSumSquare": both(cases_of(SQUARES.of), integer_cases(lambda x, **k: np.sum(x * x, **k))),
    "ReduceLogSum": cases_of(LOG_SUM.of, 0.5),
    "ReduceLogSumExp": cases_of(log_sum_exp),
    "ReduceProd": both(cases_of(product, 0.5), integer_cases(np.prod)),
    "ReduceMax": both(extremum(np.max, -np.inf), integer_cases(np.max, (I8, I32, I64, U8, I16, U16, U32, U64, BOOLEAN))),
    "ReduceMin": both(extremum(np.min, np.inf), integer_cases(np.min, (I8, I32, I64, U8, I16, U16, U32, U64, BOOLEAN))),
    "ArgMax": arg(np.argmax, 1),
    "ArgMin": arg(np.argmin, -1),
    "Hardmax": hardmax,
    "LogSoftmax": log_softmax,
}
