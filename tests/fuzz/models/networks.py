"""Random graphs of 5 to 40 nodes: branches, residuals, several results, shapes that are computed, sizes that stay open.

Every value is known for each call, which gives the open sizes another number, and several times: exactly, and with each node's result off by a few
roundings. How far these are apart says what an implementation may be off by. What jumps where its operand hardly changes reads exact values only: inputs
and what was moved or chosen of them."""
import numpy as np

from draw import Draw
from elements import FLOATS, UNITS, nearest
from model import Array, Expected, Model, Node, Refused

RUNS = 3
SIZES = [1, 2, 5, 8]  # of `n`, one for each call
MOST = 3000  # elements of a value
LARGEST = 1e4


class Value:
    """`arrays[call][run]`"""

    def __init__(self, name, arrays, element, exact, weight=False):
        self.name, self.arrays, self.element, self.exact, self.weight, self.used = name, arrays, element, exact, weight, False

    @property
    def rank(self):
        return self.arrays[0][0].ndim

    @property
    def shape(self):
        """Of each dimension a size, or a tuple with one for each call."""
        dims = zip(*(runs[0].shape for runs in self.arrays))
        return [d[0] if len(set(d)) == 1 else d for d in dims]

    def is_fixed(self, axis):
        return isinstance(self.shape[axis], int)


