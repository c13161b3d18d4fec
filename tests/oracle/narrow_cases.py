"""Cases of the operators on bf16 and f16. They compute in f32 and round once, so the exact result of the type's own operations is
known to the bit, and that of the others up to the f32 error before the rounding: mostly to the bit as well."""
import numpy as np

import cases
import reference as ref
from narrow import FORMATS, LONG
from cases import Case, shape_name, uniform

UNIT, TINY = LONG(2) ** -24, LONG(2) ** -149  # of f32
SHAPES = ((17,), (), (5, 7), (0,), (1, 33), (13, 1))
LARGE_MATMULS = cases.LARGE_MATMULS + ((7, 1023, 66), (1, 1025, 1), (128, 2304, 96))


def long(x):
    return np.asarray(x, LONG)


def f32_contraction(a, b, alpha=1.0, beta=0.0, c=None):
    """(alpha A B + beta C, the error of f32 before rounding): (K + 2) u (sum |a b| + |c|)."""
    alpha, beta = LONG(np.float32(alpha)), LONG(np.float32(beta))
    y = alpha * np.matmul(long(a), long(b))
    size = np.abs(alpha) * np.matmul(np.abs(long(a)), np.abs(long(b)))
    if c is not None and beta != 0:
        y, size = y + beta * long(c), size + np.abs(beta * long(c))
    return y, np.where(np.isfinite(y), (a.shape[-1] + 2) * (UNIT * size + TINY), LONG(0))


