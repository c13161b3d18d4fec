"""Cases of operators that move elements: they are numpy's own indexing, and exact."""
import numpy as np

from cases import BOOLEAN, F32, F64, I16, I32, I64, SHORT, Case, shape_name
from narrow import FORMATS
from typed import ALL, name_of, numbers


def plain(x):
    return np.asarray(x).view(np.ndarray)


def moved(dtype, y):
    y = np.ascontiguousarray(y) if np.ndim(y) else np.asarray(y)
    return y.view(FORMATS[dtype].array) if dtype in FORMATS else y


def types_of(number, few=2):
    """All types for the first forms, f32 for all: the code of a form does not depend on the type."""
    return ALL if number < few else (F32,)


def label(dtype, *parts):
    words = ["-".join(map(str, p)) if isinstance(p, (tuple, list)) else str(p) for p in parts if p not in ((), "")]
    return "-".join([name_of(dtype), *words])


def ints(values, dtype=I64):
    return np.array(values, dtype)


def odd(dtype, x):
    """With NaN, infinities and -0 among the first elements of floats."""
    if x.size > 5 and dtype not in (BOOLEAN, I32, I64) and np.asarray(x).dtype.kind == "f":
        x.flat[:4] = [np.nan, np.inf, -0.0, -np.inf]
    return x


def data(dtype, shape, seed=""):
    return odd(dtype, numbers(f"move {seed} {shape}", dtype, shape))


CONCATS = ((1, (3, 5), (3, 2)), (0, (2, 7), (1, 7), (4, 7)), (-1, (2, 3, 17), (2, 3, 16)), (1, (2, 3, 4), (2, 1, 4), (2, 2, 4)), (0, (5,), (1,), (9,)),
           (0, (3,)), (1, (3, 0), (3, 2)), (0, (0,), (0,)), (2, (1, 2, 1), (1, 2, 67)), (-2, (1, 33, 2), (1, 31, 2)),
           (1, *((2, size) for size in (1, 2, 0, 3, 17, 1, 1, 9, 2, 1, 4, 1, 8, 1, 1, 2, 1, 5))), (0, *[(1, 3)] * 20))


def concat():
    for number, (axis, *shapes) in enumerate(CONCATS):
        for dtype in types_of(number):
            parts = [data(dtype, shape, f"part {i}") for i, shape in enumerate(shapes)]
            y = moved(dtype, np.concatenate([plain(p) for p in parts], axis))
            names = map(shape_name, shapes) if len(shapes) < 10 else [f"{len(shapes)}-parts"]
            yield Case(label(dtype, *names, f"axis{axis}"), parts, [y], constants=[[0], list(range(len(parts)))], axis=axis)
    x = data(F32, (3, 5), "same")
    yield Case("f32-same-tensor", [x, 0], [np.concatenate([x, x], 1)], axis=1)


# shape, starts, ends, axes, steps
SLICES = (((5, 7), [1, 2], [4, 6], None, None), ((5, 7), [-2, -1], [-9, -9], None, [-1, -2]), ((5, 7), [1], [100], [1], None), ((17,), [0], [17], None, [2]),
          ((17,), [-1], [-100], [0], [-1]), ((2, 3, 35), [1, 3], [3, 34], [1, 2], [1, 3]), ((4, 5, 6), [0, 1], [4, 3], [0, -2], [3, 1]), ((4, 5), [3], [3], [0], None),
          ((4, 5), [2], [1], [1], None), ((4, 5), [-100], [100], [0], None), ((3, 4), [2**63 - 1], [-2**63], [1], [-1]), ((6, 3), [5], [-7], [0], [-2]), ((0, 3), [0], [2], [0], None),
          ((1, 70), [0], [2**63 - 1], [1], [5]), ((9,), [8], [0], [0], [-3]), ((2, 33), [32], [-34], [1], [-1]))


def slices(x, starts, ends, axes, steps):
    index = [slice(None)] * x.ndim
    for i, start in enumerate(starts):
        step = steps[i] if steps else 1
        end, size = ends[i], x.shape[axes[i] if axes else i]
        # Before the first element there is no index in Python.
        end = None if step < 0 and end < -size else end
        index[axes[i] if axes else i] = slice(start, end, step)
    return x[tuple(index)]


def slice_():
    for number, (shape, starts, ends, axes, steps) in enumerate(SLICES):
        for dtype in types_of(number):
            x = data(dtype, shape)
            y = moved(dtype, slices(plain(x), starts, ends, axes, steps))
            lists = {"starts": starts, "ends": ends, "axes": axes, "steps": steps}
            name = label(dtype, shape_name(shape), number)
            yield Case(name, [x], [y], constants=[[0]], **{k: v for k, v in lists.items() if v is not None})
            if number % 3 == 0:
                inputs = [ints(v, I32 if number % 2 else I64) if v is not None else None for v in lists.values()]
                while inputs[-1] is None:
                    inputs.pop()
                yield Case(name + "-inputs", [x, *inputs], [y], weights=[i + 1 for i, v in enumerate(inputs) if v is not None])


