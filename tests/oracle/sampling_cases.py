"""Cases of GridSample and RoiAlign, point by point as the standard describes it, and of ReverseSequence."""
import itertools

import numpy as np

from cases import F32, F64, I64, Case, shape_name
from narrow import FORMATS, LONG
from narrow_cases import NarrowCases
from normalization_cases import Type
from typed import ALL, name_of, numbers


def reflected(x, low, high):
    if low == high:
        return low
    length = high - low
    outside = low - x if x < low else x - high
    if outside <= 0:
        return x
    turns, rest = divmod(outside, length)
    return low + rest if (x < low) == (turns % 2 == 0) else high - rest


def weights_of(share, mode):
    """(place relative to the floor, weight)"""
    if mode == "linear":
        return [(0, 1 - share), (1, share)]
    a = LONG(-0.75)
    near = lambda d: ((a + 2) * d - (a + 3)) * d * d + 1
    far = lambda d: ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return [(-1, far(1 + share)), (0, near(share)), (1, near(1 - share)), (2, far(2 - share))]


def axis_taps(g, size, mode, padding, align):
    """[(place or None, weight)] of a coordinate from -1 to 1."""
    x = (g + 1) / 2 * (size - 1) if align else ((g + 1) * size - 1) / 2
    x = np.rint(x) if mode == "nearest" else x
    low, high = (LONG(0), LONG(size - 1)) if align else (LONG(-0.5), size - LONG(0.5))
    if padding == "border" and not low <= x <= high:
        x = min(max(x, LONG(0)), LONG(size - 1))
    if padding == "reflection":
        x = reflected(x, low, high)
    taps = [(x, LONG(1))] if mode == "nearest" else [(np.floor(x) + i, w) for i, w in weights_of(x - np.floor(x), mode)]

    def place(p):
        if padding == "zeros":
            return int(p) if 0 <= p <= size - 1 else None
        p = reflected(p, low, high) if padding == "reflection" else p
        return int(min(max(p, 0), size - 1))

    return [(place(p), w) for p, w in taps]


def sampled(x, grid, mode="linear", padding_mode="zeros", align_corners=0):
    x, grid = np.asarray(x, LONG), np.asarray(grid, LONG)
    y = np.zeros((*x.shape[:2], *grid.shape[1:-1]), LONG)
    for at in itertools.product(*map(range, grid.shape[:-1])):
        axes = [axis_taps(g, size, mode, padding_mode, align_corners) for g, size in zip(grid[at][::-1], x.shape[2:])]
        for taps in itertools.product(*axes):
            places = tuple(p for p, _ in taps)
            if None not in places:
                y[(at[0], slice(None), *at[1:])] += x[(at[0], slice(None), *places)] * np.prod([w for _, w in taps])
    return y


def without_ties(grid, shape, align):
    """Nearest elements are where rounding errors do not matter: what is halfway between two goes to the first one."""
    grid = grid.copy()
    for axis, size in enumerate(reversed(shape[2:])):
        g = np.asarray(grid[..., axis], LONG)
        x = (g + 1) / 2 * (size - 1) if align else ((g + 1) * size - 1) / 2
        first = -1.0 if align else 1.0 / size - 1
        grid[..., axis][np.abs(x - np.floor(x) - 0.5) < 0.02] = first
    return grid


MODES = list(itertools.product(("linear", "nearest", "cubic"), ("zeros", "border", "reflection"), (0, 1)))


