"""The table of small graphs, which are committed: each function yields cases of several nodes."""
import numpy as np

import cases
from cases import FLOATS
from narrow import BF16, FORMATS, FP16
from narrow_graph import ComputeBuilder, builder


def both(function):
    """The cases of a function for either element type."""

    def make():
        for dtype in FLOATS:
            yield from function(dtype)

    return make


# Layers

def layer(g, x, name, depth, width, bias=True, relu=True, constant=True, low=-1.0, high=1.0):
    make = g.uniform_weight if constant else g.uniform
    y = g.matmul(x, make(f"w {name}", (depth, width), low, high))
    if bias:
        y = g.add(y, make(f"b {name}", (width,)))
    return g.relu(y) if relu else y


def three_layers(dtype):
    """10, 10, 10, batch 10; the logits are large at the end: no overflow."""
    for bias in (False, True):
        for relu in (False, True):
            for softmax in (False, True):
                g = builder(dtype)
                y = g.uniform("x", (10, 10))
                for i in range(3):
                    y = layer(g, y, str(i), 10, 10, bias, relu)
                if softmax:
                    scale = 0.125 if dtype in FORMATS else 100  # a logit of bf16 has too few digits for more
                    y = g.softmax(g.mul(y, g.input(np.array(scale, dtype=dtype))))
                words = [w for w, on in (("bias", bias), ("relu", relu), ("softmax", softmax)) if on]
                yield g.case("three-layers" + "".join("-" + w for w in words), y)


def attention(dtype):
    """Projections for 2 sequences, 3 heads of 4; Q K^T, softmax, softmax V; the heads come together again."""
    batch, length, heads, width = 2, 5, 3, 4
    size = heads * width
    g = builder(dtype)
    x = g.uniform("x", (batch, length, size), -1, 1)

    def split(name, perm):
        projected = g.matmul(x, g.uniform_weight(f"w{name}", (size, size), -0.5, 0.5))
        return g.transpose(g.reshape(projected, (batch, length, heads, width)), perm)

    query, key, value = split("q", [0, 2, 1, 3]), split("k", [0, 2, 3, 1]), split("v", [0, 2, 1, 3])
    scores = g.mul(g.matmul(query, key), g.weight(np.array(0.5, dtype=dtype)))
    mixed = g.matmul(g.softmax(scores), value)
    joined = g.reshape(g.transpose(mixed, [0, 2, 1, 3]), (batch, length, size))
    out = g.add(g.matmul(joined, g.uniform_weight("wo", (size, size), -0.5, 0.5)), x)
    yield g.case("attention", out)
    g = builder(dtype)
    q, k, v = (g.uniform(n, (7, 9), -1, 1) for n in "qkv")
    yield g.case("one-head", g.matmul(g.softmax(g.matmul(q, g.transpose(k))), v))
    # Keys and values as they are projected, or cached by heads: few queries read them in place.
    length, heads, width = 21, 3, 8
    for batch, rows in ((1, 1), (1, 3), (2, 1)):
        for name, shape, keys, values in (("projected", (batch, length, heads, width), [0, 2, 3, 1], [0, 2, 1, 3]),
                                          ("cached", (batch, heads, length, width), [0, 1, 3, 2], [0, 1, 2, 3])):
            g = builder(dtype)
            q, k, v = g.uniform("q", (batch, heads, rows, width), -1, 1), g.uniform("k", shape, -1, 1), g.uniform("v", shape, -1, 1)
            mixed = g.matmul(g.softmax(g.matmul(q, g.transpose(k, keys))), g.transpose(v, values))
            yield g.case(f"{name}-{batch}x{rows}-queries", mixed)
    g = builder(dtype)
    x, w = g.uniform("x", (6, 8), -1, 1), g.uniform_weight("w", (8, 2, 3), -1, 1)
    yield g.case("projection-to-heads", g.matmul(x, g.transpose(w, [1, 0, 2])))


# Epilogues

def bias_shapes(dtype):
    """A bias by column, row, scalar and full tile, left and right of the addition."""
    for shape in ((5,), (1, 5), (7, 1), (), (1,), (1, 1), (7, 5)):
        for left in (False, True):
            g = builder(dtype)
            y = g.matmul(g.uniform("a", (7, 6)), g.uniform_weight("b", (6, 5)))
            bias = g.uniform_weight("bias", shape)
            y = g.add(bias, y) if left else g.add(y, bias)
            yield g.case(f"bias-{cases.shape_name(shape)}-{'left' if left else 'right'}", y)