# shape, axis, sizes (as an attribute), count
SPLITS = (((5, 6), 1, None, 3), ((5, 7), 0, [2, 3], 2), ((7,), 0, "num", 3), ((2, 3, 35), -1, [17, 1, 17], 3), ((4, 4), 0, None, 2), ((6, 5), 0, [0, 6], 2), ((3, 2), 0, "num", 3),
          ((8,), 0, None, 1), ((2, 8, 3), 1, [3, 5], 2), ((1, 66), 1, None, 2))


def split():
    for number, (shape, axis, sizes, count) in enumerate(SPLITS):
        for dtype in types_of(number):
            x = data(dtype, shape)
            each = -(-shape[axis] // count)
            wanted = sizes if isinstance(sizes, list) else [each] * (count - 1) + [shape[axis] - each * (count - 1)]
            parts = [moved(dtype, p) for p in np.split(plain(x), np.cumsum(wanted)[:-1], axis)]
            attributes = {"split": sizes} if isinstance(sizes, list) else {"num_outputs": count} if sizes == "num" else {}
            name = label(dtype, shape_name(shape), number)
            yield Case(name, [x], parts, constants=[[0]], axis=axis, **attributes)
            if isinstance(sizes, list):
                yield Case(name + "-input", [x, ints(sizes)], parts, weights=[1], axis=axis)


# data, indices' shape, axis
GATHERS = (((7, 5), (3,), 0), ((3, 9), (2, 4), 1), ((4, 33), (), 0), ((2, 5, 6), (3,), 1), ((11,), (17,), 0), ((50, 67), (2, 3), 0), ((3, 4, 2), (5,), -1), ((5, 1), (4,), 0),
           ((5, 7), (0,), 0), ((1, 16), (3,), 0), ((2, 3, 4, 5), (2, 2), -2), ((6, 0), (2,), 0))


def gather():
    for number, (shape, places, axis) in enumerate(GATHERS):
        for dtype in types_of(number):
            x = data(dtype, shape)
            size = shape[axis]
            for index in (I64, I32) if number < 4 and dtype == F32 else (I64,):
                at = numbers(f"gather {shape} {places}", I32, places) % (2 * size) - size
                at = np.asarray(at, index)
                y = moved(dtype, np.take(plain(x), at, axis))
                yield Case(label(dtype, shape_name(shape), shape_name(places), f"axis{axis}", SHORT[index]), [x, at], [y], constants=[[0], [1], [0, 1]], axis=axis)
    x = data(F32, (9, 20))
    at = ints([3, 4, 5, 6])
    yield Case("f32-9x20-neighbours", [x, at], [x[3:7]], constants=[[1]])
    # Beyond the axis: the nearest element.
    at = ints([9, -10, 2**62, -2**62, 8, -9, 2**63 - 1, -2**63])
    yield Case("f32-9x20-beyond", [x, at], [x[[8, 0, 8, 0, 8, 0, 8, 0]]])
    at = ints([[20, 3], [-21, 7]], I32)
    yield Case("f32-9x20-beyond-last-axis", [x, at], [x[:, [[19, 3], [0, 7]]]], axis=1)


def gather_elements():
    for number, (shape, places, axis) in enumerate((((3, 5), (2, 5), 0), ((3, 5), (3, 9), 1), ((2, 4, 17), (2, 3, 17), 1), ((7,), (20,), 0), ((1, 3), (1, 0), 1), ((4, 2, 3), (2, 2, 35), -1))):
        for dtype in types_of(number):
            x = data(dtype, shape)
            size = shape[axis]
            at = np.asarray(numbers(f"elements {shape} {places}", I32, places) % (2 * size) - size, I64)
            cut = tuple(slice(None) if d == axis % x.ndim else slice(0, n) for d, n in enumerate(places))
            y = moved(dtype, np.take_along_axis(plain(x)[cut], np.where(at < 0, at + size, at), axis))
            yield Case(label(dtype, shape_name(shape), shape_name(places), f"axis{axis}"), [x, at], [y], constants=[[0], [1]], axis=axis)
    x = data(F32, (3, 5))
    at = ints([[7, -9], [2, 4], [-5, 5]], I32)
    yield Case("f32-3x5-beyond", [x, at], [np.take_along_axis(x, np.clip(np.where(at < 0, at + 5, at), 0, 4).astype(I64), 1)], axis=1)


def gather_nd():
    for number, (shape, places, batch) in enumerate((((3, 5), (4, 2), 0), ((3, 5, 17), (2, 3, 1), 0), ((2, 3, 4, 5), (2, 6, 2), 1), ((6,), (3, 1), 0), ((2, 3), (2,), 0), ((2, 3, 4), (2, 3, 1), 2), ((3, 4), (0, 2), 0))):
        for dtype in types_of(number):
            x = data(dtype, shape)
            depth = places[-1]
            at = np.asarray(numbers(f"nd {shape} {places}", I32, places), I64)
            sizes = np.array(shape[batch:batch + depth])
            at = at % (2 * sizes) - sizes
            flat = plain(x).reshape((-1, *shape[batch:]))
            rows = at.reshape((flat.shape[0], -1, depth))
            y = np.stack([np.array([flat[b][tuple(row)] for row in rows[b]]).reshape((rows.shape[1], *shape[batch + depth:])) for b in range(flat.shape[0])])
            y = moved(dtype, y.reshape((*places[:-1], *shape[batch + depth:])).astype(plain(x).dtype))
            yield Case(label(dtype, shape_name(shape), shape_name(places), f"batch{batch}"), [x, at], [y], constants=[[0], [1]], **({"batch_dims": batch} if batch else {}))
    x = data(F32, (3, 5))
    yield Case("f32-3x5-beyond", [x, ints([[3, 5], [-4, -6], [1, 9]])], [x[[2, 0, 1], [4, 0, 4]]])


def reshaped(forms, function):
    def make():
        for number, (shape, lists) in enumerate(forms):
            for dtype in types_of(number, 1):
                x = data(dtype, shape)
                y = moved(dtype, plain(x).reshape(function(shape, lists)))
                attributes = {"axis": lists} if isinstance(lists, int) else {} if lists is None else {"axes": lists}
                name = label(dtype, shape_name(shape), "all" if lists is None else lists)
                yield Case(name, [x], [y], constants=[[0]], **attributes)
                if isinstance(lists, list) and dtype == F32:
                    yield Case(name + "-input", [x, ints(lists)], [y], weights=[1])

    return make


def squeezed(shape, axes):
    gone = [d % len(shape) for d in axes] if axes is not None else [d for d, n in enumerate(shape) if n == 1]
    return [n for d, n in enumerate(shape) if d not in gone]


def unsqueezed(shape, axes):
    rank = len(shape) + len(axes)
    rest = iter(shape)
    new = {a % rank for a in axes}
    return [1 if d in new else next(rest) for d in range(rank)]


SQUEEZES = (((1, 5, 1), None), ((1, 5, 1), [0]), ((1, 3, 1, 7), [-2]), ((1, 1), None), ((3, 5), None), ((1, 0, 1), [2, 0]), ((2, 1, 3), [1]))
UNSQUEEZES = (((5,), [0]), ((3, 5), [0, 3]), ((3, 5), [-1]), ((), [0, 1]), ((2, 3), [2, 0, -1]), ((0, 2), [1]))
FLATTENS = (((2, 3, 5), 1), ((2, 3, 5), 0), ((2, 3, 5), 3), ((2, 3, 5), -1), ((7,), 1), ((), 0), ((2, 0, 3), 2), ((4, 5), 1))


def flattened(shape, axis):
    at = axis + len(shape) if axis < 0 else axis
    return [int(np.prod(shape[:at])), int(np.prod(shape[at:]))]


EXPANDS = (((3, 1), (3, 7)), ((5,), (3, 5)), ((1,), (17,)), ((2, 1, 5), (4, 1)), ((), (2, 3)), ((3, 5), (1, 1)), ((1, 1, 33), (2, 3, 1)), ((0, 1), (1, 4)), ((2, 1), (2, 0)))


def expand():
    for number, (shape, wanted) in enumerate(EXPANDS):
        for dtype in types_of(number):
            x = data(dtype, shape)
            y = moved(dtype, np.broadcast_to(plain(x), np.broadcast_shapes(shape, wanted)))
            yield Case(label(dtype, shape_name(shape), "to", shape_name(wanted)), [x, ints(wanted)], [y], constants=[[0]], weights=[1])


TILES = (((3, 5), (2, 3)), ((7,), (3,)), ((2, 3), (1, 1)), ((2, 1, 3), (1, 4, 2)), ((), ()), ((1, 33), (3, 1)), ((2, 3), (0, 2)), ((17,), (1,)))


def tile():
    for number, (shape, repeats) in enumerate(TILES):
        for dtype in types_of(number):
            x = data(dtype, shape)
            y = moved(dtype, np.tile(plain(x), repeats) if repeats else plain(x))
            yield Case(label(dtype, shape_name(shape), "by", repeats), [x, ints(repeats)], [y], constants=[[0]], weights=[1])


# shape, pads, axes
PADS = (((3, 5), [1, 2, 0, 3], None), ((4, 6), [0, 1, 2, 1], None), ((7,), [2, 3], None), ((2, 3, 33), [0, 0, 2, 0, 0, 1], None), ((2, 5, 4), [2, 1], [1]), ((3, 5), [-1, 2, 1, -2], None),
        ((6, 8), [1, 2, 1, 2], [-1, -2]), ((4, 4), [0, 0, 0, 0], None), ((1, 2, 5, 16), [0, 0, 1, 0, 0, 0, 1, 0], None), ((5, 3), [-2, 0, -1, 0], None))


def padded(x, pads, axes, mode, number):
    rank = x.ndim
    full = np.zeros((rank, 2), int)
    axes = list(range(rank)) if axes is None else axes
    for i, axis in enumerate(axes):
        full[axis] = pads[i], pads[len(axes) + i]
    cut = tuple(slice(max(0, -b), n - max(0, -e)) for (b, e), n in zip(full, x.shape))
    options = {"constant_values": number} if mode == "constant" else {}
    return np.pad(x[cut], np.maximum(full, 0), mode, **options)


def pad():
    for mode in ("constant", "reflect", "edge", "wrap"):
        for number, (shape, pads, axes) in enumerate(PADS):
            for dtype in types_of(number, {"constant": 2, "reflect": 1}.get(mode, 0)):
                x = data(dtype, shape)
                if mode in ("reflect", "wrap") and number == 5 and mode == "reflect":
                    pass
                value = numbers("pad value", dtype, ())
                attributes = {"pads": pads, **({"axes": axes} if axes else {}), **({} if mode == "constant" else {"mode": mode})}
                y = moved(dtype, padded(plain(x), pads, axes, mode, 0))
                name = label(dtype, mode, shape_name(shape), number)
                yield Case(name, [x], [y], constants=[[0]] if number == 0 else [], **attributes)
                if mode == "constant":
                    del attributes["pads"]
                    y = moved(dtype, padded(plain(x), pads, axes, mode, plain(value)))
                    yield Case(name + "-inputs", [x, ints(pads), value], [y], constants=[[2]], weights=[1], **attributes)
    x = np.zeros((0, 2), F32)
    yield Case("f32-empty", [x, None, np.float32(3).reshape(())], [np.full((2, 2), 3, F32)], pads=[1, 0, 1, 0])


def shape_():
    for shape, part in (((2, 3, 5), {}), ((2, 3, 5), {"start": 1}), ((2, 3, 5), {"start": -2, "end": -1}), ((), {}), ((0, 4), {}), ((2, 3), {"start": 5}), ((2, 3), {"start": 1, "end": 9})):
        for dtype in ALL if shape == () else (F32,):
            y = list(shape)[part.get("start"):part.get("end")]
            yield Case(label(dtype, shape_name(shape), *part.values()), [data(dtype, shape)], [ints(y)], **part)


def size_():
    for shape in ((2, 3, 5), (), (0, 4), (7,)):
        yield Case(label(F32, shape_name(shape)), [data(F32, shape)], [ints(int(np.prod(shape)))])


def range_():
    for dtype, start, limit, delta in ((F32, 0, 5, 1), (F32, 1, -2, -0.7), (F64, 0.1, 1.0, 0.1), (I32, 10, 0, -3), (I64, 0, 40, 1), (I64, 5, 5, 1), (I32, 3, 1, 2), (F32, 7, 8.5, 2), (I16, -5, 300, 7)):
        count = max(0, int(np.ceil((dtype(limit).astype(F64) - dtype(start).astype(F64)) / dtype(delta).astype(F64))))
        y = np.array([dtype(start).astype(F64) + i * dtype(delta).astype(F64) for i in range(count)]).astype(dtype)
        yield Case(label(dtype, start, limit, delta), [np.array(v, dtype) for v in (start, limit, delta)], [y], weights=[0, 1, 2])


def constant_of_shape():
    for dtype, shape, value in ((F32, (3, 5), None), (F32, (2, 33), 1.5), (I64, (3,), -7), (I64, (70, 60), 4), (BOOLEAN, (4,), 1), (F64, (), 0.1), (F32, (0, 3), 1)):
        attributes = {} if value is None else {"value": value, "type": name_of(dtype)}
        y = np.full(shape, value or 0, dtype)
        yield Case(label(dtype, shape_name(shape), value or 0), [ints(shape)], [y], weights=[0], **attributes)


OPERATORS = {"Concat": concat, "Slice": slice_, "Split": split, "Gather": gather, "GatherElements": gather_elements, "GatherND": gather_nd,
             "Squeeze": reshaped(SQUEEZES, squeezed), "Unsqueeze": reshaped(UNSQUEEZES, unsqueezed), "Flatten": reshaped(FLATTENS, flattened),
             "Expand": expand, "Tile": tile, "Pad": pad, "Shape": shape_, "Size": size_, "Range": range_, "ConstantOfShape": constant_of_shape}