def grid_sample():
    def one(maker, label, shape, places, mode, padding, align):
        x = maker.random(f"gs {shape}", shape)
        grid = maker.random(f"gg {shape} {places}", (shape[0], *places, len(shape) - 2), -1.6, 1.6)
        if mode == "nearest":
            grid = without_ties(grid, shape, align)
        attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
        y = sampled(x, grid, **attributes)
        unit = LONG(2) ** (-53 if getattr(maker, "dtype", F32) == F64 else -24)
        error = np.full(y.shape, 0 if mode == "nearest" else 32 * (sum(shape[2:]) + 4) * unit)
        name = f"{label}{shape_name(shape)}-{shape_name(places)}-{mode}-{padding}" + ("-align" if align else "")
        case = maker.case if isinstance(maker, Type) else maker.near
        return case(name, [x, grid], y, error, constants=[[0], [1]], **attributes)

    f32 = Type(F32)
    for mode, padding, align in MODES:
        yield one(f32, "", (2, 3, 5, 7), (3, 4), mode, padding, align)
        yield one(f32, "", (1, 9, 4, 3), (2, 3), mode, padding, align)
    for mode, padding, align in MODES[::5]:
        yield one(f32, "", (2, 3, 9), (17,), mode, padding, align)
        yield one(f32, "", (1, 2, 3, 4, 5), (2, 3, 3), "linear" if mode == "cubic" else mode, padding, align)
        yield one(f32, "", (1, 1, 1, 1), (1, 2), mode, padding, align)
        yield one(f32, "", (1, 19, 3, 4), (3, 3), mode, padding, align)
        for maker in (Type(F64), *map(NarrowCases, FORMATS.values())):
            yield one(maker, "", (1, 3, 5, 6), (4, 4), mode, padding, align)
            yield one(maker, "", (1, 9, 5, 6), (3, 4), mode, padding, align)
    # Less than half an element from the border, on it, and beyond it.
    x = f32.random("gs edge", (1, 2, 4, 5))
    edge = np.array([-1.3, -1.001, -1, -0.999, -0.95, -0.875, -0.8, -0.76, 0.8, 0.82, 0.95, 1, 1.001], F32)
    grid = np.stack(np.broadcast_arrays(edge[:, None], edge), -1)[None].copy()
    for padding, align in itertools.product(("zeros", "border", "reflection"), (0, 1)):
        attributes = {"mode": "cubic", "padding_mode": padding, "align_corners": align}
        y = sampled(x, grid, **attributes)
        yield f32.case(f"edge-{padding}" + ("-align" if align else ""), [x, grid], y, np.full(y.shape, 32 * 13 * LONG(2) ** -24), constants=[[0], [1]], **attributes)
    x = f32.random("gs far", (1, 2, 3, 3))
    grid = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 3.5], F32)
    grid = np.stack([grid, np.zeros(6, F32)], -1).reshape(1, 2, 3, 2)
    yield Case("f32-outside", [x, grid], [np.zeros((1, 2, 2, 3), F32)])
    x = np.array([[[[1.0, np.inf]]]], F32)  # what is outside counts nothing, even beside infinity
    grid = np.array([[[[3.0, 0.0], [1.25, 0.0], [-1.0, 0.0]]]], F32)
    yield Case("f32-beside-infinity", [x, grid], [np.array([[[[0.0, np.inf, 0.5]]]], F32)])


def reverse_sequence():
    def one(dtype, shape, lengths, batch, label=""):
        x = numbers(f"rs {shape}", dtype, shape)
        y = np.asarray(x).copy()
        for i, length in enumerate(np.clip(lengths, 0, shape[1 - batch])):
            at = (i, slice(0, length)) if batch == 0 else (slice(0, length), i)
            y[at] = y[at][::-1]
        y = y.view(type(x)) if isinstance(x, np.ndarray) else y
        attributes = {"batch_axis": batch, "time_axis": 1 - batch}
        return Case(f"{name_of(dtype)}-{shape_name(shape)}-batch-{batch}{label}", [x, np.array(lengths, I64)], [y], constants=[[1]], **attributes)

    for dtype in ALL:
        yield one(dtype, (4, 5, 3), [1, 4, 0, 3, 2], 1)
    for shape in ((7, 3), (5, 4, 19), (3, 2, 2, 3), (1, 1), (0, 3), (6, 2, 0)):
        for batch in (0, 1):
            yield one(F32, shape, [(3 * i + 2) % (shape[1 - batch] + 1) for i in range(shape[batch])], batch)
    yield one(F32, (3, 4), [9, -2, 4], 0, "-outside")


