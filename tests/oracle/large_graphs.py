"""The table of graphs that are large or many: the tests make them, nothing is committed."""
import numpy as np

from graph_cases import FUNCTIONS, both, compute_attention, layer
from narrow import BF16, FORMATS, FP16
from narrow_graph import ComputeBuilder, NarrowBuilder, builder


def integers(seed, shape, low=-1, high=1):
    """Whole numbers: with few enough terms their sums are exact in any order. numpy's oldest generator never changes."""
    source = np.random.RandomState(seed)
    return source.randint(low, high + 1, shape)


def mlp(dtype):
    g = builder(dtype)
    yield g.case("mlp-128x256x512", layer(g, g.uniform("x", (128, 256)), "0", 256, 512), large=True)
    g = builder(dtype)
    x, w = integers(1, (256, 1024)), [integers(i, (1024, 1024)) for i in (2, 3, 4)]
    y = g.input(x.astype(dtype))
    for i in range(3):
        y = g.matmul(y, g.weight(w[i].astype(dtype)))
        y = g.add(y, g.weight(integers(5 + i, (1024,), -9, 9).astype(dtype)))
        y = g.relu(y) if i < 2 else y
    yield g.case("mlp-3x1024-exact", y, large=True)


def fully_connected(dtype):
    g = builder(dtype)
    x = g.uniform("x", (128, 2304), -1, 1)
    source = np.random.RandomState(11)
    w = g.weight(source.uniform(-1, 1, (2304, 768)).astype(dtype))
    y = g.relu(g.add(g.matmul(x, w), g.uniform_weight("b", (768,))))
    yield g.case("fc-128x2304x768", y, large=True)


def deep(dtype):
    """More terms than a block of the depth; N of 1, 2 and around the width of a tile. Whole numbers show a term too few."""
    for depth in (2500, 4100):
        for rows, columns in ((1, 1), (7, 2), (13, 33), (5, 65)):
            g = builder(dtype)
            x, w, b = (integers(depth + i, s, -9, 9).astype(dtype) for i, s in enumerate(((rows, depth), (depth, columns), (columns,))))
            y = g.add(g.matmul(g.input(x), g.weight(w)), g.weight(b))
            yield g.case(f"deep-{rows}x{depth}x{columns}-exact", g.relu(y), y, large=True)
        g = builder(dtype)
        y = g.matmul(g.uniform("x", (13, depth), 0.25, 1), g.uniform_weight("w", (depth, 33), -0.5, 1))
        yield g.case(f"deep-13x{depth}x33", g.relu(g.add(y, g.uniform_weight("b", (33,)))), large=True)
    # Rows that are a page apart, read by two products; what they add up to is read by a third.
    g = builder(dtype)
    x, v, w, u = (g.weight(integers(i, s).astype(dtype)) if i else g.input(integers(i, s).astype(dtype))
                  for i, s in enumerate(((19, 1024), (1024, 512), (1024, 512), (512, 33))))
    y = g.add(g.matmul(x, v), g.matmul(x, w))
    yield g.case("deep-pages-apart-exact", g.matmul(y, u), y, large=True)
    g = builder(dtype)
    y = g.matmul(g.uniform("x", (9, 2500), 0.25, 1), g.uniform_weight("w", (2500, 17), -0.5, 1))
    yield g.case("deep-twice", g.add(g.relu(y), y), y, large=True)


def tiles(dtype):
    """Every number of rows up to 30 with columns of every remainder: all shapes of the register tile."""
    for columns in (1, 2, 33, 65):
        for rows in range(1, 31):
            g = builder(dtype)
            y = g.matmul(g.uniform("x", (rows, 7)), g.uniform_weight("w", (7, columns)))
            yield g.case(f"rows-{rows}x{columns}", g.add(y, g.uniform_weight("b", (columns,))), large=True)
    for columns in list(range(3, 33)) + [47, 48, 49, 63, 64, 127, 129]:
        g = builder(dtype)
        y = g.matmul(g.uniform("x", (13, 5)), g.uniform_weight("w", (5, columns)))
        yield g.case(f"columns-{columns}", g.relu(y), large=True)


def depths(dtype):
    """Every small depth with few rows: the depth is split between several sums, which must all be added up."""
    for columns in (1, 17):
        for rows in (1, 2, 3, 5):
            for depth in range(1, 20):
                g = builder(dtype)
                x, w = (integers(depth, s, -9, 9).astype(dtype) for s in ((rows, depth), (depth, columns)))
                yield g.case(f"depth-{rows}x{depth}x{columns}", g.matmul(g.input(x), g.weight(w)), large=True)


def transposed_large(dtype):
    """As `transposed`, larger than a block of registers in every dimension; the operands are packed."""
    for a in (False, True):
        for b in (False, True):
            g = builder(dtype)
            x, w = (integers(i, s, -9, 9).astype(dtype) for i, s in enumerate(((127, 65), (130, 127))))
            left, right = g.input(x if a else x.T.copy()), g.weight(w if b else w.T.copy())
            y = g.matmul(g.transpose(left) if a else left, g.transpose(right) if b else right)
            name = "".join(letter for letter, on in (("a", a), ("b", b)) if on)
            yield g.case(f"transposed-large-{name or 'none'}", g.transpose(g.relu(y)), y, large=True)


