"""What generators draw from: sizes, shapes, numbers of each type, and models of one node."""
import numpy as np

from elements import FLOATS8, LONG, UNITS, greatest, is_float, least, limits, nearest, normal
from model import Array, Model, Node

SIZES = [1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33]
NEWEST = 23
GENERATORS = {}


def generator(*names):
    """Registers a function (draw, name) -> Model for each of the names."""
    def register(function):
        for name in names:
            GENERATORS[name] = function
        return function
    return register


class Draw:
    def __init__(self, rng):
        self.rng = rng

    def chance(self, probability):
        return bool(self.rng.random() < probability)

    def choose(self, options):
        return options[int(self.rng.integers(len(options)))]

    def integer(self, low, high):
        """`high` is one of them."""
        return int(self.rng.integers(low, high + 1))

    def size(self, empty=0.02):
        return 0 if self.chance(empty) else int(self.choose(SIZES))

    def shape(self, low=0, high=4, most=2000, empty=0.02):
        shape = [self.size(empty) for _ in range(self.integer(low, high))]
        while np.prod(shape, dtype=np.int64) > most:
            shape[int(np.argmax(shape))] = self.choose([1, 2, 3])
        return tuple(shape)

    def opset(self, first=7, last=NEWEST):
        return self.integer(first, last)

    def axis(self, rank):
        return self.integer(-rank, rank - 1)

    def permutation(self, count):
        return [int(i) for i in self.rng.permutation(count)]

    def some_axes(self, rank, least_count=0, sign=True):
        """Different ones, of both signs."""
        axes = self.permutation(rank)[:self.integer(min(least_count, rank), rank)]
        return [a - rank if sign and self.chance(0.3) else a for a in axes]

    def real(self, low, high):
        """A number that f32, bf16 and f16 have."""
        return float(np.round(self.rng.uniform(low, high) * 16) / 16)

    def values(self, element, shape, low=-2.0, high=2.0):
        """Numbers of the type: floats of a range, integers of all of their range or small ones."""
        if element == "bool":
            return self.rng.random(shape) < 0.5
        if is_float(element):
            return nearest(self.rng.uniform(low, high, shape), element)
        least_number, most = limits(element)
        if self.chance(0.5):
            least_number, most = max(least_number, -9), min(most, 9)
        kind = np.uint64 if element in ("u8", "u16", "u32", "u64", "u4") else np.int64
        return self.rng.integers(least_number, most, shape, dtype=kind, endpoint=True).reshape(shape)

    def sprinkled(self, element, values, probability=0.3, without=()):
        """With special numbers in some places: NaN, infinities, zeros of both signs, subnormals, the ends of the range."""
        if not is_float(element) or not self.chance(probability):
            return values
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0, float(least(element)), -float(least(element)), float(greatest(element)), -float(greatest(element)),
                   float(normal(element)), 1.0, -1.0, 0.5, -2.5, 1e30, -1e30]
        if element == "f8e4m3fn":
            special = [v for v in special if not np.isinf(v)]
        special = [v for v in special if not any(v == w or (v != v and w != w) for w in without)]
        mask = self.rng.random(values.shape) < 0.25
        return nearest(np.where(mask, self.rng.choice(special, values.shape), values), element)

    def array(self, element, shape, low=-2.0, high=2.0, special=0.0, without=()):
        values = self.values(element, shape, low, high)
        return Array(self.sprinkled(element, values, special, without) if special else values, element)

    def broadcast(self, count, low=0, high=4):
        """Shapes that broadcast together."""
        whole = self.shape(low, high)
        shapes = []
        for _ in range(count):
            shape = [1 if self.chance(0.25) else n for n in whole]
            shapes.append(tuple(shape[self.integer(0, len(shape)) if self.chance(0.3) else 0:]))
        shapes[self.integer(0, count - 1)] = whole
        return shapes

    def model(self, op, inputs, attributes, expected, opset, domain="", fixed=(), names=None):
        """A model of one node. `inputs`: arrays, or None where one is left out; those with numbers in `fixed` are constants, others are once in a while.
        `expected`: None for a result that is not asked for."""
        node_inputs, given, constants = [], {}, {}
        moving = [i for i, a in enumerate(inputs) if a is not None and i not in fixed]
        kept = self.choose(moving) if moving else None
        for i, a in enumerate(inputs):
            node_inputs.append("" if a is None else f"x{i}")
            if a is None:
                continue
            (constants if i in fixed or (i != kept and self.chance(0.25)) else given)[f"x{i}"] = a
        while node_inputs and not node_inputs[-1] and self.chance(0.7):
            node_inputs.pop()
        outputs = [f"y{i}" if e is not None else "" for i, e in enumerate(expected)]
        while outputs and not outputs[-1]:
            outputs.pop()
        wanted = {f"y{i}": e for i, e in enumerate(expected) if e is not None}
        return Model([Node(op, node_inputs, outputs, attributes, domain)], given, constants, wanted, opset)


def ints(values):
    return Array(np.asarray(values, np.int64).reshape(np.shape(values)), "i64")


def function_error(y, element, ulps=4):
    """Of a function within so many ulps: 2 u each, and those of narrow types have fewer digits."""
    from elements import FORMATS
    y = np.abs(np.asarray(y, LONG))
    if element in FORMATS:
        return (1 if ulps <= 4 else 2) * 1.1 * FORMATS[element].few_digits * LONG(2) ** -24 * y + LONG(2) ** -126
    return ulps * 2.2 * UNITS[element] * y


def single(value):
    """What kgen takes an attribute to be: the number of f64 whose text is the shortest of the f32."""
    return LONG(float(str(np.float32(value))))


def once(values, element):
    """In a type in which the result of one operation, rounded once more, still is the nearest number: 64 bits are too few above f64."""
    return np.asarray(values).astype(np.float64 if element == "f64" else LONG)


def working_unit(element):
    """The unit roundoff of what the type is computed in."""
    return UNITS["f64"] if element == "f64" else UNITS["f32"]


def is_float8(element):
    return element in FLOATS8