class NarrowCases:
    """Of one type."""

    def __init__(self, format):
        self.format = format

    def random(self, name, shape, low=-2.0, high=2.0):
        return self.format.rounded(uniform(f"{self.format.name} {name}", np.float32, shape, low, high))

    def special(self):
        """NaN, infinities, zeros, subnormals, the ends of the range and neighbours of 1."""
        f = self.format
        edges = [np.nan, np.inf, 0.0, f.tiny, 3 * f.tiny, f.normal - f.tiny, f.normal, f.largest, 1.0, 1 + f.epsilon,
                 1 - f.epsilon / 2, 0.5, 0.1]
        return f.rounded(edges + [-e for e in edges[1:]])

    def exact(self, name, inputs, y, **options):
        with np.errstate(all="ignore"):
            return Case(f"{self.format.name}-{name}", inputs, [self.format.rounded(y)], **options)

    def near(self, name, inputs, y, error, exact_zeros=False, **options):
        expected, bound = self.format.result(y, error)
        if exact_zeros and not np.any(bound):
            return Case(f"{self.format.name}-{name}", inputs, [expected], **options)
        return Case(f"{self.format.name}-{name}", inputs, [expected], bounds=[bound], **options)

    def arguments(self, name, low=-2.0, high=2.0):
        yield from ((shape_name(s), self.random(f"{name} {s}", s, low, high)) for s in SHAPES)
        yield "special", self.special()

    def unary(self, name, function, units, points=None, low=-2.0, high=2.0, every=True, **attributes):
        """`units`: the error before rounding, in u of f32; 0 for operations that are exact or correctly rounded."""
        chosen = list(self.arguments(name, low, high))
        if points is not None:
            chosen.append(("range", self.format.rounded(points)))
        if every:
            chosen.append(("every-number", self.format.all_numbers()))
        for label, x in chosen:
            with np.errstate(all="ignore"):
                y = long(function(long(x)))
                options = dict(attributes, large=label == "every-number")
                error = np.where(np.isfinite(y), units * UNIT * np.abs(y) + (TINY if units else 0), LONG(0))
                yield self.exact(label, [x], y, **options) if units == 0 else self.near(label, [x], y, error, True, **options)

    def gelu(self):
        points = np.linspace(-14.5, 8, 90)
        yield from self.unary("gelu", ref.GELU, self.format.few_digits, points, every=False)
        for case in self.unary("gelu", ref.GELU_TANH, self.format.few_digits, points, every=False, approximate="tanh"):
            case.name += "-tanh"
            yield case

    def leaky_relu(self):
        for alpha in (0.01, -1.0):
            slope = LONG(np.float32(alpha))
            for case in self.unary("leaky", lambda x: np.where(x < 0, slope * x, x), 1, alpha=alpha):
                case.name += f"-alpha-{alpha}"
                yield case

    def clip(self):
        for low, high in ((-0.5, 1.0), (None, 1.0), (-0.5, None), (None, None), (np.nan, np.nan)):
            for label, x in (("special", self.special()), ("5x7", self.random("clip", (5, 7)))):
                limits = [None if v is None else self.format.rounded(v) for v in (low, high)]
                inputs = [x] + limits
                while inputs[-1] is None:
                    inputs.pop()
                constants = [[i for i in (1, 2) if i < len(inputs) and inputs[i] is not None]]
                yield self.exact(f"{label}-{low}-{high}", inputs, ref.clip(x, *limits), constants=[c for c in constants if c])

    def binary(self, function):
        for sa, sb in cases.BROADCASTS[:12]:
            a, b = self.random(f"a {sa} {sb}", sa), self.random(f"b {sa} {sb}", sb)
            yield self.exact(f"{shape_name(sa)}-{shape_name(sb)}", [a, b], function(long(a), long(b)), constants=[[1]])
        values = self.special()[[0, 1, 2, 3, 7, 8, 9, 12, 13, 14, 15, 19]]
        a, b = (self.format.rounded(v.ravel()) for v in np.meshgrid(values, values))
        with np.errstate(all="ignore"):
            yield self.exact("special", [a, b], function(long(a), long(b)))
            yield self.exact("same-tensor", [a, 0], function(long(a), long(a)))
            # Ties, subnormal results, and largest numbers that become infinite.
            for label, value in (("next-to-one", 1 + self.format.epsilon), ("half", 0.5), ("tiny", 3 * self.format.tiny)):
                x, c = self.format.all_numbers(), self.format.rounded(value)
                yield self.exact(f"every-number-and-{label}", [x, c], function(long(x), long(c)), constants=[[1]], large=True)

    def variadic(self, function):
        yield from self.binary(function)
        x, y, z = self.random("v0", (3, 1)), self.random("v1", (5,)), self.random("v2", (2, 1, 5))
        yield self.exact("one", [x], x)
        yield self.exact("three", [x, y, z], function(x, y, z), constants=[[1], [0, 2]])

    def matmul(self):
        def product(label, a, b, **options):
            with np.errstate(invalid="ignore"):
                return self.near(label, [a, b], *f32_contraction(a, b), **options)

        shapes = cases.MATMULS[:15] + cases.MATMULS[16::2] + (((6, 6), (6, 6)), ((6, 7), (7, 6)))  # an odd depth among them
        for sa, sb in shapes:
            a, b = self.random(f"ma {sa}", sa), self.random(f"mb {sb}", sb)
            yield product(f"{shape_name(sa)}-{shape_name(sb)}", a, b, constants=[[1], [0]])
        a = self.random("square", (7, 7))
        yield self.near("same-tensor", [a, 0], *f32_contraction(a, a))
        a, b = self.random("inf a", (7, 5)), self.random("inf b", (5, 19))
        a[2, 3], a[6, 4], b[0, 18] = np.inf, np.nan, -np.inf
        yield product("infinities", a, b, constants=[[1], [0]])
        # Subnormal products and sums, which dot-product instructions on bf16 take for zero; results that overflow when they are
        # rounded, not before.
        f, is_bf16 = self.format, self.format.name == "bf16"
        a = f.rounded(self.random("small a", (6, 5)).astype(LONG) * LONG(2) ** (-120 if is_bf16 else -8))
        b = f.rounded(long(self.random("small b", (5, 18))) * LONG(2) ** -8)
        value, error = f32_contraction(a, b)
        yield self.near("subnormal", [a, b], value, error + (5 * LONG(2) ** -126 if is_bf16 else 0), constants=[[1]])
        ulp = f.epsilon * 2.0 ** (f.infinity - 1)  # of the largest number
        a, b = f.rounded([[1.0, 1.0], [-1.0, -1.0]]), f.rounded([[f.largest] * 3, [0, ulp, ulp / 4]])
        yield product("overflow", a, b, constants=[[1]])
        for m, k, n in LARGE_MATMULS:
            a, b = self.random(f"la {m} {k}", (m, k)), self.random(f"lb {k} {n}", (k, n))
            yield product(f"large-{m}x{k}x{n}", a, b, constants=[[1]], large=True)

    def gemm_case(self, m, k, n, c_shape, attributes, large=False):
        label = f"{'large-' if large else ''}{m}x{k}x{n}" + ("" if c_shape is None else f"-c-{shape_name(c_shape)}")
        label += "".join(f"-{key}-{value}" for key, value in attributes.items())
        a = self.random(f"ga {m} {k}", (k, m) if attributes.get("transA") else (m, k))
        b = self.random(f"gb {k} {n}", (n, k) if attributes.get("transB") else (k, n))
        inputs = [a, b] + ([] if c_shape is None else [self.random(f"gc {c_shape}", c_shape)])
        y, error = f32_contraction(a.T if attributes.get("transA") else a, b.T if attributes.get("transB") else b,
                                   attributes.get("alpha", 1.0), attributes.get("beta", 1.0), (inputs + [None])[2])
        return self.near(label, inputs, y, error, constants=[list(range(1, len(inputs)))], large=large, **attributes)

    def gemm(self):
        yield from (self.gemm_case(*arguments) for arguments in cases.GEMMS)
        yield from (self.gemm_case(*arguments, large=True) for arguments in cases.LARGE_GEMMS)

    def softmax(self):
        def one(label, x, axis):
            with np.errstate(all="ignore"):
                y, bound = ref.softmax_of(long(x), axis, np.float32)
                bound = bound + np.where(np.isfinite(y), 2 * self.format.few_digits * UNIT * y, LONG(0))
            return self.near(f"{label}-axis-{axis}", [x], y, bound, **({} if axis == -1 else {"axis": axis}))

        for shape, axis in (((7,), -1), ((5, 7), 0), ((5, 7), 1), ((2, 3, 5), 1), ((3, 1), -1), ((2, 65), -1), ((3, 130), -1), ((0, 3), 0)):
            yield one(shape_name(shape), self.random(f"s {shape}", shape, -4, 4), axis)
        big = self.format.largest
        rows = self.format.rounded([[1000, 992, -1000, 0], [88, 87, -104, 12], [-1e4] * 4, [big, -big, 1, 0], [np.nan, 1, 2, 3],
                        [-np.inf, 0, 1, 2], [np.inf, 0, 1, 2], [-np.inf] * 4, [0, -0.0, 0, -0.0]])
        yield one("large-logits-and-special", rows, -1)
        yield one("special-by-column", rows.T.copy(), 0)
        yield one("special-in-long-rows", np.tile(rows, (1, 40)), -1)

    def moved(self, name, forms):
        """`forms`: (shape, function, further inputs, attributes). The same bits; NaN, infinities and subnormals among them."""
        for label, shape, function, others, attributes in forms:
            x = self.random(f"{name} {shape}", shape)
            if x.size >= 4:
                x.ravel()[:4] = [np.nan, -0.0, np.inf, self.format.tiny]
            weights = [1] if others else []
            yield Case(f"{self.format.name}-{label}", [x, *others], [function(x).copy()], weights=weights, **attributes)

    def identity(self):
        return self.moved("identity", [(shape_name(s), s, lambda x: x, [], {}) for s in ((17,), (), (3, 5))])

    def reshape(self):
        forms = (((2, 3), (3, 2)), ((2, 3, 4), (4, 6)), ((), (1, 1)), ((3, 5, 7), (7, 15)))
        return self.moved("reshape", [(f"{shape_name(s)}-to-{shape_name(t)}", s, lambda x, t=t: x.reshape(t),
                                  [np.array(t, dtype=np.int64)], {}) for s, t in forms])

    def transpose(self):
        forms = (((4, 4), None), ((3, 5), None), ((17, 33), None), ((7, 9), None), ((1, 9), None), ((2, 3, 5), [2, 0, 1]),
                 ((2, 3, 4, 5), [0, 2, 1, 3]), ((2, 3, 4, 5), [3, 1, 0, 2]))
        return self.moved("transpose", [(shape_name(s) + ("-perm-" + "-".join(map(str, p)) if p else ""), s,
                                    lambda x, p=p: np.transpose(x, p), [], {} if p is None else {"perm": p}) for s, p in forms])

    def operators(self):
        """The maker of the cases of each operator."""
        return {
            "Abs": lambda: self.unary("abs", np.abs, 0),
            "Add": lambda: self.binary(np.add),
            "Clip": self.clip,
            "Div": lambda: self.binary(np.divide),
            "Erf": lambda: self.unary("erf", ref.ERF, self.format.few_digits, cases.both_signs(list(np.logspace(-6, 0.9, 50)), np.float32), every=False),
            "Exp": lambda: self.unary("exp", np.exp, self.format.few_digits),
            "Gelu": self.gelu,
            "Gemm": self.gemm,
            "Identity": self.identity,
            "LeakyRelu": self.leaky_relu,
            "Log": lambda: self.unary("log", np.log, self.format.few_digits, None, 0.01, 4.0),
            "MatMul": self.matmul,
            "Max": lambda: self.variadic(ref.maximum),
            "Min": lambda: self.variadic(ref.minimum),
            "Mul": lambda: self.binary(np.multiply),
            "Neg": lambda: self.unary("neg", np.negative, 0),
            "Relu": lambda: self.unary("relu", lambda x: np.where(x < 0, LONG(0), x), 0),
            "Reshape": self.reshape,
            "Sigmoid": lambda: self.unary("sigmoid", ref.sigmoid, self.format.few_digits, np.linspace(-104, 20, 70)),
            "Softmax": self.softmax,
            "Sqrt": lambda: self.unary("sqrt", np.sqrt, 0, None, 0.0, 4.0),
            "Sub": lambda: self.binary(np.subtract),
            "Tanh": lambda: self.unary("tanh", np.tanh, self.format.few_digits),
            "Transpose": self.transpose,
        }


TYPES = [NarrowCases(format).operators() for format in FORMATS.values()]
