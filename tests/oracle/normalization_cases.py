"""LayerNormalization, RMSNormalization, GroupNormalization and InstanceNormalization, in all types of floats."""
import numpy as np

import narrow
from cases import FLOATS, SHORT, Case, as_dtype, shape_name, uniform
from narrow import FORMATS, LONG
from narrow_cases import NarrowCases

F32 = np.float32


def normalized(x, axes, epsilon, scale, bias, dtype, centred=True):
    """(the result, its error), computed in `dtype` with sums of squares of centred elements; u is its unit roundoff.

    The sum of n elements is off by (n + 1) u mean|x|, which moves all centred elements alike; their sum is 0, so that the
    variance sees it squared only.
    """
    u = LONG(np.finfo(dtype).eps) / 2
    x, epsilon = np.asarray(x, LONG), LONG(dtype(epsilon))
    count = int(np.prod([x.shape[a] for a in axes]))
    if x.size == 0:
        return x, x
    with np.errstate(all="ignore"):
        mean = np.mean(x, axis=axes, keepdims=True) if centred else LONG(0)
        off = (count + 1) * u * np.mean(np.abs(x), axis=axes, keepdims=True) if centred else LONG(0)
        d = x - mean
        variance = np.mean(d * d, axis=axes, keepdims=True)
        variance_off = (count + 6) * u * variance + 4 * u * off * np.sqrt(variance) * count + off * off
        inverse = 1 / np.sqrt(variance + epsilon)
        relative = variance_off / (variance + epsilon) + 5 * u
        y, error = d * inverse, inverse * (off + u * np.abs(d)) + np.abs(d * inverse) * (relative + u)
        if scale is not None:
            scale = np.asarray(scale, LONG)
            y, error = y * scale, error * np.abs(scale) + np.abs(y * scale) * u
        if bias is not None:
            y = y + np.asarray(bias, LONG)
            error = error + u * np.abs(y)
    # Where the variance is infinite, what is finite becomes an exact 0.
    return y, np.where(np.isfinite(y) & np.isfinite(error), LONG(1.1) * error + LONG(np.finfo(dtype).smallest_subnormal), LONG(0))


class Type:
    """An element type: how to make numbers of it, and a case from an exact result and the error before rounding."""

    rough = LONG(0)  # the error of functions of few digits

    def __init__(self, dtype):
        self.dtype, self.name = dtype, SHORT[dtype]

    def random(self, name, shape, low=-2.0, high=2.0):
        return uniform(name, self.dtype, shape, low, high)

    def case(self, name, inputs, y, error, **options):
        rounded = as_dtype(y, self.dtype)
        half = np.where(np.isfinite(y), np.abs(np.spacing(rounded)).astype(LONG), LONG(0))
        return Case(f"{self.name}-{name}", inputs, [rounded], bounds=[np.where(error > 0, error + half, LONG(0))], **options)


class NarrowType(NarrowCases):
    dtype = F32
    case = NarrowCases.near

    @property
    def name(self):
        return self.format.name

    @property
    def rough(self):
        return self.format.few_digits * LONG(2) ** -24


TYPES = [Type(dtype) for dtype in FLOATS] + [NarrowType(format) for format in FORMATS.values()]


def numbers(kind, name, shape):
    """Elements that are far from 0 in some rows, so that the mean matters."""
    x = kind.random(name, shape)
    if x.ndim > 1 and x.shape[0] > 1:
        x[1] = kind.random(name + " far", shape, 30.0, 31.0)[1]
    return x


