"""Cases of operators that choose elements by computed places: Resize, Upsample, DepthToSpace, SpaceToDepth, Trilu, OneHot, EyeLike,
CenterCropPad, TopK, and CumSum."""
import itertools
import math

import numpy as np

import reference as ref
from cases import BOOLEAN, F32, F64, I8, I32, I64, U8, U32, U64, Case, shape_name
from fractions import Fraction
from movement_cases import data, ints, label, moved, plain, types_of
from narrow import BF16, FORMATS, FP16, LONG
from reduction_cases import bounded, roundoff
from typed import FLOATS, INTEGERS, name_of, numbers, special, wide


def original(mode, at, size, result, scale, roi):
    """Where point `at` of the result lies, exactly."""
    if mode == "asymmetric":
        return at / scale
    if mode == "align_corners":
        return Fraction(0) if result == 1 else at * (size - 1) / (size * Fraction(scale) - 1)
    if mode == "tf_crop_and_resize":
        start, end = roi
        return (start + end) * (size - 1) / 2 if result == 1 else start * (size - 1) + at * (end - start) * (size - 1) / (size * Fraction(scale) - 1)
    place = (at + Fraction(1, 2)) / scale - Fraction(1, 2)
    if mode == "pytorch_half_pixel" and result == 1:
        return Fraction(0)
    if mode == "half_pixel_symmetric":
        return Fraction(size, 2) * (1 - result / (scale * size)) + place
    return place


def nearest(place, mode):
    return {"floor": math.floor, "ceil": math.ceil, "round_prefer_floor": lambda p: math.ceil(p - Fraction(1, 2)),
            "round_prefer_ceil": lambda p: math.floor(p + Fraction(1, 2))}[mode](place)