def activations(dtype):
    functions = {
        "relu": lambda g, y: g.relu(y), "gelu": lambda g, y: g.gelu(y), "gelu-tanh": lambda g, y: g.gelu(y, "tanh"),
        "sigmoid": lambda g, y: g.sigmoid(y), "tanh": lambda g, y: g.tanh(y), "leaky-relu": lambda g, y: g.leaky_relu(y, 0.1),
        "clip": lambda g, y: g.clip(y, g.weight(np.array(-0.5, dtype=dtype)), g.weight(np.array(1.5, dtype=dtype))),
        "exp": lambda g, y: g.exp(y), "softmax": lambda g, y: g.softmax(y), "softmax-by-column": lambda g, y: g.softmax(y, 0)}
    for name, function in functions.items():
        for bias in (False, True):
            g = builder(dtype)
            y = g.matmul(g.uniform("a", (7, 6), -1, 1), g.uniform_weight("b", (6, 19), -1, 1))
            if bias:
                y = g.add(y, g.uniform_weight("bias", (19,), -1, 1))
            yield g.case(f"{'bias-' if bias else ''}{name}", function(g, y))


def chains(dtype):
    """Residuals and longer chains after a product of 9x6 and 6x17."""

    def start():
        g = builder(dtype)
        y = g.matmul(g.uniform("a", (9, 6), -1, 1), g.uniform_weight("b", (6, 17), -1, 1))
        return g, y

    g, y = start()
    yield g.case("residual-add", g.add(y, g.uniform("r", (9, 17))))
    g, y = start()
    yield g.case("residual-mul", g.mul(g.uniform("r", (9, 17)), y))
    g, y = start()
    yield g.case("residual-sub-left", g.sub(g.uniform("r", (9, 17)), y))
    g, y = start()
    y = g.add(g.relu(g.add(y, g.uniform_weight("bias", (17,)))), g.uniform("r", (9, 17)))
    yield g.case("bias-relu-residual", g.mul(g.tanh(y), g.uniform_weight("scale", (9, 1))))
    g, y = start()
    y = g.mul(g.sigmoid(y), y)
    yield g.case("gate-itself", y)
    g, y = start()
    yield g.case("divided", g.div(y, g.uniform("d", (17,), 1.0, 2.0)))
    g, y = start()
    y = g.exp(y)
    yield g.case("divides", g.div(g.uniform("r", (9, 17)), y))
    g, y = start()
    y = g.div(g.sub(y, g.uniform_weight("mean", (17,))), g.uniform_weight("deviation", (17,), 0.5, 1.5))
    yield g.case("normalized", g.add(g.mul(y, g.uniform_weight("scale", (17,))), g.uniform_weight("shift", (17,))))
    g = builder(dtype)
    x = g.uniform("x", (9, 17), -1, 1)
    y = g.matmul(x, g.uniform_weight("square", (17, 17), -1, 1))
    yield g.case("residual-is-the-input", g.add(g.relu(y), x))
    for kept in (False, True):  # read by a layer between, and afterwards or not
        g, y = start()
        x = g.relu(g.add(y, g.uniform_weight("bias", (17,))))
        h = g.relu(g.matmul(x, g.uniform_weight("wide", (17, 70), -1, 1)))
        y = g.add(g.add(g.matmul(h, g.uniform_weight("narrow", (70, 17), -0.2, 0.2)), g.uniform_weight("shift", (17,))), x)
        yield g.case(f"residual-of-layers{'-kept' if kept else ''}", g.relu(y), *([g.tanh(x)] if kept else []))
    g = builder(dtype)
    a, c = g.uniform("a", (5, 6)), g.uniform("c", (4, 5))
    w = g.uniform_weight("w", (7, 5))
    y = g.relu(g.gemm(a, w, g.uniform_weight("bias", (7,)), transA=1, transB=1))
    yield g.case("gemm-transposed-relu", y, g.tanh(g.gemm(c, a, None, alpha=0.25)))


# Uses

