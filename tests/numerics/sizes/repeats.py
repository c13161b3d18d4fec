"""Repeated elements (Tile, Expand and Reshape, Resize by a whole number) before what reduces them: normalizations, as operators and in parts, softmax
and sums, f32 and f64, by `kgen verify` against numpy: repeats.py KGEN WORK FIRST_SEED COUNT. Without numpy it is skipped (77)."""
import sys

import verified
from verified import np, softmax

EPSILON = 0.125


def deviation(x, axes):
    apart = x - x.mean(axes, keepdims=True)
    return apart, (apart * apart).mean(axes, keepdims=True)


def normalized(x, axes):
    apart, variance = deviation(x, axes)
    return apart / np.sqrt(variance + EPSILON)


class Repeat(verified.Graph):
    """[a, b, c], one of whose axes is repeated, and then reduced along one or several axes."""

    def __init__(self, seed):
        super().__init__(seed)
        choose = self.choose
        self.element = choose("f32", "f32", "f64")
        self.sizes = {name: choose(1, 2, 3, 4, 8, 17) for name in "abc"}
        self.open = {name for name in "ab" if choose(False, False, True)}
        self.name, self.x = self.input("x", list("abc"))
        self.shape = list("abc")
        for _ in range(choose(1, 1, 2)):
            self.repeat(choose(0, 1, 2, 2), choose(2, 3))
        if choose(False, False, True):
            self.name, self.x = self.node(f"n{len(self.nodes)}", "Neg", [self.name]), -self.x
        operations = [name for name in dir(self) if name.startswith("make_")]
        getattr(self, choose(*operations))()
        self.outputs[self.name] = self.x
        if choose(False, False, True):  # something else reads what is repeated
            self.outputs[self.repeated] = self.repeatedValue

    def add(self, op, operands, value, **attributes):
        self.name, self.x = self.node(f"n{len(self.nodes)}", op, operands, **attributes), value
        return self.name

    def integers(self, *numbers):
        return self.weight(f"i{len(self.weights)}", [len(numbers)], numbers, "i64")[0]

    def number(self, value):
        return self.weight(f"f{len(self.weights)}", [], value)[0]

    def parameter(self, shape):
        name, data = self.weight(f"p{len(self.weights)}", list(shape))
        return name, data.astype(np.float64)

    def repeat(self, axis, count):
        isOpen = any(isinstance(size, str) and size in self.open for size in self.shape)
        form = self.choose("tile", "resize", *([] if isOpen else ["expand", "expand-outer"]))
        if form == "tile":
            repeats = [count if d == axis else 1 for d in range(3)]
            self.add("Tile", [self.name, self.integers(*repeats)], np.tile(self.x, repeats))
        elif form == "resize":
            attributes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", "axes": [axis], "scales": [float(count)]}
            self.add("Resize", [self.name], np.repeat(self.x, count, axis), **attributes)
        else:
            inner = axis + 1 if form == "expand" else axis
            wide = np.expand_dims(self.x, inner)
            self.add("Reshape", [self.name, self.integers(*wide.shape)], wide)
            all = wide.repeat(count, inner)
            self.add("Expand", [self.name, self.integers(*all.shape)], all)
            shape = [count * size if d == axis else size for d, size in enumerate(all.shape[:inner] + all.shape[inner + 1:])]
            self.add("Reshape", [self.name, self.integers(*shape)], all.reshape(shape))
        self.repeated, self.repeatedValue = self.name, self.x
        self.isNumber = [not (isinstance(name, str) and name in self.open) for name in self.shape]

    def make_layer(self):
        scale, s = self.parameter(self.x.shape[2:])
        self.add("LayerNormalization", [self.name, scale], normalized(self.x, 2) * s, axis=-1, epsilon=EPSILON)

    def make_layer_of_two(self):
        if not self.isNumber[1]:
            return self.make_layer()
        (scale, s), (bias, b) = self.parameter(self.x.shape[1:]), self.parameter(self.x.shape[2:])
        self.add("LayerNormalization", [self.name, scale, bias], normalized(self.x, (1, 2)) * s + b, axis=1, epsilon=EPSILON)

    def make_rms(self):
        scale, s = self.parameter(self.x.shape[2:])
        value = self.x / np.sqrt((self.x * self.x).mean(2, keepdims=True) + EPSILON) * s
        self.add("RMSNormalization", [self.name, scale], value, axis=-1, epsilon=EPSILON)

    def channels(self, op, **attributes):
        if not self.isNumber[1]:
            return self.make_layer()
        channels = self.x.shape[1]
        (scale, s), (bias, b) = self.parameter([channels]), self.parameter([channels])
        groups = attributes.get("num_groups", channels)
        apart = normalized(self.x.reshape(self.x.shape[0], groups, -1), 2).reshape(self.x.shape)
        self.add(op, [self.name, scale, bias], apart * s[:, None] + b[:, None], epsilon=EPSILON, **attributes)

    def make_instance(self):
        self.channels("InstanceNormalization")

    def make_group(self):
        self.channels("GroupNormalization", num_groups=1 if self.x.shape[1] % 2 else 2)

    def make_mean_variance(self):
        axes = self.choose((2,), (0, 2), (1, 2), (0,))
        apart, variance = deviation(self.x, axes)
        with np.errstate(all="ignore"):
            value = np.where(variance == 0, 0, apart / np.sqrt(variance))
        if np.any(np.sqrt(variance) < 1e-3):  # what is divided by next to nothing has no digits
            return self.make_layer()
        self.add("MeanVarianceNormalization", [self.name], value, axes=list(axes))

    def make_length(self):
        axis = self.choose(0, 1, 2)
        self.add("LpNormalization", [self.name], self.x / np.sqrt((self.x ** 2).sum(axis, keepdims=True)), axis=axis, p=2)

    def make_softmax(self):
        axis, op = self.choose(0, 1, 2), self.choose("Softmax", "LogSoftmax")
        value = softmax(self.x, axis)
        self.add(op, [self.name], np.log(value) if op == "LogSoftmax" else value, axis=axis)

    def make_reduction(self):
        axes = self.choose((2,), (1,), (0,), (1, 2), (0, 2))
        op, function = self.choose(("ReduceMean", np.mean), ("ReduceSum", np.sum), ("ReduceMax", np.max), ("ReduceMin", np.min),
                                   ("ReduceL2", lambda x, a, keepdims: np.sqrt((x * x).sum(a, keepdims=keepdims))))
        self.add(op, [self.name], function(self.x, axes, keepdims=True), axes=list(axes), keepdims=1)

    def make_layer_in_parts(self):
        x, value, axes = self.name, self.x, self.choose((2,), (1, 2), (1,))
        mean = self.add("ReduceMean", [x], value.mean(axes, keepdims=True), axes=list(axes), keepdims=1)
        apart, variance = deviation(value, axes)
        difference = self.add("Sub", [x, mean], apart)
        isPower = self.choose(False, True)
        square = self.add("Pow" if isPower else "Mul", [difference, self.number(2.0) if isPower else difference], apart ** 2)
        self.add("ReduceMean", [square], variance, axes=list(axes), keepdims=1)
        self.add("Add", [self.name, self.number(EPSILON)], variance + EPSILON)
        root = self.add("Sqrt", [self.name], np.sqrt(variance + EPSILON))
        self.add("Div", [difference, root], normalized(value, axes))
        scale, s = self.parameter(value.shape[2:])
        self.add("Mul", [self.name, scale], self.x * s)

    def make_rms_in_parts(self):
        x, value = self.name, self.x
        squares = (value * value).mean(2, keepdims=True)
        self.add("Mul", [x, x], value * value)
        self.add("ReduceMean", [self.name], squares, axes=[2], keepdims=1)
        self.add("Add", [self.name, self.number(EPSILON)], squares + EPSILON)
        self.add("Sqrt", [self.name], np.sqrt(squares + EPSILON))
        self.add("Reciprocal", [self.name], 1 / np.sqrt(squares + EPSILON))
        self.add("Mul", [x, self.name], value / np.sqrt(squares + EPSILON))

    def make_softmax_in_parts(self):
        x, value, axis = self.name, self.x, self.choose(0, 1, 2)
        powers = np.exp(value - value.max(axis, keepdims=True))
        self.add("ReduceMax", [x], value.max(axis, keepdims=True), axes=[axis], keepdims=1)
        self.add("Sub", [x, self.name], value - self.x)
        power = self.add("Exp", [self.name], powers)
        self.add("ReduceSum", [power], powers.sum(axis, keepdims=True), axes=[axis], keepdims=1)
        self.add("Div", [power, self.name], softmax(value, axis))


if __name__ == "__main__":
    sys.exit(verified.main("graphs with repeated elements", Repeat))