def from_axis(operator):
    """Layer or RMS normalization."""
    centred = operator == "LayerNormalization"
    forms = (((5, 7), -1, (7,), (7,)), ((4, 64), -1, (64,), (64,)), ((2, 3, 33), -1, (33,), None), ((2, 3, 5), 1, (3, 5), (3, 5)),
             ((2, 3, 5), 0, (2, 3, 5), (5,)), ((2, 3, 5), -2, (1, 5), (3, 1)), ((3, 1), -1, (1,), (1,)), ((7,), 0, (7,), ()),
             ((0, 4), -1, (4,), (4,)), ((3, 0), -1, (0,), (0,)), ((6, 4), -1, (), None), ((3, 300), -1, (300,), (300,)))
    for kind in TYPES:
        for shape, axis, scale_shape, bias_shape in forms if kind.name in ("f32", "bf16") else forms[::3]:
            x = numbers(kind, f"{operator} {shape}", shape)
            scale = kind.random(f"scale {scale_shape}", scale_shape)
            bias = None if bias_shape is None or not centred else kind.random(f"bias {bias_shape}", bias_shape)
            first = axis % len(shape)
            y, error = normalized(x, tuple(range(first, len(shape))), 1e-5, scale, bias, kind.dtype, centred)
            inputs = [x, scale] + ([] if bias is None else [bias])
            attributes = {} if axis == -1 else {"axis": axis}
            yield kind.case(f"{shape_name(shape)}-axis-{axis}", inputs, y, error, constants=[[i for i in range(1, len(inputs))]],
                            **attributes)
        x = kind.random(f"{operator} special", (7, 9))
        x[0, 3], x[1, 4], x[2, 0], x[3], x[4] = np.nan, np.inf, -np.inf, 0.0, -0.0
        x[5] = x[5, 0]
        scale = kind.random("special scale", (9,))
        y, error = normalized(x, (1,), 0.25, scale, None, kind.dtype, centred)
        yield kind.case("special", [x, scale], y, error, epsilon=0.25)


def statistics():
    """LayerNormalization with its mean and 1 / deviation, which are f32 for narrower types."""
    for kind in TYPES:
        wide = kind.dtype if kind.name in ("f32", "f64") else F32
        for shape, axis in ((5, 7), -1), ((2, 3, 33), 1), ((1, 1), -1):
            x = numbers(kind, f"statistics {shape}", shape)
            scale = kind.random(f"scale {shape}", shape[axis % len(shape):])
            axes = tuple(range(axis % len(shape), len(shape)))
            y, error = normalized(x, axes, 1e-5, scale, None, kind.dtype)
            u, count = LONG(np.finfo(wide).eps) / 2, int(np.prod([shape[a] for a in axes]))
            exact = np.asarray(x, LONG)
            mean = np.mean(exact, axis=axes, keepdims=True)
            off = (count + 1) * u * np.mean(np.abs(exact), axis=axes, keepdims=True)
            variance = np.mean((exact - mean) ** 2, axis=axes, keepdims=True)
            variance_off = (count + 6) * u * variance + 4 * u * off * np.sqrt(variance) * count + off * off
            inverse = 1 / np.sqrt(variance + LONG(kind.dtype(1e-5)))
            inverse_off = inverse * (variance_off / (variance + LONG(1e-5)) + 6 * u)
            case = kind.case(f"{shape_name(shape)}-axis-{axis}-statistics", [x, scale], y, error, constants=[[1]],
                             **({} if axis == -1 else {"axis": axis}))
            case.expected += [as_dtype(mean, wide), as_dtype(inverse, wide)]
            case.bounds += [off + u * np.abs(mean) + LONG(np.finfo(wide).smallest_subnormal), inverse_off + u * inverse]
            yield case


