"""Small graphs, which are committed, of operators that move elements: what happens between them and those that compute."""
import numpy as np

from cases import F32, F64, I64
from graph import LONG, Value
from image_graphs import Images


class Moves(Images):
    def move(self, operator, inputs, function, weights=(), **attributes):
        """`function` of the inputs' elements, which have no rounding; `weights`: integers that are constants."""
        y, error = (function(*(getattr(v, part) for v in inputs)) for part in ("exact", "error"))
        others = []
        for values in weights:
            self.shapes.append(len(self.inputs))
            others.append(self.input(np.array(values, I64)))
        return self.node(operator, [*inputs, *others], y, error, **attributes)

    def constant(self, values, dtype=I64):
        self.shapes.append(len(self.inputs))
        return self.input(np.array(values, dtype))

    def concat(self, axis, *parts):
        return self.move("Concat", parts, lambda *v: np.concatenate(v, axis), axis=axis)

    def slice(self, x, axis, start, end, step=1):
        index = tuple(slice(start, end, step) if d == axis else slice(None) for d in range(len(x.shape)))
        ends = -(2 ** 62) if end is None and step < 0 else 2 ** 62 if end is None else end
        return self.move("Slice", [x], lambda v: v[index], starts=[start], ends=[ends], axes=[axis], steps=[step])

    def split(self, x, axis, sizes):
        pieces = [np.split(v, np.cumsum(sizes)[:-1], axis) for v in (x.exact, x.error)]
        names = [f"split{len(self.nodes)}_{i}" for i in range(len(sizes))]
        self.nodes.append((f"split{len(self.nodes)}", "Split", [x.name], {"axis": axis, "split": list(sizes)}, *names))
        return [type(x)(name, y, e, x.dtype) for name, y, e in zip(names, *pieces)]

    def gather(self, x, at, axis=0, constant=False):
        """`at`: an array of indices, which is an input or a constant."""
        if constant:
            self.shapes.append(len(self.inputs))
        indices = self.input(at)
        return self.node("Gather", [x, indices], np.take(x.exact, at, axis), np.take(x.error, at, axis), axis=axis)

    def pad(self, x, pads, mode="constant"):
        widths = list(zip(pads[:len(pads) // 2], pads[len(pads) // 2:]))
        return self.move("Pad", [x], lambda v: np.pad(v, widths, mode), pads=pads, mode=mode)

    def enlarge(self, x, by):
        axes = range(2, len(x.shape))

        def repeated(v):
            for axis in axes:
                v = np.repeat(v, by, axis)
            return v

        return self.move("Resize", [x], repeated, scales=[float(by)] * len(axes), axes=list(axes))


def images(dtype):
    """The way down and up again: what was computed before is joined to what comes later."""
    g = Moves(dtype)
    x = g.uniform("image", (1, 3, 8, 12))
    skip = g.relu(g.conv(x, "first", 6, (3, 3), pads=[1, 1, 1, 1]))
    deep = g.relu(g.conv(g.max_pool(skip, [2, 2], strides=[2, 2]), "deep", 10, (3, 3), pads=[1, 1, 1, 1]))
    up = g.enlarge(deep, 2)
    joined = g.concat(1, up, skip)
    y = g.relu(g.conv(joined, "join", 18, (3, 3), pads=[1, 1, 1, 1]))
    left, right = g.split(y, 1, [8, 10])
    z = g.conv(g.pad(left, [0, 0, 1, 2, 0, 0, 1, 0], "reflect"), "left", 5, (3, 3))
    yield g.case("down-and-up", z, g.slice(right, 1, 2, 7), g.slice(y, 3, 10, 1, -3))
    g = Moves(dtype)
    x = g.uniform("image", (2, 4, 6, 5))
    y = g.conv(g.pad(x, [0, 0, 2, 1, 0, 0, 0, 1], "edge"), "edges", 16, (3, 3))
    n, c, h, w = y.shape
    y = g.move("DepthToSpace", [y], lambda v: v.reshape(n, 2, 2, 4, h, w).transpose(0, 3, 4, 1, 5, 2).reshape(n, 4, 2 * h, 2 * w), blocksize=2)
    y = g.relu(g.conv(y, "between", 4, (3, 3), pads=[1, 1, 1, 1]))
    z = g.move("DepthToSpace", [y], lambda v: v.reshape(n, 1, 2, 2, 2 * h, 2 * w).transpose(0, 1, 4, 2, 5, 3).reshape(n, 1, 4 * h, 4 * w), blocksize=2, mode="CRD")
    s = g.move("SpaceToDepth", [y], lambda v: v.reshape(n, 4, h, 2, w, 2).transpose(0, 3, 5, 1, 2, 4).reshape(n, 16, h, w), blocksize=2)
    s = g.conv(g.slice(s, 1, 15, None, -2), "reversed", 3, (1, 1))
    # A border of a number, and rows that are left out.
    s = g.slice(g.relu(g.pad(s, [0, 1, 1, 0, 0, 0, 1, 2])), 2, 0, None, 2)
    yield g.case("blocks", z, s)


def rows(dtype):
    """Tables, products of parts, and parts of products."""
    g = Moves(dtype)
    at = np.array([[3, -1, 0], [8, 3, -9]], I64)
    words = g.gather(g.uniform_weight("words", (9, 17), -0.5, 0.5), at)
    places = g.gather(g.uniform_weight("places", (5, 17), -0.5, 0.5), np.array([1, 2, 3], I64), constant=True)
    both = g.add(words, places)
    q, k, v = g.split(g.matmul(both, g.uniform_weight("all", (17, 24), -0.3, 0.3)), 2, [8, 8, 8])
    scores = g.softmax(g.matmul(q, g.transpose(k, [0, 2, 1])))
    y = g.concat(2, g.matmul(scores, v), both)
    first = g.gather(y, np.array(0, I64), axis=1, constant=True)
    yield g.case("embedding", g.matmul(first, g.uniform_weight("out", (25, 3))), g.slice(y, 1, 1, 3))
    g = Moves(dtype)
    x = g.uniform("rows", (6, 40))
    a, b = g.slice(x, 1, 1, 18), g.slice(x, 1, 20, 37)
    y = g.matmul(a, g.transpose(b))
    odd = g.slice(x, 0, 1, None, 2)
    z = g.concat(1, g.tanh(a), g.matmul(y, b), a)
    w = g.concat(0, g.relu(odd), odd, g.slice(x, 0, 5, None, -1))
    yield g.case("parts", z, w, y)
    g = Moves(dtype)
    # A recurrence step by step: states are gathered, and read again afterwards.
    x, state = g.uniform("steps", (18, 5)), g.uniform("state", (1, 7))
    w, r = g.uniform_weight("w", (5, 7), -0.5, 0.5), g.uniform_weight("r", (7, 7), -0.5, 0.5)
    states = []
    for i in range(18):
        state = g.tanh(g.add(g.matmul(g.slice(x, 0, i, i + 1), w), g.matmul(state, r)))
        states.append(state)
    y = g.concat(1, *states)
    yield g.case("steps", y, g.relu(states[0]), g.concat(0, g.matmul(g.relu(y), g.uniform_weight("sum", (126, 7), -0.5, 0.5)), *reversed(states)))
    g = Moves(dtype)
    # Of each other: dot products below the diagonal.
    parts = [g.reshape(g.uniform(f"part {i}", (3, 8)), [3, 1, 8]) for i in range(4)]
    stack = g.concat(1, *parts)
    dots = g.reshape(g.matmul(stack, g.transpose(stack, [0, 2, 1])), [3, 16])
    below = g.gather(dots, np.array([4, 8, 9, 12, 13, 14], I64), axis=1, constant=True)
    y = g.concat(1, g.reshape(parts[0], [3, 8]), below)
    yield g.case("interaction", g.relu(g.matmul(y, g.uniform_weight("top", (14, 5)))), y)


def shapes(dtype):
    """Shapes that follow from shapes: nothing is left of them."""
    g = Moves(dtype)
    x = g.uniform("shapes", (2, 3, 4))
    shape = g.node("Shape", [x], np.array([2, 3, 4]), np.zeros(3, LONG))
    rows = g.gather(shape, np.array([0], I64), constant=True)
    rest = g.slice(shape, 0, 1, 3)
    total = g.node("ReduceProd", [rest], np.array([12]), np.zeros(1, LONG))
    half = g.node("Div", [total, g.constant([2])], np.array([6]), np.zeros(1, LONG))
    twice = g.node("Mul", [rows, g.constant([2])], np.array([4]), np.zeros(1, LONG))
    wanted = g.concat(0, twice, half)
    y = g.node("Reshape", [x, wanted], x.exact.reshape(4, 6), x.error.reshape(4, 6))
    for v in (shape, rows, rest, total, half, twice, wanted):
        v.dtype = I64
    yield g.case("follow", g.tanh(y), wanted)


def sizes(dtype):
    """Sizes of a larger image by factors that are no whole numbers."""
    g = Moves(dtype)
    x = g.uniform("sizes", (1, 3, 5, 6))

    def known(operator, inputs, values, of, **attributes):
        return Value(g.node(operator, inputs, np.array(values), np.zeros(len(values), LONG), **attributes).name, np.array(values), np.zeros(len(values), LONG), of)

    shape = known("Shape", [x], [1, 3, 5, 6], I64)
    reals = known("Cast", [g.slice(shape, 0, 2, 4)], [5, 6], F32, to="f32")
    larger = known("Mul", [reals, g.constant([1.75], F32)], [8.75, 10.5], F32)
    less = known("Sub", [known("Floor", [larger], [8, 10], F32), known("Sqrt", [g.constant([4.0], F32)], [2], F32)], [6, 8], F32)
    whole = known("Cast", [known("Ceil", [known("Div", [less, g.constant([0.75], F32)], [8, 32 / 3], F32)], [8, 11], F32)], [8, 11], I64, to="i64")
    wanted = g.concat(0, g.slice(shape, 0, 0, 2), whole)
    nothing = Value("", np.zeros(0), np.zeros(0), F32)
    places = [(np.arange(new) * old) // new for old, new in ((5, 8), (6, 11))]
    take = lambda v: v[:, :, places[0]][:, :, :, places[1]]
    y = g.node("Resize", [x, nothing, nothing, wanted], take(x.exact), take(x.error), coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    yield g.case("follow-in-floats", g.tanh(y), wanted)


def graphs():
    for function in (images, rows, shapes, sizes):
        yield from function(F32)
    yield from rows(F64)


GRAPHS = {"moving": graphs}
