"""Graphs with 8-bit integers in them. All results are exact: every operation on f32 is rounded once, as numpy's is, and the one
product of f32 matrices has numbers whose sums are exact in any order."""
import numpy as np

from cases import Case, uniform
from quantized_cases import F32, I8, I32, NARROW, U8, casts_to, integer_product, integers, quantized, scales, wrapped


class Graph:
    """Nodes are written down and computed at the same time; a value is its name and its array."""

    def __init__(self):
        self.inputs, self.weights, self.nodes = [], [], []

    def input(self, array):
        self.inputs.append(np.asarray(array))
        return f"x{len(self.inputs) - 1}", self.inputs[-1]

    def weight(self, array):
        self.weights.append(len(self.inputs))
        return self.input(array)

    def node(self, operator, inputs, *results, **attributes):
        name = f"{operator.lower()}{len(self.nodes)}"
        names = [name] if len(results) == 1 else [f"{name}_{i}" for i in range(len(results))]
        self.nodes.append((name, operator, [i[0] for i in inputs], attributes, *(names if len(results) > 1 else [])))
        made = [(n, np.asanyarray(r)) for n, r in zip(names, results)]
        return made[0] if len(made) == 1 else made

    def case(self, name, *outputs, large=False):
        case = Case(name, self.inputs, [array for _, array in outputs], constants=[self.weights] if self.weights else [], large=large)
        case.nodes, case.outputs = self.nodes, [n for n, _ in outputs]
        return case

    # Operators

    def binary(self, operator, a, b):
        function = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}[operator]
        return self.node(operator, [a, b], function(a[1], b[1]))

    def cast(self, x, to, name):
        return self.node("Cast", [x], NARROW[to].rounded(x[1]) if to in NARROW else x[1].view(np.ndarray).astype(to), to=name)

    def relu(self, x):
        return self.node("Relu", [x], np.maximum(x[1], x[1].dtype.type(0)))

    def quantize(self, x, scale, zero):
        return self.node("QuantizeLinear", [x, scale, zero], quantized(x[1] / scale[1], zero[1], zero[1].dtype.type))

    def dequantize(self, x, scale, zero):
        return self.node("DequantizeLinear", [x, scale, zero], (x[1].astype(I32) - zero[1].astype(I32)).astype(F32) * scale[1])

    def dynamic(self, x):
        low, high = F32(min(0, x[1].min())), F32(max(0, x[1].max()))
        scale = F32((high - low) / F32(255))
        zero = quantized(np.asarray(-(low / scale)), None, U8)
        return self.node("DynamicQuantizeLinear", [x], quantized(x[1] / scale, zero, U8), np.array(scale, F32), zero)

    def integer_product(self, a, b, *zeros):
        return self.node("MatMulInteger", [a, b, *zeros], integer_product(a[1], b[1], *([z[1] for z in zeros] + [None, None])[:2]))

    def linear_product(self, a, b, y):
        """Operands are (matrix, scale, zero point)."""
        total = integer_product(a[0][1], b[0][1], a[2][1], b[2][1]).astype(F32)
        result = quantized(total * (a[1][1] * b[1][1] / y[0][1]), y[1][1], y[1][1].dtype.type)
        return self.node("QLinearMatMul", [*a, *b, *y], result)

    def product(self, a, b):
        return self.node("MatMul", [a, b], np.matmul(a[1], b[1]))


def dynamic_layer(g, x, depth, width, relu=True):
    """An f32 layer with weights of i8, by column, as converters write it."""
    q, scale, zero = g.dynamic(x)
    w = g.weight(integers(f"dw {depth}", I8, (depth, width)))
    total = g.cast(g.integer_product(q, w, zero), F32, "f32")
    factors = g.binary("Mul", scale, g.weight(scales(f"dw {depth}", (width,))))
    y = g.binary("Add", g.binary("Mul", total, factors), g.weight(uniform(f"db {depth}", F32, (width,))))
    return g.relu(y) if relu else y


def static_layer(g, x, depth, width, result, step):
    """A layer whose input and result are 8-bit integers. `x` is (matrix, scale, zero point)."""
    name = f"sw {depth} {width}"
    w = g.weight(integers(name, I8, (depth, width))), g.weight(scales(name, (width,))), g.weight(np.zeros(width, I8))
    y = g.weight(np.array(step, F32)), g.weight(np.array(3, result))
    return g.linear_product(x, w, y), *y


def start(g, rows, depth, dtype=U8):
    return g.input(integers(f"sx {rows} {depth}", dtype, (rows, depth))), g.weight(np.array(0.02, F32)), g.weight(np.array(100, dtype))


def static(rows, sizes, large):
    g = Graph()
    x = start(g, rows, sizes[0])
    for depth, width in zip(sizes, sizes[1:]):
        x = static_layer(g, x, depth, width, U8, 4.5 * float(x[1][1]) * depth ** 0.5)
    return g.case(f"static-{rows}-" + "x".join(map(str, sizes)), x[0], g.dequantize(*x), large=large)


def dynamic(rows, sizes, large):
    g = Graph()
    x = g.input(uniform(f"dyn {rows}", F32, (rows, sizes[0])))
    for depth, width in zip(sizes, sizes[1:]):
        x = dynamic_layer(g, x, depth, width, width != sizes[-1])
    return g.case(f"dynamic-{rows}-" + "x".join(map(str, sizes)), x, large=large)


