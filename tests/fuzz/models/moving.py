"""Operators that move elements: shapes, slices, joins, gathers and scatters."""
import itertools

import numpy as np

import elements  # noqa: F401
import scattering_cases
from draw import generator, ints, once
from elements import EVERY, FLOATS8, NUMERIC, STORED, is_float, nearest, wrapped
from model import Array, Expected


def moved(values, element):
    return Expected(values, element)


def opset_of(draw, element, first, narrow=13):
    """Types of 8 and 4 bits came with opsets 19 and 21."""
    return draw.opset(21 if element in ("i4", "u4") else 19 if element in FLOATS8 else narrow if element == "bf16" else first)


@generator("Identity", "Flatten", "Reshape", "Squeeze", "Unsqueeze")
def reshaping(draw, name):
    element = draw.choose(EVERY)
    x = draw.array(element, draw.shape(), special=0.2)
    inputs, fixed, given, first = [x], (1,), {}, 7
    shape = x.shape
    if name == "Flatten":
        axis = draw.integer(0 if draw.chance(0.6) else -len(shape), len(shape))
        given = {"axis": axis} if draw.chance(0.8) or not shape else {}
        at = given.get("axis", 1)
        at = at + len(shape) if at < 0 else at
        shape, first = (int(np.prod(shape[:at])), int(np.prod(shape[at:]))), 11 if axis < 0 else 9
    elif name == "Reshape":
        shape, wanted = reshaped(draw, shape, given)
        inputs.append(ints(wanted))
        first = 14 if given else 7
    elif name in ("Squeeze", "Unsqueeze"):
        shape, axes = squeezed(draw, shape) if name == "Squeeze" else unsqueezed(draw, shape)
        if name == "Squeeze":
            x.values, shape = x.values.reshape(shape[0]), shape[1]
        opset = opset_of(draw, element, 7 if all(a >= 0 for a in axes or []) else 11)
        if opset < 13 and axes is not None:
            given = {"axes": axes}
        elif axes is not None:
            inputs.append(ints(axes))
        if opset < 13 and axes == []:
            return reshaping(draw, name)
        return draw.model(name, inputs, given, [moved(x.values.reshape(shape), element)], opset, fixed=fixed)
    return draw.model(name, inputs, given, [moved(x.values.reshape(shape), element)], opset_of(draw, element, first), fixed=fixed)


def reshaped(draw, shape, given):
    """(the result's shape, what the node says)"""
    total = int(np.prod(shape))
    new = []
    rest = total
    while rest > 1 and len(new) < 3:
        new.append(draw.choose([d for d in range(1, rest + 1) if rest % d == 0]))
        rest //= new[-1]
    new = new + [rest] if rest != 1 or draw.chance(0.3) else new
    if total == 0:
        if draw.chance(0.5):
            given["allowzero"] = 1
            new = [0] + [draw.size(0) for _ in range(draw.integer(0, 2))]
            return tuple(new), new
        return tuple(shape), [0] * len(shape)
    said = list(new)
    for i, n in enumerate(said):
        if i < len(shape) and shape[i] == n and draw.chance(0.3):
            said[i] = 0
    if said and draw.chance(0.5):
        said[draw.integer(0, len(said) - 1)] = -1
    return tuple(new), said


def squeezed(draw, shape):
    """((the input's shape, the result's), axes or None)"""
    shape = list(shape)
    for _ in range(draw.integer(0, 2)):
        shape.insert(draw.integer(0, len(shape)), 1)
    ones = [d for d, n in enumerate(shape) if n == 1]
    if draw.chance(0.3) or not ones:
        return (tuple(shape), tuple(n for n in shape if n != 1)), None
    axes = [ones[i] for i in draw.permutation(len(ones))[:draw.integer(1, len(ones))]]
    rest = tuple(n for d, n in enumerate(shape) if d not in axes)
    return (tuple(shape), rest), [a - len(shape) if draw.chance(0.3) else a for a in axes]