def batched(dtype):
    g = builder(dtype)
    a, b = g.uniform("a", (16, 32, 64), -1, 1), g.uniform_weight("b", (16, 64, 48), -1, 1)
    yield g.case("batched-16x32x64x48", g.relu(g.matmul(a, b)), large=True)
    g = builder(dtype)  # many small products; whole numbers, so that sums are exact in any order
    a, b = (g.input(integers(40 + i, s, -3, 3).astype(dtype)) for i, s in enumerate(((512, 8, 32), (512, 32, 16))))
    yield g.case("batched-512x8x32x16", g.matmul(a, b), large=True)
    g = builder(dtype)  # projection to 8 heads of 64
    x, w = g.input(integers(42, (4, 32, 512), -2, 2).astype(dtype)), g.weight(integers(43, (512, 8, 64), -2, 2).astype(dtype))
    y = g.reshape(g.matmul(x, g.reshape(w, (512, 512))), (4, 32, 8, 64))
    yield g.case("projection-4x32x512x8x64", g.transpose(y, [0, 2, 1, 3]), large=True)
    g = builder(dtype)
    a, b = g.uniform("a", (8, 24, 32), -1, 1), g.uniform_weight("b", (64, 8, 32), -1, 1)
    yield g.case("batched-transposed", g.matmul(a, g.transpose(b, [1, 2, 0])), large=True)


def bf16_mlp(constant):
    """Three layers of 1024 for a batch of 256; weights in the library or given by the caller. Hidden layers are whole numbers
    that bf16 holds (few weights are not 0), the last one's sums are such that only f32 holds: one rounding, known to the bit."""
    g = builder(BF16)
    y = g.input(integers(21, (256, 1024)).astype(np.float32))
    for i in range(3):
        w = integers(22 + i, (1024, 1024), -64, 64)
        w = np.where(np.abs(w) == 64, np.sign(w), 0) if i < 2 else w
        make = g.weight if constant else g.input
        y = g.add(g.matmul(y, make(w.astype(np.float32))), make(integers(25 + i, (1024,), -2, 2).astype(np.float32)))
        y = g.relu(y) if i < 2 else y
    case = g.case(f"mlp-3x1024-{'weights' if constant else 'arguments'}", y)
    case.weights, case.constants = case.weights + (g.constants if constant else []), []
    return case


def narrow_graphs(dtype):
    """All small graphs, and layers of the sizes that f32 is tested with."""
    for function in FUNCTIONS.values():
        yield from function(dtype)
    yield from fully_connected(dtype)
    if dtype == BF16:
        yield bf16_mlp(True)
        yield bf16_mlp(False)
    yield from (case for case in tiles(dtype) if case.name.endswith(("x2", "x33", "-31", "-65", "-129")))


def compute():
    """Products of rounded operands that are widened outside of the kernels, alone and after a layer."""
    for format in FORMATS.values():
        g = ComputeBuilder(format)
        y = layer(g, g.uniform("x", (127, 65), -1, 1), "0", 65, 130)
        yield g.case("layer-127x65x130", y, large=True)
        g = ComputeBuilder(format)
        y = layer(g, layer(g, g.uniform("x", (97, 64), -1, 1), "0", 64, 96), "1", 96, 70, relu=False)
        yield g.case("two-layers-97x64x96x70", y, large=True)
        g = ComputeBuilder(format)
        x = g.uniform("x", (3, 40, 33), -1, 1)
        yield g.case("batch-of-arguments", g.matmul(x, g.transpose(x, [0, 2, 1])), large=True)
        yield compute_attention(format, (70, 390, 40, 24), large=True)
        yield compute_attention(format, (33, 521, 16, 9), growth=60, large=True)


def f16_accumulate():
    """f16 that may be added up in f16. Sums of small whole numbers are exact, whatever tile they are in."""
    def graph():
        g = NarrowBuilder(FORMATS[FP16])
        g.add_up_in(FORMATS[FP16])
        return g

    shapes = [(rows, 19, 33) for rows in range(1, 28)] + [(13, 5, columns) for columns in range(1, 34)]
    shapes += [(1, depth, 17) for depth in range(1, 20)] + [(5, 300, n) for n in (48, 63, 64, 65, 129)] + [(49, 64, 96), (128, 301, 200)]
    for m, k, n in shapes:
        g = graph()
        x, w = (integers(m + k + n, s, -2, 2).astype(np.float32) for s in ((m, k), (k, n)))
        yield g.case(f"half-{m}x{k}x{n}", g.matmul(g.input(x), g.weight(w)), large=True)
    g = graph()
    yield g.case("half-layer", layer(g, g.uniform("x", (61, 39), -1, 1), "0", 39, 131), large=True)
    for m, k, n in ((1, 3001, 70), (26, 4096, 33), (50, 257, 96)):  # sums beyond what f16 can count
        g = ComputeBuilder(FORMATS[FP16])
        g.add_up_in(FORMATS[FP16])
        x, w = (integers(m + k + n, s, 0, 2).astype(np.float32) for s in ((m, k), (k, n)))
        yield g.case(f"half-runs-{m}x{k}x{n}", g.matmul(g.input(x), g.weight(w)), large=True)
    g = graph()
    a, b = g.uniform("a", (6, 32, 24), -1, 1), g.uniform_weight("b", (6, 24, 48), -1, 1)
    yield g.case("half-batched", g.relu(g.matmul(a, b)), large=True)
    g = graph()
    y = g.gemm(g.uniform("x", (31, 30), -1, 1), g.uniform_weight("w", (50, 30), -1, 1), g.uniform_weight("c", (50,)), transB=1, alpha=0.5)
    yield g.case("half-gemm", y, large=True)


LARGE = {"mlp": both(mlp), "fully-connected": both(fully_connected), "deep": both(deep), "tiles": both(tiles),
         "depths": both(depths), "transposed-large": both(transposed_large), "batched": both(batched),
         "bf16": lambda: narrow_graphs(BF16), "f16": lambda: narrow_graphs(FP16), "compute": compute, "f16-accumulate": f16_accumulate}