class Network:
    def __init__(self, rng, sizes):
        self.draw, self.sizes = Draw(rng), sizes
        self.element = self.draw.choose(["f32"] * 8 + ["f64", "bf16", "f16"])
        self.unit = float(UNITS[self.element]) if self.element != "f64" else 2.0 ** -50
        self.noise = np.random.default_rng(int(rng.integers(1 << 60)))
        self.values, self.nodes, self.inputs, self.constants, self.open = [], [], {}, {}, {}

    # Values

    def calls(self):
        return range(len(self.sizes))

    def input(self, shape, element=None, low=-2.0, high=2.0):
        """`shape`: numbers, and "n" for the open size."""
        element, name = element or self.element, f"x{len(self.inputs)}"
        arrays = [self.draw.values(element, [s if isinstance(s, int) else size for s in shape], low, high) for size in self.sizes]
        value = Value(name, [[np.asarray(a, np.float64 if element in FLOATS else None)] * RUNS for a in arrays], element, True)
        self.inputs[name] = value
        for axis, s in enumerate(shape):
            if not isinstance(s, int):
                self.open[name, axis] = s
        self.values.append(value)
        return value

    def constant(self, values, element=None):
        element, name = element or self.element, f"w{len(self.constants)}"
        values = np.asarray(values)
        values = nearest(values, element) if element in FLOATS else values
        self.constants[name] = Array(values, element)
        return Value(name, [[values] * RUNS for _ in self.calls()], element, True, weight=True)

    def weight(self, shape, low=-1.0, high=1.0):
        return self.constant(self.draw.rng.uniform(low, high, shape))

    def add(self, op, operands, function, exact=False, element=None, outputs=1, **attributes):
        """Nodes whose results would be large, or no numbers, are not added."""
        names = [f"v{len(self.nodes)}" + (f"_{i}" if outputs > 1 else "") for i in range(outputs)]
        exact = exact and all(v.exact for v in operands if v)
        results = [[[] for _ in self.calls()] for _ in range(outputs)]
        for call in self.calls():
            for run in range(RUNS):
                with np.errstate(all="ignore"):
                    made = function(*(v.arrays[call][run] for v in operands if v))
                for i, array in enumerate(made if outputs > 1 else [made]):
                    array = np.asarray(array)
                    if array.size > MOST or (array.dtype.kind == "f" and not np.all(np.abs(array) < LARGEST)):
                        raise Refused
                    if run and not exact and array.dtype.kind == "f":
                        array = array * (1 + 3 * self.unit * self.noise.choice([-1.0, 1.0], array.shape))
                    results[i][call].append(array)
        self.nodes.append(Node(op, [v.name if v else "" for v in operands], names, attributes))
        for v in operands:
            if v:
                v.used = True
        made = [Value(name, arrays, element or self.element, exact) for name, arrays in zip(names, results)]
        self.values += made
        return made if outputs > 1 else made[0]

    def pick(self, fits=lambda v: True, exact=False):
        of = [v for v in self.values if v.element == self.element and fits(v) and (v.exact or not exact)]
        fresh = [v for v in of if not v.used]
        if not of:
            raise Refused
        return self.draw.choose(fresh if fresh and self.draw.chance(0.6) else of)

    def mostly_fixed(self, x):
        """An axis; kgen's operators that choose elements along one take few whose size is open."""
        axes = [d for d in range(x.rank) if x.is_fixed(d)]
        if not axes and not self.draw.chance(0.02):
            raise Refused
        return self.draw.choose(axes) if axes and not self.draw.chance(0.02) else self.draw.integer(0, x.rank - 1)

    # Nodes

    def make_unary(self):
        x = self.pick()
        op, function, exact = self.draw.choose([
            ("Relu", lambda v: np.maximum(v, 0), True), ("Neg", np.negative, True), ("Abs", np.abs, True), ("Sigmoid", lambda v: 1 / (1 + np.exp(-v)), False),
            ("Tanh", np.tanh, False), ("Erf", erf, False), ("Softplus", lambda v: np.logaddexp(0, v), False), ("Exp", lambda v: np.exp(v), False),
            ("HardSwish", lambda v: v * np.clip(v / 6 + 0.5, 0, 1), False), ("Identity", lambda v: v, True), ("Sin", np.sin, False)])
        if op == "Exp" and max(np.max(a[0], initial=0) for a in x.arrays) > 5:
            raise Refused
        return self.add(op, [x], function, exact)

    def make_steps(self):
        x = self.pick(exact=True)
        op, function = self.draw.choose([("Floor", np.floor), ("Ceil", np.ceil), ("Sign", np.sign), ("Round", np.rint)])
        return self.add(op, [x], function, True)

    def make_activation(self):
        """As exporters spell them."""
        x, kind = self.pick(), self.draw.integer(0, 3)
        if kind == 0:
            return self.add("Mul", [x, self.add("Sigmoid", [x], lambda v: 1 / (1 + np.exp(-v)))], np.multiply)
        if kind == 1:
            inner = self.add("Div", [x, self.constant(np.sqrt(2.0))], np.divide)
            inner = self.add("Add", [self.add("Erf", [inner], erf), self.constant(1.0)], np.add)
            return self.add("Mul", [self.add("Mul", [x, inner], np.multiply), self.constant(0.5)], np.multiply)
        if kind == 2:
            return self.add("Clip", [x, self.constant(0.0), self.constant(6.0)], lambda v, a, b: np.clip(v, a, b), True)
        return self.add("LeakyRelu", [x], lambda v: np.where(v < 0, 0.125 * v, v), alpha=0.125)

    def make_binary(self):
        x, op = self.pick(), self.draw.choose(["Add", "Add", "Mul", "Sub", "Max", "Min", "Div"])
        function = {"Add": np.add, "Mul": np.multiply, "Sub": np.subtract, "Max": np.maximum, "Min": np.minimum, "Div": np.divide}[op]
        how = self.draw.integer(0, 3)
        if how == 0:
            y = self.pick(lambda v: v.shape == x.shape)
        elif how == 1:
            y = self.pick(lambda v: v.rank <= x.rank and all(a in (1, b) for a, b in zip(v.shape[::-1], x.shape[::-1])))
        elif how == 2:
            y = self.input([1 if self.draw.chance(0.3) else self.size_of(s) for s in x.shape], low=0.5)
        else:
            shape = [s if isinstance(s, int) and self.draw.chance(0.7) else 1 for s in x.shape]
            y = self.weight(shape[self.draw.integer(0, x.rank):], 0.5, 2)
        if op == "Div" and any(np.min(np.abs(r), initial=1) < 0.25 for runs in y.arrays for r in runs):
            raise Refused
        operands = [x, y] if op in ("Div",) or self.draw.chance(0.7) else [y, x]
        return self.add(op, operands, function, op in ("Max", "Min"))

    def size_of(self, s):
        if isinstance(s, int):
            return s
        if s == tuple(self.sizes):
            return "n"
        raise Refused

    def make_linear(self):
        x = self.pick(lambda v: v.rank >= 2 and v.is_fixed(-1))
        depth, width = x.shape[-1], self.draw.choose([1, 3, 8, 16, 17, 32])
        w = self.weight((depth, width), -1 / depth ** 0.5, 1 / depth ** 0.5)
        if x.rank == 2 and self.draw.chance(0.5):
            return self.add("Gemm", [x, w, self.weight((width,))], lambda v, a, b: v @ a + b)
        y = self.add("MatMul", [x, w], np.matmul)
        return self.add("Add", [y, self.weight((width,))], np.add) if self.draw.chance(0.6) else y

    def make_product(self):
        x = self.pick(lambda v: v.rank >= 2)
        y = self.pick(lambda v: v.rank == x.rank and v.shape[:-2] == x.shape[:-2] and v.shape[-2] == x.shape[-1])
        return self.add("MatMul", [x, y], np.matmul)

    def make_scores(self):
        """Attention, taken apart."""
        x = self.pick(lambda v: v.rank in (3, 4) and v.is_fixed(-1))
        order = list(range(x.rank - 2)) + [x.rank - 1, x.rank - 2]
        s = self.add("MatMul", [x, self.add("Transpose", [x], lambda v: v.transpose(order), True, perm=order)], np.matmul)
        s = self.add("Mul", [s, self.constant(0.25)], np.multiply)
        return self.add("MatMul", [self.softmax_of(s, -1), x], np.matmul)

    def softmax_of(self, x, axis):
        def softmax(v):
            e = np.exp(v - np.max(v, axis, keepdims=True, initial=-1e9))
            return e / e.sum(axis, keepdims=True)
        return self.add("Softmax", [x], softmax, axis=axis)

    def make_softmax(self):
        x = self.pick(lambda v: v.rank >= 1)
        return self.softmax_of(x, self.draw.axis(x.rank))

    def make_convolution(self):
        x = self.pick(lambda v: v.rank == 4 and v.is_fixed(1))
        channels, kernel, stride, pad = x.shape[1], self.draw.choose([1, 1, 3]), self.draw.choose([1, 1, 2]), self.draw.integer(0, 1)
        group = self.draw.choose([1, 1, channels])
        outs, pad = self.draw.choose([1, 3, 8]) * (group if group > 1 else 1), pad if kernel > 1 else 0
        if any(min(runs[0].shape[2:]) + 2 * pad < kernel for runs in x.arrays) or outs > 64:
            raise Refused
        each = channels // group
        w = self.weight((outs, each, kernel, kernel), -1 / (each * kernel) ** 0.5, 1 / (each * kernel) ** 0.5)
        operands = [x, w] + ([self.weight((outs,))] if self.draw.chance(0.6) else [])
        return self.add("Conv", operands, lambda v, f, b=None: convolution(v, f, b, stride, pad, group), strides=[stride] * 2, pads=[pad] * 4, group=group, kernel_shape=[kernel] * 2)

    def make_pool(self):
        x = self.pick(lambda v: v.rank == 4)
        if self.draw.chance(0.4):
            return self.add("GlobalAveragePool", [x], lambda v: v.mean((2, 3), keepdims=True))
        if any(min(runs[0].shape[2:]) < 2 for runs in x.arrays):
            raise Refused
        op = self.draw.choose(["MaxPool", "AveragePool"])
        return self.add(op, [x], lambda v: pooled(v, np.max if op[0] == "M" else np.mean), op[0] == "M", kernel_shape=[2, 2], strides=[2, 2])

    def make_normalization(self):
        x, kind = self.pick(lambda v: v.rank >= 2 and v.arrays[0][0].size), self.draw.integer(0, 2)
        if kind == 0 and x.is_fixed(-1):
            def layer(v, scale, bias):
                apart = v - v.mean(-1, keepdims=True)
                return apart / np.sqrt((apart * apart).mean(-1, keepdims=True) + 0.125) * scale + bias
            return self.add("LayerNormalization", [x, self.weight((x.shape[-1],)), self.weight((x.shape[-1],))], layer, epsilon=0.125)
        if kind == 1 and x.is_fixed(1):
            c = x.shape[1]
            wide = lambda p, v: p.reshape((1, c) + (1,) * (v.ndim - 2))
            batch = lambda v, s, b, m, d: (v - wide(m, v)) / np.sqrt(wide(d, v) + 0.125) * wide(s, v) + wide(b, v)
            return self.add("BatchNormalization", [x, *(self.weight((c,)) for _ in range(3)), self.weight((c,), 0.5, 2)], batch, epsilon=0.125)
        # As older exporters spell it.
        mean = self.reduced("ReduceMean", x, [-1], 1)
        apart = self.add("Sub", [x, mean], np.subtract)
        variance = self.reduced("ReduceMean", self.add("Mul", [apart, apart], np.multiply), [-1], 1)
        deviation = self.add("Sqrt", [self.add("Add", [variance, self.constant(0.125)], np.add)], np.sqrt)
        return self.add("Div", [apart, deviation], np.divide)

    def reduced(self, op, x, axes, keepdims):
        function = {"ReduceMean": np.mean, "ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min}[op]
        if op == "ReduceSum":
            over = [x, self.constant(np.array(axes), "i64")]
            return self.add(op, over, lambda v, _: function(v, tuple(axes), keepdims=bool(keepdims)), keepdims=keepdims)
        return self.add(op, [x], lambda v: function(v, tuple(axes), keepdims=bool(keepdims)), op in ("ReduceMax", "ReduceMin"), axes=axes, keepdims=keepdims)

    def make_reduction(self):
        x = self.pick(lambda v: v.rank >= 1 and all(r[0].size for r in v.arrays))
        axes = self.draw.some_axes(x.rank, 1)
        return self.reduced(self.draw.choose(["ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"]), x, axes, self.draw.integer(0, 1))

    def make_extreme(self):
        x = self.pick(lambda v: v.rank >= 1 and all(r[0].size for r in v.arrays), exact=True)
        axis = self.mostly_fixed(x)
        if self.draw.chance(0.5) and (all(isinstance(s, int) for s in x.shape) or self.draw.chance(0.02)) and x.is_fixed(axis):
            k = self.draw.integer(1, x.shape[axis])
            order = lambda v: np.take(np.argsort(-v, axis, kind="stable"), range(k), axis)
            both = self.add("TopK", [x, self.constant(np.array([k]), "i64")], lambda v, _: (np.take_along_axis(v, order(v), axis), order(v)), True, outputs=2, axis=axis)
            both[1].element = "i64"
            return both[0]
        places = self.add(self.draw.choose(["ArgMax"]), [x], lambda v: np.expand_dims(np.argmax(v, axis), axis), True, "i64", axis=axis)
        return self.add("Cast", [places], lambda v: v.astype(np.float64), True, to=NUMBERS[self.element]) if self.draw.chance(0.5) else places

    def make_transpose(self):
        x = self.pick(lambda v: v.rank >= 2)
        order = self.draw.permutation(x.rank)
        return self.add("Transpose", [x], lambda v: v.transpose(order), True, perm=order)

    def make_reshape(self):
        x = self.pick(lambda v: v.rank >= 2 and all(r[0].size for r in v.arrays))
        axis = self.draw.integer(0, x.rank - 2)
        how = self.draw.integer(0, 3)
        if how == 0:  # two dimensions become one
            wanted = [0] * axis + [-1]
            rest = x.shape[axis + 2:]
            if not all(isinstance(s, int) for s in rest):
                raise Refused
            wanted += rest
            return self.add("Reshape", [x, self.constant(np.array(wanted), "i64")], lambda v, _: v.reshape(*v.shape[:axis], -1, *v.shape[axis + 2:]), True)
        if how == 1 and x.is_fixed(-1):  # one becomes two
            parts = self.draw.choose([d for d in range(1, x.shape[-1] + 1) if x.shape[-1] % d == 0])
            if x.rank > 3:
                raise Refused
            return self.add("Reshape", [x, self.constant(np.array([0] * (x.rank - 1) + [parts, -1]), "i64")], lambda v, _: v.reshape(*v.shape[:-1], parts, -1), True)
        if how == 2:
            return self.add("Flatten", [x], lambda v: v.reshape(int(np.prod(v.shape[:axis + 1])), -1), True, axis=axis + 1)
        # The first size is read from the tensor, as exporters do it.
        size = self.add("Gather", [self.shape_of(x), self.constant(np.array(0), "i64")], lambda s, i: s[i], True, "i64", axis=0)
        self.values.remove(size)
        size = self.add("Unsqueeze", [size, self.constant(np.array([0]), "i64")], lambda s, _: np.reshape(s, (1,)), True, "i64")
        wanted = self.add("Concat", [size, self.constant(np.array([-1]), "i64")], lambda a, b: np.concatenate([a, b]), True, "i64", axis=0)
        for v in (size, wanted):
            self.values.remove(v)
        return self.add("Reshape", [x, wanted], lambda v, s: v.reshape([int(i) for i in s]), True)

    def shape_of(self, x):
        shape = self.add("Shape", [x], lambda v: np.array(v.shape, np.int64), True, "i64")
        self.values.remove(shape)
        return shape

    def make_computed_size(self):
        x, how = self.pick(lambda v: v.rank >= 1 and all(r[0].size for r in v.arrays)), self.draw.integer(0, 2)
        if how == 0:  # a mask of ones
            ones = self.add("ConstantOfShape", [self.shape_of(x)], lambda s: np.ones([int(i) for i in s]), True, value=Array(np.ones(1), self.element))
            return self.add("Add", [x, ones], np.add)
        if how == 1:
            return self.add("Expand", [self.weight(()), self.shape_of(x)], lambda v, s: np.broadcast_to(v, [int(i) for i in s]).copy(), True)
        # The first half, or one more; of an open size that is no part that is the same for all of them.
        if not x.is_fixed(0) and not self.draw.chance(0.02):
            raise Refused
        size = self.add("Gather", [self.shape_of(x), self.constant(np.array([0]), "i64")], lambda s, i: s[i], True, "i64", axis=0)
        more = self.add("Add", [size, self.constant(np.array([1]), "i64")], np.add, True, "i64")
        half = self.add("Div", [more, self.constant(np.array([2]), "i64")], np.floor_divide, True, "i64")
        for v in (size, more, half):
            self.values.remove(v)
        zero = self.constant(np.array([0]), "i64")
        return self.add("Slice", [x, zero, half, zero], lambda v, a, b, c: v[:int(b[0])], True)

    def make_slice(self):
        x = self.pick(lambda v: v.rank >= 1 and all(r[0].size for r in v.arrays))
        axis = self.draw.integer(0, x.rank - 1)
        least = min(r[0].shape[axis] for r in x.arrays)
        start, step = self.draw.integer(0, least - 1), self.draw.choose([1, 1, 2]) if x.is_fixed(axis) else 1
        end = self.draw.choose([2 ** 31 - 1, start + 1, -1 if least > start + 1 else 2 ** 31 - 1])
        numbers = [self.constant(np.array([n]), "i64") for n in (start, end, axis, step)]
        where = (slice(None),) * axis + (slice(start, end, step),)
        return self.add("Slice", [x, *numbers], lambda v, *_: v[where], True)

    def make_concat(self):
        x = self.pick(lambda v: v.rank >= 1)
        axis = self.draw.integer(0, x.rank - 1)
        same = lambda v: v.rank == x.rank and all(a == b or d == axis for d, (a, b) in enumerate(zip(v.shape, x.shape)))
        others = [self.pick(same) for _ in range(self.draw.integer(1, 2))]
        return self.add("Concat", [x, *others], lambda *v: np.concatenate(v, axis), True, axis=axis)

    def make_split(self):
        x = self.pick(lambda v: v.rank >= 1 and any(v.is_fixed(d) and v.shape[d] > 1 for d in range(v.rank)))
        axis = self.draw.choose([d for d in range(x.rank) if x.is_fixed(d) and x.shape[d] > 1])
        cut = self.draw.integer(1, x.shape[axis] - 1)
        parts = self.constant(np.array([cut, x.shape[axis] - cut]), "i64")
        return self.add("Split", [x, parts], lambda v, _: np.split(v, [cut], axis), True, outputs=2, axis=axis)[0]

    def make_gather(self):
        x = self.pick(lambda v: v.rank >= 1 and all(r[0].size for r in v.arrays))
        axis = self.mostly_fixed(x)
        least = min(r[0].shape[axis] for r in x.arrays)
        at = self.draw.rng.integers(0, least, self.draw.choose([(), (2,), (3,)]))
        indices = self.constant(np.asarray(at), "i64")
        return self.add("Gather", [x, indices], lambda v, i: np.take(v, i, axis), True, axis=axis)

    def make_pad(self):
        x = self.pick(lambda v: v.rank >= 1)
        pads = [self.draw.integer(0, 2) if self.draw.chance(0.4) else 0 for _ in range(2 * x.rank)]
        around = list(zip(pads[:x.rank], pads[x.rank:]))
        return self.add("Pad", [x, self.constant(np.array(pads), "i64"), self.constant(0.5)], lambda v, *_: np.pad(v, around, constant_values=0.5), True)

    def make_tile(self):
        x = self.pick(lambda v: v.rank >= 1)
        counts = [self.draw.choose([1, 1, 2, 3]) for _ in range(x.rank)]
        return self.add("Tile", [x, self.constant(np.array(counts), "i64")], lambda v, _: np.tile(v, counts), True)

    def make_choice(self):
        x = self.pick(exact=True)
        condition = self.add("Less", [x, self.constant(0.25)], np.less, True, "bool")
        y = self.pick(lambda v: v.shape == x.shape)
        return self.add("Where", [condition, y, self.weight(())], np.where, True)

    def make_rounding(self):
        """A value as bytes and back; its quotient is exact."""
        x = self.pick(exact=True)
        if self.element != "f32":
            raise Refused
        scale, zero = self.constant(2.0 ** -5), self.constant(np.array(3), "i8")
        q = self.add("QuantizeLinear", [x, scale, zero], lambda v, s, z: np.clip(np.rint(v / s) + z, -128, 127).astype(np.int64), True, "i8")
        return self.add("DequantizeLinear", [q, scale, zero], lambda v, s, z: (v - z) * s, True)

    def make_resize(self):
        x = self.pick(lambda v: v.rank == 4)
        up = lambda v, *_: v.repeat(2, 2).repeat(2, 3)
        scales = self.constant(np.array([1.0, 1, 2, 2]), "f32")
        return self.add("Resize", [x, None, scales], up, True, mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    def make_recurrence(self):
        x = self.pick(lambda v: v.rank == 3 and v.is_fixed(2) and v.is_fixed(0) and v.shape[0] <= 4 and v.arrays[0][0].size)
        if self.element in ("bf16", "f16"):
            raise Refused
        hidden = self.draw.choose([2, 3, 8])
        w, r, b = (self.weight(s, -0.5, 0.5) for s in ((1, 3 * hidden, x.shape[2]), (1, 3 * hidden, hidden), (1, 6 * hidden)))
        return self.add("GRU", [x, w, r, b], lambda v, *p: gru(v, *p, hidden), outputs=2, hidden_size=hidden, linear_before_reset=1)[0]

    def make_shape_change(self):
        x = self.pick(lambda v: v.rank < 5)
        if 1 in x.shape and self.draw.chance(0.5):
            axis = x.shape.index(1)
            return self.add("Squeeze", [x, self.constant(np.array([axis]), "i64")], lambda v, _: v.reshape(v.shape[:axis] + v.shape[axis + 1:]), True)
        axis = self.draw.integer(0, x.rank)
        return self.add("Unsqueeze", [x, self.constant(np.array([axis]), "i64")], lambda v, _: np.expand_dims(v, axis), True)


NUMBERS = {"f32": 1, "f16": 10, "f64": 11, "bf16": 16}


def erf(x):
    import math
    return np.vectorize(math.erf, otypes=[np.float64])(x) if x.size else x


def convolution(x, w, bias, stride, pad, group):
    x = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    kernel, n, outs = w.shape[2], x.shape[0], w.shape[0]
    rows, columns = ((s - kernel) // stride + 1 for s in x.shape[2:])
    image, filters = x.reshape(n, group, -1, *x.shape[2:]), w.reshape(group, outs // group, *w.shape[1:])
    y = np.zeros((n, outs, rows, columns))
    for i in range(kernel):
        for j in range(kernel):
            part = image[..., i:i + stride * (rows - 1) + 1:stride, j:j + stride * (columns - 1) + 1:stride]
            y += np.einsum("ngchw,goc->ngohw", part, filters[..., i, j]).reshape(y.shape)
    return y if bias is None else y + bias.reshape(1, -1, 1, 1)


def pooled(x, function):
    h, w = x.shape[2] // 2, x.shape[3] // 2
    return function(x[:, :, :2 * h, :2 * w].reshape(*x.shape[:2], h, 2, w, 2), axis=(3, 5))


def gru(x, w, r, b, hidden):
    sigmoid = lambda v: 1 / (1 + np.exp(-v))
    h, rows = np.zeros((x.shape[1], hidden)), []
    for step in x:
        a, c = step @ w[0].T + b[0, :3 * hidden], h @ r[0].T + b[0, 3 * hidden:]
        z, reset = sigmoid(a[:, :hidden] + c[:, :hidden]), sigmoid(a[:, hidden:2 * hidden] + c[:, hidden:2 * hidden])
        h = (1 - z) * np.tanh(a[:, 2 * hidden:] + reset * c[:, 2 * hidden:]) + z * h
        rows.append(h[None])
    return np.stack(rows), h[None]


def random_model(seed, number):
    rng = np.random.default_rng([seed, 2, number])
    draw = Draw(rng)
    sizes = SIZES if draw.chance(0.5) else [4]
    network = Network(rng, sizes)
    n = "n" if len(sizes) > 1 else 4
    start = draw.choose([[n, 8], [n, 16], [2, n, 8], [n, 3, 8], [n, 3, 8, 8], [1, 4, n, 6], [n, 2, 5, 7], [n], [3, n]])
    network.input(start)
    makers = [name for name in dir(Network) if name.startswith("make_")]
    count, tries = draw.integer(5, 40), 0
    while len(network.nodes) < count and tries < 400:
        tries += 1
        before = len(network.nodes), list(network.values), dict(network.inputs), dict(network.constants), dict(network.open)
        try:
            getattr(network, draw.choose(makers))()
        except Refused:  # whatever was added until then goes
            del network.nodes[before[0]:]
            network.values, network.inputs, network.constants, network.open = before[1:]
    return finished(network, draw, seed, number)


def finished(network, draw, seed, number):
    """The results are what nobody reads, and some of what somebody does."""
    made = [v for v in network.values if v.name.startswith("v")]
    results = [v for v in made if not v.used or draw.chance(0.1)] or network.values
    read = {name for node in network.nodes for name in node.inputs} | {v.name for v in results}
    inputs = {name: v for name, v in network.inputs.items() if name in read}

    def expected(value, call):
        runs = value.arrays[call]
        if value.element not in FLOATS:
            return Expected(runs[0], value.element)
        apart = max((np.max(np.abs(r - runs[0]), initial=0) for r in runs[1:]), default=0)
        size = np.max(np.abs(runs[0]), initial=0)
        return Expected(runs[0], value.element, None if value.exact else 16 * apart + 16 * network.unit * np.abs(runs[0]) + network.unit * size)

    calls = [({name: Array(v.arrays[call][0], v.element) for name, v in inputs.items()}, {v.name: expected(v, call) for v in results}) for call in network.calls()]
    constants = {name: array for name, array in network.constants.items() if name in read}
    open = {key: size for key, size in network.open.items() if key[0] in inputs}
    bounds = {"n": (1, 8)} if open else {}
    model = Model(network.nodes, calls[-1][0], constants, calls[-1][1], 17, open, bounds, f"seed {seed}, graph {number}")
    model.more = calls[:-1] if bounds or len(calls) == 1 else []
    model.trace = {v.name: v for v in network.values}
    return model