def quantize_and_back():
    """Around a product of f32 matrices whose numbers are small whole numbers of a power of two."""
    g = Graph()
    step, zero = g.weight(np.array(0.0625, F32)), g.weight(np.array(-3, I8))
    x = g.dequantize(g.quantize(g.input(uniform("qdq x", F32, (7, 13), -9, 9)), step, zero), step, zero)
    w = g.dequantize(g.weight(integers("qdq w", I8, (13, 18))), g.weight(np.array(0.015625, F32)), g.weight(np.array(0, I8)))
    y = g.relu(g.product(x, w))
    return g.case("quantize-and-back", g.quantize(y, g.weight(np.array(0.3, F32)), g.weight(np.array(-128, I8))))


def quantize_deep():
    """The sums are larger than a block of the depth; they are whole numbers."""
    g = Graph()
    x, w = (g.input(np.asarray(integers(name, I8, shape) % 10, F32)) for name, shape in (("deep x", (7, 2500)), ("deep w", (2500, 33))))
    return g.case("quantize-deep", g.quantize(g.product(x, w), g.input(np.array(400, F32)), g.input(np.array(-1, I8))), large=True)


def residual():
    g = Graph()
    x = start(g, 6, 19, I8)
    y = static_layer(g, x, 19, 19, I8, 0.4)
    total = g.binary("Add", g.dequantize(*x), g.dequantize(*y))
    return g.case("residual", g.quantize(total, y[1], y[2]), y[0])


def integer_bias():
    """Sums with a bias of i32, one more factor for each row, and what others read as well."""
    g = Graph()
    a, b = g.input(integers("ib a", U8, (9, 33))), g.weight(integers("ib b", I8, (33, 21)))
    total = g.integer_product(a, b, g.weight(integers("ib z", U8, ())), g.weight(integers("ib zb", I8, (21,))))
    biased = g.node("Add", [total, bias := g.weight(integers("ib bias", I32, (21,)))], wrapped(total[1].astype(np.int64) + bias[1]))
    y = g.binary("Mul", g.cast(biased, F32, "f32"), g.input(scales("ib", (9, 1))))
    return g.case("integer-bias", y, total)


def casts(type):
    """What a cast rounds stays rounded, also where both casts are computed together."""
    g = Graph()
    x = g.input(uniform("casts", F32, (3, 37), -300, 300))
    narrow = g.cast(x, type, type)
    wide = g.cast(narrow, F32, "f32")
    wide = wide[0], np.asarray(narrow[1]).view(np.ndarray)
    double = g.cast(x, np.float64, "f64")
    tenth = g.input(np.array(0.1, np.float64))
    back = g.cast(g.cast(g.binary("Mul", double, tenth), F32, "f32"), np.float64, "f64")
    return g.case("casts" if type == "bf16" else f"casts-{type}", g.binary("Sub", x, wide), back)


def converted(rows, depth, columns, large=False):
    """Results of products that are converted to every other type; whole numbers, so that their sums are exact."""
    g = Graph()
    x, w = (g.input(np.asarray(integers(f"conv {s}", I8, s) % 7 - 3, F32)) for s in ((rows, depth), (depth, columns)))
    bias = g.input(np.asarray(integers("conv b", I8, (columns,)), F32))
    y = g.binary("Add", g.product(x, w), bias)
    results = [g.node("Cast", [y], casts_to(y[1], to), to=name)
               for name, to in (("bf16", "bf16"), ("f16", "f16"), ("i8", I8), ("u8", U8), ("i32", I32), ("f64", np.float64))]
    return g.case(f"converted-{rows}x{depth}x{columns}", *results, large=large)


def converted_alone(to, name, shape, large=False):
    """The conversion is a part of the product's kernel where nothing else reads its result."""
    rows, depth, columns = shape
    g = Graph()
    x, w = (g.input(np.asarray(integers(f"conv {s}", I8, s) % 7 - 3, F32)) for s in ((rows, depth), (depth, columns)))
    y = g.relu(g.product(x, w))
    return g.case(f"converted-to-{name}-{rows}x{depth}x{columns}", g.node("Cast", [y], casts_to(y[1], to), to=name), large=large)


def graphs():
    yield converted(7, 13, 18)
    yield converted(33, 96, 67, large=True)
    for name, to in (("bf16", "bf16"), ("f16", "f16"), ("i8", I8), ("u8", U8), ("i32", I32)):
        yield converted_alone(to, name, (5, 9, 19))
        yield converted_alone(to, name, (61, 65, 49), large=True)
    yield static(5, (12, 19, 7), False)
    yield static(1, (9, 33), False)
    yield dynamic(5, (12, 19, 7), False)
    yield dynamic(1, (17, 5), False)
    yield quantize_and_back()
    yield residual()
    yield integer_bias()
    yield casts("bf16")
    yield casts("f16")
    yield quantize_deep()
    yield static(64, (96, 48), True)
    yield static(33, (129, 257, 65), True)
    yield dynamic(64, (96, 48), True)
    yield dynamic(17, (768, 96, 10), True)
