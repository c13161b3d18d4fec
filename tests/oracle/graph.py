"""Graphs for the oracle: nodes are written down and computed in longdouble at the same time, each value with a bound for the
error that a correct implementation may have there.

The bound is composed forward: every node adds its own rounding (contractions (K + 2) u (sum |a b|), functions 8u = 4 ulp,
arithmetic u) to what the errors of its inputs become on their way through it. Additions count for both operands, monotone
functions are evaluated at both ends of the interval. Integers whose partial sums stay below 2^24 (f32) or 2^53 are exact in
any order: their bound is 0, which leaves no room for a term too few.
"""
import numpy as np

import cases
import reference as ref

LONG = np.longdouble


class Value:
    """A tensor of a graph: its name, its exact value given exact arithmetic, and the error that is allowed."""

    def __init__(self, name, exact, error, dtype):
        self.name, self.exact, self.error, self.dtype = name, exact, error, dtype

    @property
    def shape(self):
        return self.exact.shape

    def is_integer(self):
        return not np.any(self.error) and is_whole(self.exact)


def is_whole(x):
    return bool(np.all(x == np.rint(x)))


def product(a, b):
    """Of longdouble matrices, with the right operand's columns side by side: numpy's loop is slow otherwise. Sums of whole numbers that double
    holds are exact in it, too, and ten times as fast."""
    if a.ndim < 2 or b.ndim < 2:
        return np.matmul(a, b)
    if a.size * b.shape[-1] > 1 << 22 and is_whole(a) and is_whole(b) and a.shape[-1] * np.abs(a).max() * np.abs(b).max() < 2.0**53:
        return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(LONG)
    return np.matmul(np.ascontiguousarray(a), np.swapaxes(np.ascontiguousarray(np.swapaxes(b, -1, -2)), -1, -2))


def magnitudes(a, b):
    """An upper bound of a b for matrices without negative elements. Of large ones in double, its rounding included: what that
    is depends on the CPU, so bounds that are kept in files come from longdouble."""
    if a.size * b.shape[-1] <= 1 << 22:
        return product(a.astype(LONG), b.astype(LONG)) * (1 + LONG(2) ** -40)
    return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(LONG) * (1 + LONG(2) ** -40)