def cubic(distance, a):
    """Keys' cubic convolution."""
    x = abs(distance)
    return (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1 if x <= 1 else a * x ** 3 - 5 * a * x ** 2 + 8 * a * x - 4 * a if x < 2 else Fraction(0)


def shares(place, length, mode, stretch, a, exclude_outside):
    """What each of `length` points counts at a place between them; those beyond count for the point at the border."""
    reach = math.ceil((2 if mode == "cubic" else 1) * stretch)
    low, row = math.floor(place), [Fraction(0)] * length
    weigh = (lambda d: cubic(d, a)) if mode == "cubic" else lambda d: max(1 - abs(d), Fraction(0))
    every = {p: weigh((p - place) / stretch) for p in range(low + 1 - reach, low + 1 + reach) if 0 <= p < length or not exclude_outside}
    for p, share in every.items():
        row[min(max(p, 0), length - 1)] += share / (sum(every.values()) if stretch > 1 or exclude_outside else 1)
    return [LONG(share.numerator) / LONG(share.denominator) for share in row]


def resized(x, axes, mode="nearest", coordinate_transformation_mode="half_pixel", nearest_mode="round_prefer_floor", extrapolation_value=0.0,
            cubic_coeff_a=-0.75, exclude_outside=0, antialias=0, **_):
    """(result, sum of magnitudes) with axes {axis: (size of the result, scale, roi)}, one axis after another in longdouble."""
    kind = coordinate_transformation_mode
    outside = np.zeros((1,) * x.ndim, bool)
    y, size = (x, x) if mode == "nearest" else (wide(x), np.abs(wide(x)))
    for axis, (count, scale, roi) in axes.items():
        length = x.shape[axis]
        places = [original(kind, at, length, count, scale, roi) for at in range(count)]
        if mode == "nearest":
            y = np.take(y, [min(max(nearest(p, nearest_mode), 0), length - 1) for p in places], axis)
        else:
            stretch = max(Fraction(1), 1 / Fraction(scale)) if antialias else Fraction(1)
            rows = np.array([shares(p, length, mode, stretch, Fraction(cubic_coeff_a), exclude_outside) for p in places], LONG).reshape(count, length)
            along = lambda matrix, of: np.moveaxis(np.tensordot(matrix, of, (1, axis)), 0, axis)
            y, size = along(rows, y), along(np.abs(rows), size)
        beyond = np.array([kind == "tf_crop_and_resize" and not 0 <= p <= length - 1 for p in places])
        outside = outside | beyond.reshape([-1 if d == axis else 1 for d in range(x.ndim)])
    outside = np.broadcast_to(outside, y.shape)
    y = np.where(outside, y.dtype.type(extrapolation_value), y)
    return y, None if mode == "nearest" else np.where(outside, abs(extrapolation_value), size)


def single(scale):
    """The number that a scale of f32 is."""
    return Fraction(float(F32(scale)))


HALF = Fraction(1, 2)
# shape, {axis: size, or scale, or (size, start, end)}, attributes
RESIZES = (((1, 2, 3, 4), {2: 2.0, 3: 2.0}, {}),
           ((1, 3, 4, 5), {2: 8, 3: 15}, {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}),
           ((2, 1, 5, 7), {2: 0.6, 3: 1.7}, {}),
           ((1, 1, 4, 4), {2: 7, 3: 3}, {"coordinate_transformation_mode": "align_corners", "nearest_mode": "round_prefer_ceil"}),
           ((1, 2, 5, 6), {2: 3, 3: 4}, {"nearest_mode": "ceil", "coordinate_transformation_mode": "pytorch_half_pixel"}),
           ((1, 2, 8), {2: 1}, {"coordinate_transformation_mode": "pytorch_half_pixel"}),
           ((7, 9), {0: 2.4, 1: 0.5}, {"coordinate_transformation_mode": "half_pixel_symmetric", "nearest_mode": "floor"}),
           ((1, 1, 6, 5), {2: (4, 0.25, 1.25), 3: (6, -0.125, 0.5)}, {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 10.0}),
           ((1, 17, 3), {1: 4.0}, {}),
           ((1, 2, 1, 1), {2: 3.0, 3: 5.0}, {}),
           ((1, 3, 4, 4), {2: 1.0, 3: 1.0}, {}),
           ((1, 2, 3, 17), {3: 4.0}, {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}),
           # Rows of several vectors, whose points are in one register, in two, and further apart.
           ((1, 2, 3, 37), {2: 2.0, 3: 2.0}, {}),
           ((2, 3, 41), {2: 23}, {"coordinate_transformation_mode": "align_corners"}),
           ((2, 90), {1: 20}, {}))
# The same for filters of more points.
FILTERED = (((1, 2, 3, 4), {2: 2.0, 3: 2.0}, {"mode": "cubic"}),
            ((1, 3, 4, 5), {2: 8, 3: 15}, {"mode": "cubic", "coordinate_transformation_mode": "asymmetric", "cubic_coeff_a": -0.5}),
            ((2, 1, 5, 7), {2: 0.6, 3: 1.7}, {"mode": "cubic", "exclude_outside": 1}),
            ((1, 1, 6, 5), {2: (4, 0.25, 1.25), 3: (6, -0.125, 0.5)}, {"mode": "cubic", "coordinate_transformation_mode": "tf_crop_and_resize"}),
            ((1, 2, 9, 17), {2: 4, 3: 5}, {"mode": "cubic", "antialias": 1}),
            ((1, 33, 7), {1: 9, 2: 3}, {"mode": "linear", "antialias": 1, "exclude_outside": 1}),
            ((1, 1, 5, 6), {2: 3.0, 3: 0.4}, {"mode": "linear", "antialias": 1}),
            ((1, 1, 1, 3), {2: 2, 3: 1}, {"mode": "cubic", "coordinate_transformation_mode": "align_corners"}),
            ((2, 5, 19), {1: 12, 2: 51}, {"mode": "cubic"}))


def resize():
    for mode, list_ in (("nearest", RESIZES), ("linear", RESIZES), ("", FILTERED)):
        for number, (shape, wanted, options) in enumerate(list_):
            # The types in which points are only moved; linearly, those of floats.
            for dtype in types_of(number, 1) if mode == "nearest" else (FLOATS if number in (0, 2) else (F32,)):
                x = data(dtype, shape, "resize") if mode == "nearest" else numbers(f"resize {shape}", dtype, shape)
                axes, attributes = {}, {"mode": mode, **options}
                if mode != "nearest":
                    attributes.pop("nearest_mode", None)
                crops = any(isinstance(v, tuple) for v in wanted.values())
                scaled = any(isinstance(v, float) for v in wanted.values())
                for axis, value in wanted.items():
                    size, start, end = value if crops else (value, 0, 1)
                    scale = single(size) if scaled else Fraction(size, shape[axis])
                    count = int(np.floor(F32(shape[axis]) * F32(size))) if scaled else size
                    axes[axis] = count, scale, (Fraction(start), Fraction(end))
                name = label(dtype, attributes["mode"], *(["antialias"] if "antialias" in options else []), shape_name(shape), number)
                y, magnitude = resized(plain(x), axes, **attributes)
                every = [wanted.get(d, 1.0 if scaled else shape[d]) for d in range(len(shape))]
                key = "scales" if scaled else "sizes"

                def case(suffix, inputs, **lists):
                    weights = [i for i, v in enumerate(inputs) if i > 0 and v is not None]
                    if mode == "nearest":
                        return Case(name + suffix, inputs, [moved(dtype, y.astype(plain(x).dtype))], weights=weights, **attributes, **lists)
                    return bounded(name + suffix, dtype, inputs, y, 12 * roundoff(dtype) * magnitude, weights=weights, **attributes, **lists)

                if crops:
                    roi = [v[1] for v in wanted.values()] + [v[2] for v in wanted.values()]
                    yield case("", [x, np.array(roi, F32), None, ints([v[0] for v in wanted.values()])], axes=list(wanted))
                elif number % 2:
                    yield case("", [x], axes=list(wanted), **{key: list(wanted.values())})
                else:
                    inputs = [x, None, np.array(every, F32)] if scaled else [x, None, None, ints(every)]
                    yield case("", inputs)
    for policy, sizes, result in (("not_larger", [6, 8], (6, 9)), ("not_smaller", [6, 8], (5, 8))):
        x = data(F32, (4, 6), policy)
        scale = (min if policy == "not_larger" else max)(Fraction(6, 4), Fraction(8, 6))
        axes = {d: (math.floor(scale * n + HALF), scale, None) for d, n in enumerate((4, 6))}
        y, _ = resized(x, axes)
        yield Case(f"f32-{policy}", [x], [y], sizes=sizes, keep_aspect_ratio_policy=policy)


def upsample():
    forms = (((1, 2, 3, 5), (1, 1, 2, 2)), ((1, 3, 4, 7), (1, 1, 1.5, 3)), ((2, 17), (2, 1)))
    for number, (shape, scales) in enumerate(forms):
        axes = {d: (math.floor(n * s), Fraction(s), None) for d, (n, s) in enumerate(zip(shape, scales)) if s != 1}
        for mode in ("nearest", "linear"):
            x = numbers(f"upsample {shape}", F32, shape)
            y, magnitude = resized(x, axes, mode=mode, coordinate_transformation_mode="asymmetric", nearest_mode="floor")
            inputs, lists = ([x, np.array(scales, F32)], {}) if number != 1 else ([x], {"scales": list(scales)})
            weights = list(range(1, len(inputs)))
            if mode == "nearest":
                yield Case(label(F32, mode, shape_name(shape)), inputs, [np.asarray(y, F32)], weights=weights, **lists)
            else:
                yield bounded(label(F32, mode, shape_name(shape)), F32, inputs, y, 12 * roundoff(F32) * magnitude, weights=weights, mode=mode, **lists)


def depth_to_space():
    for number, (shape, size) in enumerate((((1, 8, 2, 3), 2), ((2, 9, 1, 2), 3), ((1, 4, 5, 33), 2), ((1, 3, 2, 2), 1))):
        n, c, h, w = shape
        for dtype in types_of(number, 1):
            x = data(dtype, shape)
            y = plain(x).reshape(n, size, size, c // size ** 2, h, w).transpose(0, 3, 4, 1, 5, 2)
            yield Case(label(dtype, "dcr", shape_name(shape), size), [x], [moved(dtype, y.reshape(n, c // size ** 2, h * size, w * size))], blocksize=size)
            y = plain(x).reshape(n, c // size ** 2, size, size, h, w).transpose(0, 1, 4, 2, 5, 3)
            yield Case(label(dtype, "crd", shape_name(shape), size), [x], [moved(dtype, y.reshape(n, c // size ** 2, h * size, w * size))], blocksize=size, mode="CRD")


def space_to_depth():
    for number, (shape, size) in enumerate((((1, 2, 4, 6), 2), ((2, 1, 3, 9), 3), ((1, 3, 2, 66), 2))):
        n, c, h, w = shape
        for dtype in types_of(number, 1):
            x = data(dtype, shape)
            y = plain(x).reshape(n, c, h // size, size, w // size, size).transpose(0, 3, 5, 1, 2, 4)
            yield Case(label(dtype, shape_name(shape), size), [x], [moved(dtype, y.reshape(n, c * size ** 2, h // size, w // size))], blocksize=size)


def trilu():
    for number, (shape, k) in enumerate((((4, 5), None), ((3, 3), 1), ((2, 5, 4), -2), ((3, 35), 7), ((4, 3), 2**62), ((4, 3), -9), ((1, 1), 0))):
        for dtype in types_of(number, 1):
            for upper in (1, 0):
                x = data(dtype, shape)
                bound = int(np.clip(k or 0, -99, 99))
                y = moved(dtype, (np.triu if upper else np.tril)(plain(x), bound))
                inputs = [x] if k is None else [x, np.array(k, I64)]
                yield Case(label(dtype, shape_name(shape), k or 0, "upper" if upper else "lower"), inputs, [y], weights=[1] if k is not None else [], upper=upper)


def one_hot():
    for number, (shape, depth, axis) in enumerate((((3,), 5, -1), ((2, 3), 4, 1), ((), 7, 0), ((5,), 35, 0), ((4,), 33, -1))):
        for dtype in types_of(number, 1):
            at = np.asarray(numbers(f"hot {shape}", I32, shape) % (2 * depth + 4) - depth - 2, I64 if number % 2 else I32)
            values = numbers("hot values", dtype, (2,)) if dtype != BOOLEAN else np.array([False, True])
            # Places that are not there stay off.
            place = np.where(at < 0, at + depth, at)
            hot = np.moveaxis(place[..., None] == np.arange(depth), -1, axis)
            y = moved(dtype, np.where(hot, plain(values)[1], plain(values)[0]))
            yield Case(label(dtype, shape_name(shape), depth, f"axis{axis}"), [at, ints(depth), values], [y], weights=[1], constants=[[2]], axis=axis)


    at, values = np.array([0, 4, -1, 7], I64), np.array([-1, 3], F32)
    y = np.where(np.where(at < 0, at + 5, at)[:, None] == np.arange(5), values[1], values[0])
    yield Case("f32-real-depth", [at, np.array([5], F32), values], [y], weights=[1])


def eye_like():
    for dtype, shape, k, to in ((F32, (4, 5), 0, None), (F64, (3, 3), 1, None), (I32, (5, 3), -2, None), (F32, (2, 37), 7, "i64"), (F32, (3, 4), 0, "bool"),
                                (F32, (3, 3), -(2**62), "f64")):
        result = {"i64": I64, "bool": BOOLEAN, "f64": F64}.get(to, dtype)
        y = np.eye(*shape, k=int(np.clip(k, -99, 99))).astype(result)
        attributes = {"k": k, **({"dtype": to} if to else {})}
        yield Case(label(dtype, shape_name(shape), k, to or "same"), [data(dtype, shape)], [y], **attributes)


def center_crop_pad():
    forms = (((5, 8), (3, 4), None), ((3, 4), (6, 7), None), ((2, 7, 35), (4, 40), (1, -1)), ((6, 5), (3, 8), None), ((4, 3), (0, 3), None), ((3, 9), (9,), (1,)), ((0, 8), (2, 4), None))
    for number, (shape, wanted, axes) in enumerate(forms):
        for dtype in (F32, I8, BOOLEAN) if number == 3 else (F32,):
            x = data(dtype, shape)
            y = plain(x)
            for axis, size in zip(axes or range(len(shape)), wanted):
                had = y.shape[axis]
                more, less = max(0, size - had), max(0, had - size)
                y = np.take(y, range(less // 2, less // 2 + min(had, size)), axis)
                y = np.pad(y, [(more // 2, more - more // 2) if d == axis % len(shape) else (0, 0) for d in range(len(shape))])
            name = label(dtype, shape_name(shape), "to", shape_name(wanted))
            yield Case(name, [x, ints(wanted)], [moved(dtype, y)], weights=[1], **({"axes": list(axes)} if axes else {}))


def order(x, largest):
    """Indices along the last axis: numbers in order, the first of equal ones first, NaN as the largest."""
    keys = [(1, 0) if isinstance(v, float) and math.isnan(v) else (0, v) for v in x]
    return sorted(range(len(x)), key=lambda i: ((-keys[i][0], -keys[i][1]) if largest else keys[i], i))


def top_k():
    forms = (((17,), 3, 0), ((3, 20), 5, -1), ((4, 5), 2, 0), ((2, 7, 33), 4, 1), ((9,), 9, 0), ((1, 1), 1, 1), ((5,), 0, 0), ((2, 3, 4), 3, 2))
    for number, (shape, k, axis) in enumerate(forms):
        for dtype in (*FLOATS, *INTEGERS) if number < 2 else (F32,):
            x = numbers(f"top {shape}", dtype, shape)
            if x.size > 8:
                x.flat[5] = x.flat[2]
            for largest in (1, 0):
                yield top_case(label(dtype, shape_name(shape), f"k{k}", f"axis{axis}", "largest" if largest else "smallest"), dtype, x, k, axis, largest)
    for dtype in (*FLOATS, *INTEGERS):
        x = special(dtype)
        for largest in (1, 0):
            yield top_case(label(dtype, "special", "largest" if largest else "smallest"), dtype, x, min(x.size, 12), 0, largest)
    x = np.array([1, 2, 2, 1, 2, 0, -0.0, 0, -0.0], F32)
    yield top_case("f32-equal", F32, x, 9, 0, 1)
    yield top_case("f32-equal-smallest", F32, x, 9, 0, 0)
    indices = top_case("f32-indices", F32, numbers("top indices", F32, (3, 7)), 2, 1, 1)
    indices.nodes, indices.outputs = [("node", "TopK", ["x0", "x1"], indices.attributes, "", "i")], ["i"]
    indices.expected, indices.attributes = indices.expected[1:], {}
    yield indices


def top_case(name, dtype, x, k, axis, largest):
    rows = np.moveaxis(plain(x), axis, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    at = np.array([order([float(v) if np.asarray(v).dtype.kind == "f" else int(v) for v in row], largest)[:k] for row in flat], I64)
    at = np.moveaxis(at.reshape(*rows.shape[:-1], k), -1, axis)
    y = moved(dtype, np.take_along_axis(plain(x), at, axis))
    attributes = {"axis": axis, **({} if largest else {"largest": 0})}
    return Case(name, [x, ints([k])], [y, np.ascontiguousarray(at)], weights=[1], **attributes)


def cum_sum():
    forms = (((7,), 0), ((3, 5), 1), ((3, 5), 0), ((2, 4, 17), 1), ((2, 3, 1), -2), ((1, 40), -1), ((0, 3), 1), ((5, 33), 0))
    for number, (shape, axis) in enumerate(forms):
        for dtype in (*FLOATS, I32, I64, U32, U64) if number < 3 else (F32,):
            for exclusive, reverse in ((0, 0), (1, 0), (0, 1), (1, 1)) if number in (1, 3) else ((0, 0), (1, 1)):
                x = numbers(f"sum {shape}", dtype, shape)

                def sums(v):
                    v = np.flip(v, axis) if reverse else v
                    total = np.cumsum(v, axis, dtype=v.dtype)
                    total = total - v if exclusive else total
                    return np.flip(total, axis) if reverse else total

                name = label(dtype, shape_name(shape), f"axis{axis}") + "-exclusive" * exclusive + "-reverse" * reverse
                attributes = {k: 1 for k, v in (("exclusive", exclusive), ("reverse", reverse)) if v}
                inputs = [x, np.array(axis, I64 if number % 2 else I32)]
                if dtype in INTEGERS:
                    yield Case(name, inputs, [sums(x)], weights=[1], **attributes)
                else:
                    error = (shape[axis] + 2) * roundoff(dtype) * sums(np.abs(wide(x)))
                    yield bounded(name, dtype, inputs, sums(wide(x)), error, weights=[1], **attributes)


def dropout():
    for dtype in (*FLOATS,):
        x = numbers("dropout", dtype, (3, 7))
        yield Case(label(dtype, "3x7"), [x], [x])
    x = numbers("dropout", F32, (2, 5))
    yield Case("f32-mask", [x, np.float32(0.5).reshape(()), np.array(False)], [x, np.ones((2, 5), bool)], weights=[1, 2])


OPERATORS = {"Resize": resize, "Upsample": upsample, "EyeLike": eye_like, "CenterCropPad": center_crop_pad, "DepthToSpace": depth_to_space,
             "SpaceToDepth": space_to_depth, "Trilu": trilu, "OneHot": one_hot, "TopK": top_k, "CumSum": cum_sum, "Dropout": dropout}