def near_axis(x, size):
    """[(place, weight)] of a coordinate, or nothing if it is beyond the image."""
    if x < -1 or x > size:
        return []
    x = min(max(x, LONG(0)), LONG(size - 1))
    low = int(np.floor(x))
    return [(low, 1 - (x - low)), (min(low + 1, size - 1), x - low)]


def aligned(x, rois, batch, mode="avg", height=1, width=1, ratio=0, scale=1.0, half=True):
    x, rois = np.asarray(x, LONG), np.asarray(rois, LONG) * LONG(scale) - (LONG(0.5) if half else 0)
    y = np.zeros((len(rois), x.shape[1], height, width), LONG)
    for r, (left, top, right, bottom) in enumerate(rois):
        bins = []
        for begin, end, count in ((top, bottom, height), (left, right, width)):
            length = end - begin if half else max(end - begin, LONG(1))
            bins.append((begin, length / count, ratio or int(np.ceil(length / count))))
        (y0, dy, rows), (x0, dx, columns) = bins
        for ph, pw in itertools.product(range(height), range(width)):
            samples = []
            for i, j in itertools.product(range(rows), range(columns)):
                ys = near_axis(y0 + ph * dy + (i + LONG(0.5)) * dy / rows, x.shape[2])
                xs = near_axis(x0 + pw * dx + (j + LONG(0.5)) * dx / columns, x.shape[3])
                terms = [x[batch[r], :, a, b] * v * w for a, v in ys for b, w in xs] or [np.zeros(x.shape[1], LONG)]
                samples.append(sum(terms) if mode == "avg" else np.max(terms, axis=0))
            if samples:
                y[r, :, ph, pw] = np.mean(samples, axis=0) if mode == "avg" else np.max(samples, axis=0)
    return y


# Of images of 9 x 11: inside, over a border, outside, smaller than an element, empty.
REGIONS = np.array([[1.3, 2.1, 7.2, 8.4], [-3.4, -2.2, 4.7, 3.3], [20, 30, 40, 37], [5.1, 4.2, 5.6, 4.4], [6.2, 3.1, 6.2, 3.1], [0.4, 0.3, 10.7, 8.9]])


def roi_align():
    def one(maker, channels, mode, height, width, ratio, scale=1.0, half=True):
        shape = (2, channels, 9, 11)
        x = maker.random(f"ra {shape}", shape)
        rois = REGIONS / scale
        rois = maker.format.rounded(rois) if isinstance(maker, NarrowCases) else rois.astype(maker.dtype)
        batch = np.array([0, 1, 1, 0, 1, 0], np.int64)
        y = aligned(x, rois, batch, mode, height, width, ratio, scale, half)
        unit = LONG(2) ** (-53 if getattr(maker, "dtype", F32) == F64 else -24)
        error = np.full(y.shape, 400 * unit)
        error[2] = 0
        attributes = {"mode": mode, "output_height": height, "output_width": width, "sampling_ratio": ratio, "spatial_scale": scale}
        if not half:
            attributes["coordinate_transformation_mode"] = "output_half_pixel"
        case = maker.case if isinstance(maker, Type) else maker.near
        name = f"{channels}-{mode}-{height}x{width}-ratio-{ratio}-scale-{scale}" + ("" if half else "-output-half")
        return case(name, [x, rois, batch], y, error, constants=[[2]], **attributes)

    f32 = Type(F32)
    yield one(f32, 3, "avg", 3, 2, 2)
    yield one(f32, 9, "avg", 2, 3, 2, 0.25)
    yield one(f32, 10, "max", 2, 2, 3, 0.5, half=False)
    yield one(f32, 2, "avg", 2, 3, 0)
    yield one(f32, 5, "avg", 3, 1, 0, 0.125, half=False)
    yield one(f32, 3, "max", 2, 2, 0)
    for maker in (Type(F64), *map(NarrowCases, FORMATS.values())):
        yield one(maker, 3, "avg", 2, 2, 2)


OPERATORS = {"GridSample": grid_sample, "RoiAlign": roi_align, "ReverseSequence": reverse_sequence}