def uses(dtype):
    def square(name="m"):
        g = builder(dtype)
        return g, g.matmul(g.uniform("a", (5, 6), -1, 1), g.uniform_weight(name, (6, 5), -1, 1))

    g, y = square()
    yield g.case("product-twice", g.add(g.relu(y), g.tanh(y)))
    g, y = square()
    yield g.case("product-is-output-and-input", y, g.relu(y))
    g, y = square()
    yield g.case("input-before-output", g.relu(y), y)
    g, y = square()
    yield g.case("product-of-itself", g.matmul(y, y))
    g, y = square()
    yield g.case("product-and-its-transpose", g.add(y, g.transpose(y)))
    g, y = square()
    yield g.case("same-output-twice", y, y)
    g, y = square()
    z = g.relu(y)
    yield g.case("three-outputs", g.matmul(z, y), z, g.add(z, y))
    g = builder(dtype)
    x = g.uniform("x", (5, 7))
    yield g.case("square-by-element", g.mul(x, x))
    g = builder(dtype)
    x = g.uniform("x", (6, 6), -1, 1)
    y = g.matmul(x, x)
    yield g.case("square", y)
    g = builder(dtype)
    x = g.uniform("x", (6, 6), -1, 1)
    yield g.case("square-and-input", g.add(g.matmul(x, x), x), g.relu(x))
    g = builder(dtype)
    x, w = g.uniform("x", (4, 6), -1, 1), g.uniform_weight("w", (6, 6), -1, 1)
    yield g.case("same-weight-twice", g.matmul(g.relu(g.matmul(x, w)), w))
    g = builder(dtype)
    a, b, w = g.uniform("a", (4, 6)), g.uniform("b", (9, 6)), g.uniform_weight("w", (6, 7))
    yield g.case("two-products-of-one-weight", g.matmul(a, w), g.matmul(b, w))
    g = builder(dtype)
    w, v, x = g.uniform_weight("w", (4, 6)), g.uniform_weight("v", (6, 5)), g.uniform("x", (3, 4), -1, 1)
    yield g.case("product-of-weights", g.matmul(x, g.matmul(w, v)))


def movement(dtype):
    """No arithmetic: the same bits."""
    g = builder(dtype)
    x = g.uniform("x", (3, 5))
    yield g.case("identity", g.identity(x))
    g = builder(dtype)
    x = g.uniform("x", (3, 5))
    yield g.case("output-is-input", x)
    g = builder(dtype)
    x = g.uniform("x", (3, 5))
    yield g.case("output-is-input-twice", x, g.identity(x), x)
    g = builder(dtype)
    x, w = g.uniform("x", (2, 3, 4)), g.uniform_weight("w", (4, 3))
    yield g.case("moves", g.reshape(g.transpose(x, [2, 0, 1]), (4, 6)), g.transpose(w), g.transpose(g.transpose(x), [2, 1, 0]))
    g = builder(dtype)
    x = g.uniform("x", ())
    yield g.case("scalar", g.reshape(x, (1, 1)), g.identity(x))
    g = builder(dtype)
    x = g.uniform("x", (0, 3))
    yield g.case("empty", g.transpose(x), x)


def degenerate(dtype):
    """Empty dimensions and scalars with arithmetic."""
    g = builder(dtype)
    y = layer(g, g.uniform("x", (0, 6)), "0", 6, 5)
    yield g.case("no-rows", y)
    g = builder(dtype)
    y = layer(g, g.uniform("x", (4, 6)), "0", 6, 0)
    yield g.case("no-columns", y)
    g = builder(dtype)
    y = layer(g, g.uniform("x", (4, 0)), "0", 0, 5)
    yield g.case("no-terms", y)
    g = builder(dtype)
    y = layer(g, layer(g, g.uniform("x", (4, 3)), "0", 3, 0), "1", 0, 5)
    yield g.case("nothing-between-layers", y)
    g = builder(dtype)
    x, w = g.uniform("x", ()), g.uniform_weight("w", ())
    yield g.case("scalars", g.tanh(g.add(g.mul(x, w), x)))
    g = builder(dtype)
    x, w = g.uniform("x", (1, 1)), g.uniform_weight("w", (1, 1))
    yield g.case("one-by-one", g.relu(g.matmul(x, w)))
    g = builder(dtype)
    x, w = g.uniform("x", (9,)), g.uniform_weight("w", (9,))
    yield g.case("dot-product", g.sigmoid(g.matmul(x, w)))


# Operands in other orders

