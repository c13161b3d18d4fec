"""Operators on images: convolutions, pools, resampling."""
import math
from fractions import Fraction

import numpy as np

import elements  # noqa: F401, before what it finds in the oracle's folder
import image_cases
import placing_cases
import sampling_cases
import transposed_cases
from draw import function_error, generator, working_unit
from elements import FLOATS, LONG, NUMERIC, is_float, wrapped
from model import Array, Expected, Refused


def window(draw, spatial, dilates=True):
    """Attributes of a window that fits; its kernel."""
    rank = len(spatial)
    kernel = [draw.choose([1, 2, 3, 3, 5]) for _ in spatial]
    given = {}
    if draw.chance(0.5):
        given["strides"] = [draw.choose([1, 1, 2, 3]) for _ in spatial]
    if dilates and draw.chance(0.3):
        given["dilations"] = [draw.choose([1, 2, 3]) for _ in spatial]
    reach = [(k - 1) * d for k, d in zip(kernel, given.get("dilations", [1] * rank))]
    how = draw.integer(0, 3)
    if how == 0:
        given["auto_pad"] = draw.choose(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif how == 1:
        given["pads"] = [draw.integer(0, r) for r in reach * 2]
    pads = given.get("pads", [0] * 2 * rank)
    for i, n in enumerate(spatial):
        if not given.get("auto_pad", "").startswith("SAME") and n + pads[i] + pads[rank + i] < reach[i] + 1:
            raise Refused
    return given, kernel


def image(draw, most=33):
    rank = draw.choose([1, 2, 2, 2])
    return draw.integer(1, 2), tuple(min(draw.size(0), most if rank == 1 else 12) for _ in range(rank))


def extras(draw, given, kernel, required=False):
    return {**given, **({"kernel_shape": kernel} if required or draw.chance(0.5) else {})}


@generator("Conv", "FusedConv")
def conv(draw, name):
    element = draw.choose(FLOATS)
    n, spatial = image(draw)
    given, kernel = window(draw, spatial)
    group, each, outs = draw.choose([1, 1, 1, 2, 3, 5]), draw.choose([1, 1, 2, 3, 4]), draw.choose([1, 2, 3, 8])
    x, w = draw.array(element, (n, group * each, *spatial)), draw.array(element, (group * outs, each, *kernel))
    bias = draw.array(element, (group * outs,)) if draw.chance(0.5) else None
    y, size, terms = image_cases.convolution(x.values, w.values, None if bias is None else bias.values, group=group, **given)
    given = extras(draw, {**given, **({"group": group} if group > 1 or draw.chance(0.3) else {})}, kernel)
    error = (terms + 2) * working_unit(element) * size
    fixed = (1, 2) if draw.chance(0.6) else ()
    if name == "Conv":
        return draw.model(name, [x, w, bias], given, [Expected(y, element, error)], draw.opset(22 if element == "bf16" else 11), fixed=fixed)
    if element in ("bf16", "f16"):
        raise Refused  # the sum may be rounded before it is added
    more = draw.array(element, y.shape) if draw.chance(0.4) else None
    y = y if more is None else y + more.values
    error = error + working_unit(element) * np.abs(y)
    if draw.chance(0.7):
        given["activation"] = "Relu"
        y = np.maximum(y, 0)
    return draw.model(name, [x, w, bias, more], given, [Expected(y, element, error)], draw.opset(11), domain="com.microsoft", fixed=fixed)


@generator("ConvTranspose")
def conv_transpose(draw, name):
    element = draw.choose(FLOATS)
    n, spatial = image(draw, 9)
    rank = len(spatial)
    kernel = [draw.choose([1, 2, 3, 4]) for _ in spatial]
    given = {"strides": [draw.choose([1, 2, 3]) for _ in spatial]} if draw.chance(0.7) else {}
    if draw.chance(0.2):
        given["dilations"] = [draw.choose([1, 2]) for _ in spatial]
    strides, reach = given.get("strides", [1] * rank), [(k - 1) * d for k, d in zip(kernel, given.get("dilations", [1] * rank))]
    how = draw.integer(0, 4)
    if how == 0:
        given["auto_pad"] = draw.choose(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif how == 1:
        given["pads"] = [draw.integer(0, r) for r in reach * 2]
    elif how == 2 and max(strides) > 1:
        given["output_padding"] = [draw.integer(0, s - 1) for s in strides]
    elif how == 3:
        given["output_shape"] = [s * (m - 1) + r + 1 - draw.integer(0, r) for s, m, r in zip(strides, spatial, reach)]
    group, each, outs = draw.choose([1, 1, 2, 3]), draw.choose([1, 2, 3]), draw.choose([1, 2, 5])
    x, w = draw.array(element, (n, group * each, *spatial)), draw.array(element, (group * each, outs, *kernel))
    bias = draw.array(element, (group * outs,)) if draw.chance(0.5) else None
    y, size, terms = transposed_cases.transposed(x.values, w.values, None if bias is None else bias.values, group=group, **given)
    if min(y.shape) < 1:
        raise Refused
    given = extras(draw, {**given, **({"group": group} if group > 1 else {})}, kernel)
    return draw.model(name, [x, w, bias], given, [Expected(y, element, (terms + 2) * working_unit(element) * size)], draw.opset(22 if element == "bf16" else 11),
                      fixed=(1, 2) if draw.chance(0.6) else ())


@generator("MaxPool", "AveragePool", "LpPool")
def pool(draw, name):
    element = draw.choose(FLOATS + (["i8", "u8"] if name == "MaxPool" else []))
    n, spatial = image(draw)
    dilates = name != "AveragePool" or draw.chance(0.4)
    given, kernel = window(draw, spatial, dilates)
    rank, pads = len(spatial), given.get("pads", [0] * 2 * len(spatial))
    # Padding is less than a window, else some have no element.
    if any(p >= k for p, k in zip(pads, kernel * 2)):
        raise Refused
    x = draw.array(element, (n, draw.integer(1, 5), *spatial), special=0.3 if name == "MaxPool" else 0)
    opset = draw.opset(22 if element == "bf16" else 12 if name == "MaxPool" else 18 if name == "LpPool" else 19 if "dilations" in given else 11)
    if opset >= 12 and "auto_pad" not in given and draw.chance(0.3):
        given["ceil_mode"] = 1
    axes = image_cases.geometry(spatial, kernel, **given)
    counted = bool(name == "AveragePool" and draw.chance(0.4))
    y, places, size, v = np.zeros((*x.shape[:2], *map(len, axes)), LONG), np.zeros((*x.shape[:2], *map(len, axes)), np.int64), None, x.values.astype(LONG)
    size, p = np.zeros_like(y), draw.choose([1, 2, 3])
    column = int(name == "MaxPool" and rank == 2 and draw.chance(0.3))
    for place, taps in image_cases.windows_of(axes):
        at = (slice(None),) * 2 + place
        inside = [where for _, where, _ in taps if where is not None]
        if not inside:
            raise Refused
        values = np.stack([v[(slice(None),) * 2 + where] for where in inside], -1)
        if name == "MaxPool":
            y[at] = np.max(values, -1)
            strides = [int(np.prod(spatial[i + 1:])) for i in range(rank)] if not column else [int(np.prod(spatial[:i])) for i in range(rank)]
            flat = np.array([sum(s * w for s, w in zip(strides, where)) for where in inside])
            images = np.arange(x.shape[0] * x.shape[1]).reshape(x.shape[:2]) * int(np.prod(spatial))
            places[at] = images + flat[np.argmax(values, -1)]
        elif name == "AveragePool":
            count = sum(1 for _, _, c in taps if c) if counted else len(inside)
            y[at], size[at] = np.sum(values, -1) / count, np.sum(np.abs(values), -1) / count
        else:
            y[at] = np.sum(np.abs(values) ** p, -1) ** (LONG(1) / p)
    given = extras(draw, given, kernel, required=True)
    terms = int(np.prod(kernel)) + 4
    if name == "MaxPool":
        given.update({"storage_order": 1} if column else {})
        y = y if is_float(element) else y.astype(np.int64)
        results = [Expected(y, element)]
        # NaN and equal elements: which one counts is the first.
        if draw.chance(0.4) and not np.isnan(y.astype(float)).any():
            results.append(Expected(places, "i64"))
        return draw.model(name, [x], given, results, opset)
    if name == "AveragePool":
        given.update({"count_include_pad": 1} if counted else {})
        return draw.model(name, [x], given, [Expected(y, element, terms * working_unit(element) * size)], opset)
    given.update({"p": p} if p != 2 or draw.chance(0.5) else {})
    return draw.model(name, [x], given, [Expected(y, element, function_error(y, element, 6) + terms * working_unit(element) * y)], opset)


@generator("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool(draw, name):
    element = draw.choose(FLOATS)
    x = draw.array(element, draw.shape(3, 4, empty=0), special=0.2 if "Max" in name else 0)
    v, over = x.values.astype(LONG), tuple(range(2, len(x.shape)))
    count, u = int(np.prod(x.shape[2:])), working_unit(element)
    given = {}
    if "Max" in name:
        y, error = np.max(v, axis=over, keepdims=True), None
    elif "Average" in name:
        y, error = np.mean(v, axis=over, keepdims=True), (count + 4) * u * np.mean(np.abs(v), axis=over, keepdims=True)
    else:
        given = {"p": draw.choose([1, 2, 3])} if draw.chance(0.6) else {}
        p = given.get("p", 2)
        y = np.sum(np.abs(v) ** p, axis=over, keepdims=True) ** (LONG(1) / p)
        error = function_error(y, element, 6) + (count + 8) * u * y
    return draw.model(name, [x], given, [Expected(y, element, error)], draw.opset(22 if element == "bf16" else 7))


@generator("ConvInteger")
def conv_integer(draw, name):
    n, spatial = image(draw)
    given, kernel = window(draw, spatial)
    tx, tw, group, each = draw.choose(["i8", "u8"]), draw.choose(["i8", "u8"]), draw.choose([1, 1, 2]), draw.choose([1, 2, 3])
    outs = draw.choose([1, 2, 3])
    x, w = draw.array(tx, (n, group * each, *spatial)), draw.array(tw, (group * outs, each, *kernel))
    zx = draw.array(tx, ()) if draw.chance(0.6) else None
    zw = draw.array(tw, draw.choose([(), (group * outs,)])) if draw.chance(0.5) else None
    signed = lambda a: a.values.astype(np.int64)
    shifted = signed(w) if zw is None else signed(w) - signed(zw).reshape([-1] + [1] * (w.values.ndim - 1) if zw.values.ndim else ())
    y, _, _ = image_cases.convolution(signed(x) - (0 if zx is None else signed(zx)), shifted, None, group=group, **given)
    given = extras(draw, {**given, **({"group": group} if group > 1 else {})}, kernel)
    return draw.model(name, [x, w, zx, zw], given, [Expected(wrapped(y.astype(np.int64), "i32"), "i32")], draw.opset(10), fixed=(1, 2, 3) if draw.chance(0.6) else ())


@generator("Resize", "Upsample")
def resize(draw, name):
    mode = draw.choose(["nearest", "linear", "cubic"]) if name == "Resize" else draw.choose(["nearest", "linear"])
    element = draw.choose(FLOATS if mode != "nearest" else NUMERIC + ["bool"])
    rank = draw.integer(1, 4)
    shape = tuple(draw.integer(1, 3) for _ in range(max(0, rank - 2))) + tuple(draw.choose([1, 2, 3, 4, 5, 7]) for _ in range(min(rank, 2)))
    x, opset, given = draw.array(element, shape), draw.opset(13 if element != "bf16" else 19), {"mode": mode} if mode != "nearest" or draw.chance(0.5) else {}
    kind, nearest_mode = "asymmetric", "floor"
    old = name == "Upsample" or (element in ("f32", "u8", "i32") and mode != "cubic" and draw.chance(0.2))
    if not old:
        kinds = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"] + (["half_pixel_symmetric"] if opset >= 19 else [])
        kind = draw.choose(kinds)
        nearest_mode = draw.choose(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
        given.update({"coordinate_transformation_mode": kind} if kind != "half_pixel" or draw.chance(0.5) else {})
        given.update({"nearest_mode": nearest_mode} if mode == "nearest" and (nearest_mode != "round_prefer_floor" or draw.chance(0.5)) else {})
    moved = [d for d in range(rank) if d >= rank - 2 or draw.chance(0.2)]
    sized = not old and draw.chance(0.5)
    axes, every = {}, [1.0] * rank
    for d in moved:
        if sized:
            count = draw.integer(1, 9)
            axes[d] = count, Fraction(count, shape[d]), (Fraction(0), Fraction(1))
        else:
            scale = draw.choose([0.5, 0.25, 1.0, 1.5, 2.0, 3.0]) if not old or name == "Resize" else draw.choose([1.0, 1.5, 2.0, 3.0])
            count = int(math.floor(shape[d] * scale))
            if count < 1:
                raise Refused
            axes[d], every[d] = (count, Fraction(scale), (Fraction(0), Fraction(1))), scale
    options = {}
    if mode == "cubic":
        options = {k: v for k, v in (("cubic_coeff_a", draw.choose([-0.5, -0.75])), ("exclude_outside", 1)) if draw.chance(0.4)}
    if mode != "nearest" and opset >= 18 and not old and draw.chance(0.3):
        options["antialias"] = 1
    y, size = placing_cases.resized(x.values.astype(LONG) if is_float(element) else x.values, axes, mode, kind, nearest_mode, **options)
    error = None if mode == "nearest" else 24 * working_unit(element) * size
    expected = [Expected(y, element, error)]
    scales = Array(np.array([every[d] for d in range(rank)]), "f32")
    given.update(options)
    if name == "Upsample":
        if draw.chance(0.4) and element == "f32":
            return draw.model(name, [x], {**given, "scales": [float(s) for s in every]}, expected, draw.opset(7, 8))
        return draw.model(name, [x, scales], given, expected, 9, fixed=(1,))
    if old:
        return draw.model(name, [x, scales], given, expected, 10, fixed=(1,))
    some = opset >= 18 and draw.chance(0.4)
    listed = moved if some else list(range(rank))
    if some:
        given["axes"] = [a - rank if draw.chance(0.3) else a for a in listed]
    if sized:
        sizes = Array(np.array([axes[d][0] if d in axes else shape[d] for d in listed]), "i64")
        return draw.model(name, [x, None, None, sizes], given, expected, opset, fixed=(1, 2, 3))
    return draw.model(name, [x, None, Array(scales.values[listed], "f32")], given, expected, opset, fixed=(1, 2))


@generator("GridSample")
def grid_sample(draw, name):
    element, opset = draw.choose(FLOATS), draw.choose([16, 20, 22])
    element = element if opset == 22 or element != "bf16" else "f32"
    rank = draw.choose([2, 2, 3]) if opset >= 20 else 2
    mode = draw.choose(["linear", "nearest"] + (["cubic"] if rank == 2 else []))
    padding, align = draw.choose(["zeros", "border", "reflection"]), draw.integer(0, 1)
    spatial = tuple(draw.choose([1, 2, 3, 5, 7]) for _ in range(rank))
    x = draw.array(element, (draw.integer(1, 2), draw.integer(1, 5), *spatial))
    grid = draw.array(element, (x.shape[0], *(draw.integer(1, 4) for _ in range(rank)), rank), -1.6, 1.6)
    if mode == "nearest":
        grid.values = sampling_cases.without_ties(grid.values, x.shape, align)
    y = sampling_cases.sampled(x.values, grid.values, mode, padding, align)
    word = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode) if opset < 20 else mode
    given = {k: v for k, v, d in (("mode", word, "bilinear" if opset < 20 else "linear"), ("padding_mode", padding, "zeros"), ("align_corners", align, 0)) if v != d or draw.chance(0.5)}
    error = None if mode == "nearest" else np.full(y.shape, 2 * 40 * (sum(spatial) + 4) * working_unit(element))
    return draw.model(name, [x, grid], given, [Expected(y, element, error)], opset)


@generator("RoiAlign")
def roi_align(draw, name):
    element, opset = draw.choose(["f32", "f64"]), draw.choose([10, 16, 22])
    shape = (2, draw.integer(1, 4), draw.integer(2, 9), draw.integer(2, 9))
    x, count = draw.array(element, shape), draw.integer(1, 4)
    rois = np.sort(draw.rng.uniform(-1, 9, (count, 2, 2)), axis=1).reshape(count, 4)
    rois = rois.astype(np.float32 if element == "f32" else np.float64).astype(np.float64)
    batch = Array(draw.rng.integers(0, 2, count), "i64")
    mode, half = draw.choose(["avg", "max"]), bool(opset >= 16 and draw.chance(0.6))
    height, width, ratio = draw.integer(1, 3), draw.integer(1, 3), draw.choose([0, 1, 2, 3])
    if ratio == 0:  # how many samples there are hangs on the last bit
        lengths = np.concatenate([(rois[:, 2] - rois[:, 0]) / width, (rois[:, 3] - rois[:, 1]) / height])
        if (np.abs(lengths - np.round(lengths)) < 1e-4).any():
            raise Refused
    y = sampling_cases.aligned(x.values, rois, batch.values, mode, height, width, ratio, 1.0, half)
    given = {k: v for k, v, d in (("mode", mode, "avg"), ("output_height", height, 1), ("output_width", width, 1), ("sampling_ratio", ratio, 0)) if v != d or draw.chance(0.5)}
    if opset >= 16:
        given.update({"coordinate_transformation_mode": "half_pixel" if half else "output_half_pixel"} if not half or draw.chance(0.5) else {})
    return draw.model(name, [x, Array(rois, element), batch], given, [Expected(y, element, np.full(y.shape, 800 * working_unit(element)))], opset)