def unsqueezed(draw, shape):
    rank = len(shape) + draw.integer(1, 2)
    axes = draw.permutation(rank)[:rank - len(shape)]
    rest = iter(shape)
    new = tuple(1 if d in axes else next(rest) for d in range(rank))
    return new, [a - rank if draw.chance(0.3) else a for a in axes]


@generator("Transpose")
def transpose(draw, name):
    element = draw.choose(EVERY)
    x = draw.array(element, draw.shape(0, 5))
    order = draw.permutation(len(x.shape))
    given = {"perm": order} if order and draw.chance(0.8) else {}
    return draw.model(name, [x], given, [moved(x.values.transpose(order if given else None), element)], opset_of(draw, element, 7))


@generator("Concat")
def concat(draw, name):
    element = draw.choose(EVERY)
    shape = draw.shape(1, 4, most=400)
    axis = draw.axis(len(shape))
    at = axis % len(shape)
    inputs = [draw.array(element, (*shape[:at], draw.size(0.05), *shape[at + 1:])) for _ in range(draw.integer(1, 5))]
    return draw.model(name, inputs, {"axis": axis}, [moved(np.concatenate([i.values for i in inputs], axis), element)], opset_of(draw, element, 11 if axis < 0 else 7))


@generator("Split")
def split(draw, name):
    element = draw.choose(EVERY)
    shape = draw.shape(1, 4)
    axis, opset = draw.axis(len(shape)), opset_of(draw, element, 11)
    length = shape[axis]
    given = {"axis": axis} if axis % len(shape) != 0 or draw.chance(0.7) else {}
    at, inputs = axis % len(shape), [None]
    if draw.chance(0.5):
        cuts = sorted(draw.integer(0, length) for _ in range(draw.integer(0, 3)))
        parts = [b - a for a, b in zip([0, *cuts], [*cuts, length])]
        if opset >= 13:
            inputs.append(ints(parts))
        else:
            given["split"] = parts
    else:
        counts = [n for n in range(1, 5) if length % n == 0 or (opset >= 18 and n <= length and (n - 1) * -(-length // n) < length)]
        count = draw.choose(counts)
        each = -(-length // count)
        parts = [each] * (count - 1) + [length - each * (count - 1)]
        if opset >= 18:
            given["num_outputs"] = count
    x = draw.array(element, shape)
    inputs[0] = x
    ends = np.cumsum([0, *parts])
    results = [moved(x.values[(slice(None),) * at + (slice(int(a), int(b)),)], element) for a, b in zip(ends, ends[1:])]
    return draw.model(name, inputs, given, results, opset, fixed=(1,))


@generator("Slice")
def slices(draw, name):
    element = draw.choose(EVERY)
    x = draw.array(element, draw.shape(1, 4))
    rank = len(x.shape)
    axes = draw.some_axes(rank, 1)
    starts, ends, steps, where = [], [], [], [slice(None)] * rank
    for axis in axes:
        n, step = x.shape[axis], draw.choose([1, 1, 1, 2, 3, -1, -1, -2])
        start, end = draw.integer(-n - 2, n + 2), draw.choose([draw.integer(-n - 2, n + 2), 2 ** 63 - 1 if step > 0 else -(2 ** 63) + 1, draw.integer(0, n)])
        starts, ends, steps = starts + [start], ends + [end], steps + [step]
        limit = (lambda v: min(max(v + n if v < 0 else v, 0), n)) if step > 0 else (lambda v: min(max(v + n if v < 0 else v, -1), n - 1))
        first, last = limit(start), limit(end)
        if step < 0 and start < 0:
            first = max(start + n, 0) if n else -1
            first = min(first, n - 1)
        where[axis] = np.arange(first, last, step) if n else np.arange(0)
    y = x.values
    for axis, index in enumerate(where):
        if not isinstance(index, slice):
            y = np.take(y, index, axis)
    opset = opset_of(draw, element, 7)
    if opset < 10 and all(s == 1 for s in steps) and all(a >= 0 for a in axes):
        given = {"starts": starts, "ends": ends, "axes": axes}
        return draw.model(name, [x], given, [moved(y, element)], opset)
    kind = draw.choose(["i64", "i32"])
    clip = lambda v: Array(np.clip(v, -(2 ** 31) + 1, 2 ** 31 - 1) if kind == "i32" else np.array(v, np.int64), kind)
    inputs = [x, clip(starts), clip(ends), clip(axes)]
    if axes == list(range(len(axes))) and draw.chance(0.5):
        inputs[3] = None
    if any(s != 1 for s in steps) or draw.chance(0.5):
        inputs.append(clip(steps))
    return draw.model(name, inputs, {}, [moved(y, element)], max(opset, 11), fixed=(1, 2, 3, 4))


def index(draw, shape, length, negative=True):
    values = draw.rng.integers(-length if negative else 0, length, shape) if length else np.zeros(shape, np.int64)
    return Array(np.asarray(values).reshape(shape), draw.choose(["i64", "i64", "i32"]))


@generator("Gather", "GatherElements", "Compress")
def gather(draw, name):
    element = draw.choose(EVERY)
    x = draw.array(element, draw.shape(1, 4, empty=0))
    axis = draw.axis(len(x.shape))
    given = {"axis": axis} if axis != 0 or draw.chance(0.7) else {}
    opset, at = opset_of(draw, element, 11), axis % len(x.shape)
    if name == "Compress":
        flat = draw.chance(0.4)
        length = x.values.size if flat else x.shape[at]
        condition = draw.rng.random(draw.integer(1, length)) < 0.5
        y = x.values.ravel()[np.flatnonzero(condition)] if flat else np.take(x.values, np.flatnonzero(condition), at)
        return draw.model(name, [x, Array(condition, "bool")], {} if flat else {"axis": axis}, [moved(y, element)], opset, fixed=(1,))
    if name == "Gather":
        at_index = index(draw, draw.shape(0, 3, most=60), x.shape[at])
        y = np.take(x.values, at_index.values, at)
    else:
        shape = [draw.integer(1, n) if d != at else draw.size() for d, n in enumerate(x.shape)]
        at_index = index(draw, tuple(shape), x.shape[at])
        y = np.take_along_axis(x.values[tuple(slice(n) if d != at else slice(None) for d, n in enumerate(shape))], at_index.values % x.shape[at], at)
    return draw.model(name, [x, at_index], given, [moved(y, element)], opset)


@generator("GatherND")
def gather_nd(draw, name):
    element = draw.choose(EVERY)
    x = draw.array(element, draw.shape(1, 4, empty=0))
    rank = len(x.shape)
    batch = draw.integer(0, rank - 1) if draw.chance(0.4) else 0
    depth = draw.integer(1, rank - batch)
    middle = draw.shape(0, 2, most=30)
    columns = [draw.rng.integers(-n, n, (*x.shape[:batch], *middle)) for n in x.shape[batch:batch + depth]]
    at = np.stack(columns, -1).reshape((*x.shape[:batch], *middle, depth))
    y = np.zeros((*x.shape[:batch], *middle, *x.shape[batch + depth:]), x.values.dtype)
    for place in itertools.product(*map(range, at.shape[:-1])):
        y[place] = x.values[place[:batch] + tuple(int(i) for i in at[place])]
    given = {"batch_dims": batch} if batch or draw.chance(0.3) else {}
    return draw.model(name, [x, ints(at)], given, [moved(y, element)], opset_of(draw, element, 12))


REDUCTIONS = {"none": 11, "add": 16, "mul": 16, "max": 18, "min": 18}


def combined(reduction, old, new):
    with np.errstate(all="ignore"):
        return {"none": lambda: new, "add": lambda: old + new, "mul": lambda: old * new, "max": lambda: np.maximum(old, new), "min": lambda: np.minimum(old, new)}[reduction]()


def scattered(data, updates, places, reduction, element):
    y = once(data, element) if is_float(element) else data.copy()
    for place, update in zip(places, updates):
        new = combined(reduction, y[place], update)
        y[place] = (nearest(new, element) if is_float(element) else wrapped(new, element)) if reduction != "none" else new
    return y


@generator("TensorScatter")
def tensor_scatter(draw, name):
    element = draw.choose(EVERY)
    shape = (draw.integer(1, 3), *(draw.integer(1, 9) for _ in range(draw.integer(1, 3))))
    given = {} if len(shape) > 2 and draw.chance(0.4) else {"axis": draw.integer(1, len(shape) - 1) - draw.choose([0, len(shape)])}
    axis = given.get("axis", -2) % len(shape)
    rows = draw.integer(1, shape[axis])
    if draw.chance(0.4):
        given["mode"] = draw.choose(["linear", "circular"])
    circular = given.get("mode") == "circular"
    cache, update = draw.array(element, shape), draw.array(element, (*shape[:axis], rows, *shape[axis + 1:]))
    first = draw.rng.integers(0, shape[axis] if circular else shape[axis] - rows + 1, shape[0]) if draw.chance(0.8) else None
    y = scattering_cases.with_rows(cache.values, update.values, np.zeros(shape[0], np.int64) if first is None else first, axis, given.get("mode", "linear"))
    return draw.model(name, [cache, update, None if first is None else ints(first)], given, [moved(y, element)], draw.opset(24, 26))


@generator("ScatterElements", "Scatter", "ScatterND")
def scatter(draw, name):
    reduction = draw.choose(list(REDUCTIONS)) if name != "Scatter" and draw.chance(0.5) else "none"
    element = draw.choose(EVERY if reduction == "none" else NUMERIC)
    x = draw.array(element, draw.shape(1, 3, most=300, empty=0))
    given = {"reduction": reduction} if reduction != "none" or draw.chance(0.2) and name != "Scatter" else {}
    first = max(REDUCTIONS[reduction], 16 if given else 11)
    if name == "ScatterND":
        depth = draw.integer(1, len(x.shape))
        middle = draw.shape(0, 2, most=20)
        places = list(itertools.product(*map(range, x.shape[:depth])))
        count = int(np.prod(middle))
        if reduction == "none" and count > len(places):
            middle, count = (len(places),), len(places)
        chosen = draw.rng.permutation(len(places))[:count] if reduction == "none" else draw.rng.integers(0, len(places), count)
        at = np.array([places[i] for i in chosen], np.int64).reshape((*middle, depth))
        updates = draw.array(element, (*middle, *x.shape[depth:]))
        y = scattered(x.values, updates.values.reshape((count, *x.shape[depth:])), [tuple(map(int, p)) for p in at.reshape(count, depth)], reduction, element)
        at = at - np.where(draw.rng.random(at.shape) < 0.2, np.array(x.shape[:depth], np.int64), 0)
        return draw.model(name, [x, ints(at), updates], given, [moved(y, element)], opset_of(draw, element, first))
    axis = draw.axis(len(x.shape))
    at_axis = axis % len(x.shape)
    shape = tuple(draw.integer(1, n) for n in x.shape)
    rows = np.stack([draw.rng.permutation(x.shape[at_axis])[:shape[at_axis]] if reduction == "none" else draw.rng.integers(0, x.shape[at_axis], shape[at_axis])
                     for _ in range(int(np.prod(shape)) // shape[at_axis])])
    at = np.moveaxis(rows.reshape((*shape[:at_axis], *shape[at_axis + 1:], shape[at_axis])), -1, at_axis)
    updates = draw.array(element, shape)
    places = []
    for place in itertools.product(*map(range, shape)):
        where = list(place)
        where[at_axis] = int(at[place])
        places.append(tuple(where))
    y = scattered(x.values, updates.values.ravel(), places, reduction, element)
    at = np.where(draw.rng.random(at.shape) < 0.2, at - x.shape[at_axis], at)
    given = {**given, **({"axis": axis} if axis or draw.chance(0.5) else {})}
    inputs = [x, Array(at, draw.choose(["i64", "i32"])), updates]
    return draw.model(name, inputs, given, [moved(y, element)], draw.opset(9, 10) if name == "Scatter" and element in ("f32", "i64") else opset_of(draw, element, first))


@generator("Expand", "Tile")
def repeated(draw, name):
    element = draw.choose(EVERY)
    x = draw.array(element, tuple(1 if draw.chance(0.3) else n for n in draw.shape(0, 4, most=200)))
    opset = opset_of(draw, element, 8 if name == "Expand" else 7)
    if name == "Tile":
        counts = [draw.choose([0, 1, 1, 2, 3, 5]) if draw.chance(0.9) else 0 for _ in x.shape]
        return draw.model(name, [x, ints(counts)], {}, [moved(np.tile(x.values, counts), element)], opset, fixed=(1,))
    target = [draw.choose([1, n]) if n != 1 else draw.size() for n in x.shape]
    target = target[draw.integer(0, len(target)):] if draw.chance(0.3) else [draw.choose([1, 2, 3]) for _ in range(draw.integer(0, 1))] + target
    y = np.broadcast_to(x.values, np.broadcast_shapes(x.shape, tuple(target)))
    return draw.model(name, [x, ints(target)], {}, [moved(y, element)], opset, fixed=(1,))


def pad_index(n, begin, end, mode):
    places = np.arange(-begin, n + end)
    if mode == "wrap":
        return places % n
    if mode == "reflect":
        period = max(2 * (n - 1), 1)
        places = np.abs(places) % period if n > 1 else np.zeros_like(places)
        return np.where(places >= n, period - places, places)
    return np.clip(places, 0, n - 1)


@generator("Pad")
def pad(draw, name):
    element = draw.choose(EVERY)
    x = draw.array(element, draw.shape(1, 4, most=300))
    mode = draw.choose(["constant", "constant", "reflect", "edge", "wrap"])
    rank = len(x.shape)
    old = element in ("f32", "f64", "f16") and mode != "wrap" and draw.chance(0.2)
    opset = draw.opset(7, 10) if old else opset_of(draw, element, 19 if mode == "wrap" else 13)
    axes = list(range(rank)) if opset < 18 or draw.chance(0.5) else draw.some_axes(rank, 1)
    number = draw.values(element, ()) if draw.chance(0.6) else None
    pads, y = [[0, 0] for _ in axes], x.values
    for i, axis in enumerate(axes):
        n = x.shape[axis]
        most = 4 if mode == "constant" else 0 if n == 0 else n - 1 if mode == "reflect" else min(n, 4) if mode == "wrap" else 4
        begin, end = draw.integer(0, most), draw.integer(0, most)
        if draw.chance(0.15):
            begin = -draw.integer(0, n // 2)
        if draw.chance(0.15):
            end = -draw.integer(0, n // 2)
        pads[i] = [begin, end]
        cut = y[(slice(None),) * (axis % rank) + (slice(max(0, -begin), n - max(0, -end)),)]
        if mode == "constant":
            around = [(0, 0)] * rank
            around[axis] = (max(0, begin), max(0, end))
            y = np.pad(cut, around, constant_values=0 if number is None else number)
        else:
            y = np.take(y, pad_index(n, begin, end, mode), axis) if n else y
            if n and mode != "edge" and (begin < 0 or end < 0):
                y = np.take(cut, pad_index(cut.shape[axis], max(0, begin), max(0, end), mode), axis) if cut.shape[axis] and max(begin, end) < cut.shape[axis] else y
    flat = [p[0] for p in pads] + [p[1] for p in pads]
    given = {"mode": mode} if mode != "constant" or draw.chance(0.5) else {}
    if mode != "constant" and any(p < 0 for p in flat):
        return pad(draw, name)
    if opset < 11:
        value = {"value": float(number)} if number is not None and np.float32(number) == number else {}
        if number is not None and not value:
            return pad(draw, name)
        return draw.model(name, [x], {**given, "pads": flat, **value}, [moved(y, element)], opset)
    inputs = [x, ints(flat), None if number is None else Array(number, element), None if axes == list(range(rank)) else ints(axes)]
    return draw.model(name, inputs, given, [moved(y, element)], opset, fixed=(1, 2, 3))


@generator("CenterCropPad")
def center_crop_pad(draw, name):
    element = draw.choose(EVERY)
    x = draw.array(element, draw.shape(1, 4, most=300))
    rank = len(x.shape)
    axes = draw.some_axes(rank, 1) if draw.chance(0.5) else list(range(rank))
    sizes, y = [max(1, x.shape[a] + draw.integer(-3, 3)) for a in axes], x.values
    for axis, size in zip(axes, sizes):
        n = y.shape[axis]
        if size < n:
            y = np.take(y, np.arange((n - size) // 2, (n - size) // 2 + size), axis)
        elif size > n:
            around = [(0, 0)] * rank
            around[axis] = ((size - n) // 2, size - n - (size - n) // 2)
            y = np.pad(y, around)
    given = {} if axes == list(range(rank)) else {"axes": axes}
    return draw.model(name, [x, ints(sizes)], given, [moved(y, element)], opset_of(draw, element, 18), fixed=(1,))


@generator("DepthToSpace", "SpaceToDepth")
def depth(draw, name):
    element, b = draw.choose(EVERY), draw.choose([1, 2, 3])
    n, c, h, w = draw.integer(1, 2), draw.integer(1, 5), draw.integer(1, 5), draw.integer(1, 5)
    given = {"blocksize": b}
    if name == "SpaceToDepth":
        x = draw.array(element, (n, c, h * b, w * b))
        y = x.values.reshape(n, c, h, b, w, b).transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h, w)
    else:
        x = draw.array(element, (n, c * b * b, h, w))
        mode = draw.choose(["DCR", "CRD"])
        given.update({"mode": mode} if mode == "CRD" or draw.chance(0.5) else {})
        shape, order = ((n, b, b, c, h, w), (0, 3, 4, 1, 5, 2)) if mode == "DCR" else ((n, c, b, b, h, w), (0, 1, 4, 2, 5, 3))
        y = x.values.reshape(shape).transpose(order).reshape(n, c, h * b, w * b)
    return draw.model(name, [x], given, [moved(y, element)], opset_of(draw, element, 11))


@generator("Trilu", "EyeLike")
def triangles(draw, name):
    element = draw.choose(EVERY if name == "Trilu" else NUMERIC + ["bool"])
    x = draw.array(element, draw.shape(2, 4) if name == "Trilu" else draw.shape(2, 2))
    k = draw.integer(-4, 4)
    if name == "EyeLike":
        other = draw.choose(NUMERIC + ["bool"]) if draw.chance(0.5) else None
        from elements import NUMBERS
        given = {**({"k": k} if draw.chance(0.7) else {}), **({"dtype": NUMBERS[other]} if other else {})}
        y = np.eye(*x.shape, k=given.get("k", 0)).astype(np.int64)
        return draw.model(name, [x], given, [moved(y.astype(bool) if (other or element) == "bool" else y, other or element)], draw.opset(9))
    upper = draw.integer(0, 1)
    given = {"upper": upper} if upper == 0 or draw.chance(0.5) else {}
    inputs = [x, Array(np.array(k, np.int64), "i64")] if draw.chance(0.7) else [x]
    mask = np.triu(np.ones(x.shape[-2:]), k if len(inputs) > 1 else 0) if upper else np.tril(np.ones(x.shape[-2:]), k if len(inputs) > 1 else 0)
    return draw.model(name, inputs, given, [moved(np.where(mask != 0, x.values, np.zeros((), x.values.dtype)), element)], opset_of(draw, element, 14, 14), fixed=(1,))


@generator("OneHot")
def one_hot(draw, name):
    kind, element = draw.choose(["i32", "i64", "f32"]), draw.choose(["f32", "i32", "i64", "f64", "u8", "bool"])
    shape, count = draw.shape(0, 3, most=60), draw.choose([1, 2, 3, 5, 16, 17])
    at = draw.rng.integers(-count - 1, count + 2, shape)
    axis = draw.axis(len(shape) + 1)
    pair = draw.values(element, (2,))
    hot = np.where(at < 0, at + count, at)[..., None] == np.arange(count)
    y = np.moveaxis(np.where(hot, pair[1], pair[0]), -1, axis)
    given = {"axis": axis} if axis != -1 or draw.chance(0.5) else {}
    depth_of = Array(np.array(count, np.int64).reshape(draw.choose([(), (1,)])), "i64")
    return draw.model(name, [Array(at.astype(np.int64) if kind != "f32" else at.astype(float), kind), depth_of, Array(pair, element)], given, [moved(y, element)],
                      draw.opset(11), fixed=(1,))


@generator("ReverseSequence")
def reverse_sequence(draw, name):
    element = draw.choose(EVERY)
    x = draw.array(element, draw.shape(2, 4, most=400))
    batch = draw.integer(0, 1)
    lengths = draw.rng.integers(0, x.shape[1 - batch] + 1, x.shape[batch])
    y = x.values.copy()
    for i, length in enumerate(lengths):
        at = (i, slice(0, int(length))) if batch == 0 else (slice(0, int(length)), i)
        y[at] = y[at][::-1]
    given = {"batch_axis": batch, "time_axis": 1 - batch} if batch == 0 or draw.chance(0.5) else {}
    return draw.model(name, [x, ints(lengths)], given, [moved(y, element)], opset_of(draw, element, 10))


@generator("Shape", "Size", "ConstantOfShape", "Range", "NonZero")
def shapes(draw, name):
    element = draw.choose(EVERY)
    x = draw.array(element, draw.shape(0 if name == "Size" else 1, 4))
    if name == "Size":
        return draw.model(name, [x], {}, [moved(np.array(x.values.size, np.int64), "i64")], opset_of(draw, element, 7))
    if name == "Shape":
        rank = len(x.shape)
        given = {key: draw.integer(-rank - 1, rank + 1) for key in ("start", "end") if draw.chance(0.4)}
        y = np.array(x.shape, np.int64)[slice(given.get("start", 0), given.get("end", rank))]
        return draw.model(name, [x], given, [moved(y, "i64")], opset_of(draw, element, 15 if given else 7))
    if name == "NonZero":
        x = draw.array(draw.choose(NUMERIC + ["bool"]), draw.shape(0, 3, most=100))
        x.values = np.where(draw.rng.random(x.shape) < 0.5, np.zeros((), x.values.dtype), x.values)
        y = np.array(np.nonzero(np.atleast_1d(x.values)), np.int64)
        return draw.model(name, [x], {}, [moved(y, "i64")], draw.opset(13), fixed=(0,))
    if name == "Range":
        element = draw.choose(["f32", "f64", "i32", "i64"])
        start, step = draw.integer(-20, 20), draw.choose([1, 2, 3, -1, -2])
        stop = start + step * draw.integer(-1, 20) + draw.integer(0, 1) * (step > 0)
        scale = 0.5 if is_float(element) else 1
        y = np.arange(start, stop, step) * scale
        inputs = [Array(np.array(v * scale), element) for v in (start, stop, step)]
        return draw.model(name, inputs, {}, [moved(y if is_float(element) else y.astype(np.int64), element)], draw.opset(11), fixed=(0, 1, 2))
    shape = draw.shape(0, 4)
    element = draw.choose([e for e in EVERY if e not in STORED])
    value = Array(draw.values(element, (1,)), element) if draw.chance(0.8) else None
    element = element if value else "f32"
    y = np.broadcast_to(value.values if value else np.zeros(1), shape) if shape else (value.values if value else np.zeros(1)).reshape(())
    return draw.model(name, [ints(shape)], {"value": value} if value else {}, [moved(y, element)], draw.opset(20 if element == "bf16" else 9), fixed=(0,))