class Builder:
    def __init__(self, dtype):
        self.dtype = dtype
        self.unit = self.sum_unit = ref.unit(dtype)
        self.sum_tiny = LONG(0)
        self.tiny = LONG(np.nextafter(dtype(0), dtype(1)))
        self.inputs, self.nodes, self.shapes = [], [], []
        self.constants, self.arithmetic = [], False
        self.sums = None  # the type in which products may be added up, if it is narrower

    product = staticmethod(product)

    # Inputs

    def input(self, array):
        self.inputs.append(array)
        exact = array.astype(LONG) if array.dtype in (np.float32, np.float64) else array
        return Value(f"x{len(self.inputs) - 1}", exact, np.zeros(array.shape, LONG), array.dtype.type)

    def weight(self, array):
        """An input that is a constant in a further run of the case."""
        self.constants.append(len(self.inputs))
        return self.input(array)

    def uniform(self, name, shape, low=-2.0, high=2.0):
        return self.input(cases.uniform(f"graph {name} {shape}", self.dtype, shape, low, high))

    def uniform_weight(self, name, shape, low=-2.0, high=2.0):
        return self.weight(cases.uniform(f"graph {name} {shape}", self.dtype, shape, low, high))

    # Nodes

    def node(self, operator, inputs, exact, error, **attributes):
        name = f"{operator.lower()}{len(self.nodes)}"
        self.nodes.append((name, operator, [v.name for v in inputs], attributes))
        return Value(name, exact, error, inputs[0].dtype)

    def rounded(self, y, error, units=1):
        """The error after a result within `units` u of what its operands give."""
        return error + units * self.unit * (np.abs(y) + error) + self.tiny

    def add_up_in(self, format):
        """Sums of products in a narrower type: its error, and that of its subnormal numbers."""
        self.sums = format
        self.sum_unit, self.sum_tiny = LONG(format.epsilon) / 2, LONG(format.tiny) / 2

    def sum_depth(self, depth):
        """Products that are added up in the narrower type, before their sum goes on in f32."""
        return min(depth, 256) if self.sums else depth

    def is_exact(self, a, b, size):
        """Whether sums of whole numbers, of magnitudes that add up to `size`, stay so on their way."""
        if not np.max(size, initial=0) < self.limit():
            return False
        largest = np.max(np.abs(a.exact), initial=0) * np.max(np.abs(b.exact), initial=0)
        return not self.sums or self.sum_depth(a.shape[-1]) * largest < LONG(2) ** self.sums.digits

    def limit(self):
        return LONG(2) ** (24 if self.dtype == np.float32 else 53)

    def contraction(self, a, b, c=None, alpha=1, beta=1):
        y = LONG(alpha) * self.product(a.exact, b.exact)
        size_a, size_b = np.abs(a.exact) + a.error, np.abs(b.exact) + b.error
        size = abs(alpha) * magnitudes(size_a, size_b)
        error = np.zeros(y.shape, LONG)
        if np.any(a.error) or np.any(b.error):
            error = abs(alpha) * (magnitudes(a.error, size_b) + magnitudes(np.abs(a.exact), b.error))
        if c is not None:
            y, size = y + LONG(beta) * c.exact, size + abs(beta) * (np.abs(c.exact) + c.error)
            error = error + abs(beta) * c.error
        whole = a.is_integer() and b.is_integer() and (c is None or c.is_integer()) and alpha == int(alpha) and beta == int(beta)
        if whole and self.is_exact(a, b, size):
            return y, np.zeros(y.shape, LONG)
        depth = a.shape[-1]
        return y, error + (self.sum_depth(depth) + 2) * self.sum_unit * size + (depth + 2) * self.sum_tiny + ref.half_ulp(np.abs(y) + error, self.dtype)

    def matmul(self, a, b):
        self.arithmetic = True
        return self.node("MatMul", [a, b], *self.contraction(a, b))

    def gemm(self, a, b, c=None, **attributes):
        self.arithmetic = True
        left = self.moved(a, lambda x: x.T) if attributes.get("transA") else a
        right = self.moved(b, lambda x: x.T) if attributes.get("transB") else b
        y, error = self.contraction(left, right, c, attributes.get("alpha", 1), attributes.get("beta", 1))
        return self.node("Gemm", [a, b] + ([] if c is None else [c]), y, error, **attributes)

    @staticmethod
    def moved(x, function):
        return Value(x.name, function(x.exact), function(x.error), x.dtype)

    def binary(self, operator, a, b):
        self.arithmetic = True
        y = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}[operator](a.exact, b.exact)
        if operator in ("Add", "Sub"):
            error = a.error + b.error
        elif operator == "Mul":
            error = np.abs(a.exact) * b.error + np.abs(b.exact) * a.error + a.error * b.error
        else:
            assert np.all(np.abs(b.exact) > 2 * b.error), "a divisor that may be 0"
            error = (a.error + np.abs(y) * b.error) / (np.abs(b.exact) - b.error)
        whole = operator != "Div" and a.is_integer() and b.is_integer() and np.max(np.abs(y), initial=0) < self.limit()
        return self.node(operator, [a, b], y, np.zeros(y.shape, LONG) if whole else self.rounded(y, error))

    def add(self, a, b):
        return self.binary("Add", a, b)

    def sub(self, a, b):
        return self.binary("Sub", a, b)

    def mul(self, a, b):
        return self.binary("Mul", a, b)

    def div(self, a, b):
        return self.binary("Div", a, b)

    def monotone(self, operator, x, function, units, others=(), **attributes):
        """The result lies between the function's values at both ends of the interval that x may be in."""
        self.arithmetic = True
        y, low, high = function(x.exact), function(x.exact - x.error), function(x.exact + x.error)
        error = np.maximum(np.abs(high - y), np.abs(y - low))
        return self.node(operator, [x, *others], y, self.rounded(y, error, units) if units else error, **attributes)

    def relu(self, x):
        return self.monotone("Relu", x, lambda v: np.maximum(v, 0), 0)

    def leaky_relu(self, x, alpha):
        slope = LONG(self.dtype(alpha))
        return self.monotone("LeakyRelu", x, lambda v: np.where(v < 0, slope * v, v), 1, alpha=alpha)

    def clip(self, x, low, high):
        return self.monotone("Clip", x, lambda v: np.clip(v, low.exact, high.exact), 0, (low, high))

    def exp(self, x):
        return self.monotone("Exp", x, np.exp, 8)

    def tanh(self, x):
        return self.monotone("Tanh", x, np.tanh, 8)

    def sigmoid(self, x):
        return self.monotone("Sigmoid", x, lambda v: 1 / (1 + np.exp(-v)), 8)

    def gelu(self, x, approximate="none"):
        """Not monotone; its slope is at most 1.13. The reference takes its argument in double."""
        self.arithmetic = True
        y = (ref.GELU_TANH if approximate == "tanh" else ref.GELU)(x.exact)
        argument = np.abs(x.exact - x.exact.astype(np.float64))
        attributes = {"approximate": approximate} if approximate != "none" else {}
        return self.node("Gelu", [x], y, self.rounded(y, LONG("1.13") * (x.error + argument), 8), **attributes)

    def softmax(self, x, axis=-1):
        """Errors e of the logits scale a result by at most exp(e + max e)."""
        self.arithmetic = True
        y, error = ref.softmax_of(x.exact, axis, self.dtype)
        growth = np.expm1(x.error + np.max(x.error, axis=axis, keepdims=True))
        error = error * (1 + growth) + y * growth
        return self.node("Softmax", [x], y, error, **({} if axis == -1 else {"axis": axis}))

    def transpose(self, x, perm=None):
        moved = self.moved(x, lambda v: np.transpose(v, perm).copy())
        return self.node("Transpose", [x], moved.exact, moved.error, **({} if perm is None else {"perm": perm}))

    def reshape(self, x, shape):
        self.shapes.append(len(self.inputs))
        wanted = self.input(np.array(shape, dtype=np.int64))
        return self.node("Reshape", [x, wanted], x.exact.reshape(shape), x.error.reshape(shape))

    def identity(self, x):
        return self.node("Identity", [x], x.exact, x.error)

    # The case

    sharpness = 100  # see check_sharpness

    def case(self, name, *outputs, large=False):
        if not self.arithmetic:
            bounds = None  # the same bits
        else:
            bounds = [v.error for v in outputs]
            for v in outputs:
                check_sharpness(f"{cases.SHORT[self.dtype]}-{name}", v, self.sharpness)
        case = cases.Case(f"{cases.SHORT[self.dtype]}-{name}", self.inputs, [v.exact.astype(v.dtype) for v in outputs], bounds=bounds,
                          constants=[self.constants] if self.constants else [], weights=self.shapes, large=large)
        if bounds is not None:
            # The expected number itself is rounded to the type.
            case.bounds = [np.where(v.error > 0, v.error + ref.half_ulp(v.exact, self.dtype), 0) for v in outputs]
        case.nodes, case.outputs = self.nodes, [v.name for v in outputs]
        return case


def check_sharpness(name, value, part=100):
    """A bound that a wrong result could meet proves nothing: half of all elements must be known to a hundredth of the
    tensor's typical size."""
    if value.exact.size and np.median(value.error) > np.sqrt(np.mean(value.exact ** 2)) / part:
        raise ValueError(f"{name}: the bound of {value.name} says nothing")