def transposed(dtype):
    """A, B, both and the result transposed by nodes; weights and arguments."""
    for a in (False, True):
        for b in (False, True):
            for c in (False, True):
                g = builder(dtype)
                left = g.uniform("a", (5, 7) if a else (7, 5))
                right = g.uniform_weight("b", (18, 5) if b else (5, 18))
                y = g.matmul(g.transpose(left) if a else left, g.transpose(right) if b else right)
                y = g.add(y, g.uniform_weight("bias", (18,)))
                name = "".join(letter for letter, on in (("a", a), ("b", b), ("c", c)) if on)
                yield g.case(f"transposed-{name or 'none'}", g.transpose(y) if c else y)


def batches(dtype):
    """Batched products with permuted operands: strides that are not the row's size."""
    g = builder(dtype)
    a, b = g.uniform("a", (4, 3, 5)), g.uniform_weight("b", (5, 3, 7))
    yield g.case("batch-in-the-middle", g.matmul(g.transpose(a, [1, 0, 2]), g.transpose(b, [1, 0, 2])))
    g = builder(dtype)
    a, b = g.uniform("a", (5, 3, 4)), g.uniform_weight("b", (7, 5, 3))
    y = g.matmul(g.transpose(a, [1, 2, 0]), g.transpose(b, [2, 1, 0]))
    yield g.case("batch-inside", g.transpose(y, [1, 0, 2]))
    g = builder(dtype)
    a, b = g.uniform("a", (2, 3, 4, 5)), g.uniform_weight("b", (5, 6))
    yield g.case("batch-of-two-dimensions", g.relu(g.matmul(g.transpose(a, [1, 0, 2, 3]), b)))
    g = builder(dtype)
    a, b = g.uniform("a", (3, 4, 6), -1, 1), g.uniform_weight("b", (3, 6, 5), -1, 1)
    bias = g.uniform_weight("bias", (3, 1, 5))
    yield g.case("batch-with-bias", g.relu(g.add(g.matmul(a, b), bias)))
    g = builder(dtype)  # batch-reduce: the batch and the depth are one sum
    a, b = g.uniform("a", (3, 4, 5), -1, 1), g.uniform_weight("b", (3, 5, 7), -1, 1)
    left = g.reshape(g.transpose(a, [1, 0, 2]), (4, 15))
    yield g.case("batch-reduce", g.matmul(left, g.reshape(b, (15, 7))))
    g = builder(dtype)  # blocked operands: 2x3 blocks of 4x5
    a, b = g.uniform("a", (2, 3, 4, 5), -1, 1), g.uniform_weight("b", (3, 2, 5, 6), -1, 1)
    left = g.reshape(g.transpose(a, [0, 2, 1, 3]), (8, 15))
    right = g.reshape(g.transpose(b, [0, 2, 1, 3]), (15, 12))
    y = g.matmul(left, right)
    yield g.case("blocked", g.transpose(g.reshape(y, (2, 4, 2, 6)), [0, 2, 1, 3]))


def reshaped(dtype):
    g = builder(dtype)
    y = layer(g, g.uniform("x", (2, 3, 4)), "0", 4, 6)
    y = layer(g, g.reshape(y, (6, 6)), "1", 6, 5, relu=False)
    yield g.case("reshape-between-layers", g.softmax(g.reshape(y, (3, 10))))
    g = builder(dtype)
    y = g.reshape(g.uniform("x", (4, 3, 2)), (4, 6))
    yield g.case("flatten-first", layer(g, y, "0", 6, 9))
    g = builder(dtype)
    y = layer(g, g.uniform("x", (4, 6)), "0", 6, 8)
    yield g.case("transpose-between-layers", layer(g, g.transpose(y), "1", 4, 3))