def by_channels(operator):
    forms = (((2, 4, 3, 5), 2), ((1, 6, 7), 3), ((3, 4), 2), ((2, 8, 4, 4), 8), ((2, 6, 5), 1), ((1, 1, 1, 1), 1), ((2, 4, 0), 2),
             ((0, 4, 3), 2), ((2, 33, 9), 11))
    for kind in TYPES:
        for shape, groups in forms if kind.name in ("f32", "bf16") else forms[::3]:
            if operator == "InstanceNormalization":
                groups = shape[1]
            x = numbers(kind, f"{operator} {shape}", shape)
            scale, bias = kind.random(f"scale {shape[1]}", (shape[1],)), kind.random(f"bias {shape[1]}", (shape[1],))
            rest = shape[2:]
            grouped = x.reshape(shape[0], groups, shape[1] // groups, int(np.prod(rest)))
            spread = [np.asarray(v, LONG).reshape(groups, shape[1] // groups, 1) for v in (scale, bias)]
            y, error = normalized(grouped, (2, 3), 1e-5, *spread, kind.dtype)
            attributes = {"num_groups": groups} if operator == "GroupNormalization" else {}
            yield kind.case(f"{shape_name(shape)}-by-{groups}", [x, scale, bias], y.reshape(shape), error.reshape(shape),
                            constants=[[1, 2]], **attributes)


def lp(kind, x, axis, p):
    """(the result, its error); vectors of zeros stay."""
    u = LONG(np.finfo(kind.dtype).eps) / 2
    x = np.asarray(x, LONG)
    norm = np.sum(np.abs(x), axis=axis, keepdims=True) if p == 1 else np.sqrt(np.sum(x * x, axis=axis, keepdims=True))
    y = x / np.where(norm == 0, LONG(1), norm)
    return y, (x.shape[axis] + 5) * u * np.abs(y) + np.where(y == 0, LONG(0), LONG(np.finfo(kind.dtype).smallest_subnormal))


def lp_normalization():
    forms = (((5, 7), -1), ((4, 64), -1), ((3, 5, 4), 1), ((7, 33), 0), ((9,), 0), ((3, 1), -1), ((0, 4), -1), ((2, 300), -1))
    for kind in TYPES:
        for shape, axis in forms if kind.name == "f32" else forms[::3]:
            for p in (1, 2):
                x = kind.random(f"lp {shape}", shape)
                if x.ndim == 2 and x.shape[0] > 2:
                    x[2] = 0.0
                attributes = {} if axis == -1 else {"axis": axis}
                y, error = lp(kind, x, axis, p)
                yield kind.case(f"{shape_name(shape)}-axis-{axis}-p-{p}", [x], y, error, p=p, **attributes)


def mean_variance():
    forms = (((2, 3, 4, 5), None), ((2, 3, 1, 7), [0, 2, 3]), ((5, 33), [-1]), ((4, 6, 5), [1, 0]), ((7,), [0]), ((1, 2, 1, 1), None))
    for kind in TYPES:
        for shape, axes in forms if kind.name == "f32" else forms[::2]:
            x = numbers(kind, f"mv {shape}", shape)
            reduced = tuple(a % len(shape) for a in axes or (0, 2, 3))
            y, error = normalized(x, reduced, 0.0, None, None, kind.dtype)
            exact = np.asarray(x, LONG)
            d = exact - np.mean(exact, axis=reduced, keepdims=True)
            deviation = np.sqrt(np.mean(d * d, axis=reduced, keepdims=True))
            y = np.where(deviation > 0, d / (deviation + LONG(1e-9)), LONG(0))
            error = np.where(deviation > 0, np.where(np.isfinite(error), error, LONG(0)) + LONG(2e-9) * np.abs(y) / np.where(deviation > 0, deviation, LONG(1)), LONG(0))
            yield kind.case(f"{shape_name(shape)}-axes-{'-'.join(map(str, reduced))}", [x], y, error, **({"axes": axes} if axes else {}))


OPERATORS = {
    "LpNormalization": lp_normalization,
    "MeanVarianceNormalization": mean_variance,
    "LayerNormalization": lambda: [*from_axis("LayerNormalization"), *statistics()],
    "RMSNormalization": lambda: from_axis("RMSNormalization"),
    "GroupNormalization": lambda: by_channels("GroupNormalization"),
    "InstanceNormalization": lambda: by_channels("InstanceNormalization"),
}