def compute():
    """f32 whose products are of operands that are rounded to a narrower type."""
    for format in (FORMATS[BF16], FORMATS[FP16]):
        for rows, depth, columns in ((6, 6, 6), (7, 13, 18), (1, 9, 35), (9, 5, 1), (33, 7, 65)):
            g = ComputeBuilder(format)
            y = g.matmul(g.uniform("x", (rows, depth)), g.uniform_weight("w", (depth, columns)))
            yield g.case(f"{rows}x{depth}x{columns}", g.add(y, g.uniform_weight("b", (columns,))))
        g = ComputeBuilder(format)
        y = layer(g, layer(g, g.uniform("x", (10, 9), -1, 1), "0", 9, 11), "1", 11, 10, relu=False)
        yield g.case("two-layers", y)
        g = ComputeBuilder(format)  # what is read as an operand and otherwise, too: only the operand is rounded
        x = g.uniform("x", (9, 17), -1, 1)
        y = g.relu(g.matmul(x, g.uniform_weight("square", (17, 17), -1, 1)))
        yield g.case("residual", g.add(y, x), y)
        g = ComputeBuilder(format)
        a, b = g.uniform("a", (5, 7)), g.uniform_weight("b", (18, 5))
        y = g.matmul(g.transpose(a), g.transpose(b))
        yield g.case("transposed", g.transpose(y))
        g = ComputeBuilder(format)
        w = g.uniform_weight("w", (6, 6), -1, 1)
        y = g.matmul(g.reshape(g.uniform("x", (4, 3, 2), -1, 1), (4, 6)), w)
        yield g.case("same-weight-twice", g.gemm(y, w, g.uniform_weight("c", (6,)), transB=1, alpha=0.5))
        g = ComputeBuilder(format)
        a, b = g.uniform("a", (3, 4, 6), -1, 1), g.uniform("b", (3, 6, 5), -1, 1)
        yield g.case("batch", g.relu(g.matmul(a, b)))
        for m, n, width, wide in ((17, 33, 5, 7), (40, 19, 8, 4), (5, 9, 33, 18)):
            yield compute_attention(format, (m, n, width, wide))


def compute_attention(format, form, growth=1, large=False):
    """Of two heads; the scores of later keys are `growth` times as large as those of the first ones."""
    m, n, width, wide = form
    g = ComputeBuilder(format)
    q, v = g.uniform("q", (2, m, width), -1, 1), g.uniform("v", (2, n, wide), -1, 1)
    keys = cases.uniform(f"keys of {form}", np.float32, (2, n, width), -1, 1)
    k = g.input(keys * np.linspace(1, growth, n, dtype=np.float32)[:, None])
    scores = g.mul(g.matmul(q, g.transpose(k, [0, 2, 1])), g.weight(np.array(0.3, np.float32)))
    name = "x".join(map(str, form)) + ("-growing" if growth != 1 else "")
    return g.case(f"attention-{name}", g.matmul(g.softmax(scores), v), large=large)


def f16_accumulate():
    """Products of operands rounded to f16 that may be added up in f16."""
    def graph():
        g = ComputeBuilder(FORMATS[FP16])
        g.add_up_in(FORMATS[FP16])
        return g

    for rows, depth, columns in ((6, 6, 6), (7, 13, 18), (1, 9, 35), (9, 5, 1), (33, 7, 65), (2, 1, 40)):
        g = graph()
        y = g.matmul(g.uniform("x", (rows, depth)), g.uniform_weight("w", (depth, columns)))
        yield g.case(f"half-{rows}x{depth}x{columns}", g.add(y, g.uniform_weight("b", (columns,))))
    g = graph()
    y = layer(g, layer(g, g.uniform("x", (10, 9), -1, 1), "0", 9, 11), "1", 11, 10, relu=False)
    yield g.case("half-two-layers", y)
    g = graph()
    a, b = g.uniform("a", (5, 7)), g.uniform_weight("b", (18, 5))
    yield g.case("half-transposed", g.transpose(g.matmul(g.transpose(a), g.transpose(b))))
    g = graph()
    a, b = g.uniform("a", (3, 4, 6), -1, 1), g.uniform("b", (3, 6, 5), -1, 1)
    yield g.case("half-batch", g.relu(g.matmul(a, b)))
    g = graph()  # what is added to the sums, which are f32 then
    y = g.matmul(g.uniform("x", (5, 9), -1, 1), g.uniform_weight("w", (9, 21), -1, 1))
    yield g.case("half-added", g.add(y, g.uniform("r", (5, 21))))


FUNCTIONS = {"layers": three_layers, "attention": attention, "bias": bias_shapes, "activations": activations, "chains": chains,
             "uses": uses, "movement": movement, "degenerate": degenerate, "transposed": transposed, "batches": batches,
             "reshaped": reshaped}
SMALL = {**{name: both(function) for name, function in FUNCTIONS.items()}, "compute": compute, "f16-accumulate": f16_accumulate}
