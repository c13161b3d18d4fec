"""TOSA, as upstream's passes bring it to linalg."""
import numpy as np

from operations_scalars import away, divisors, erf, maximum, minimum, quotient, ulp_of, unsigned
from operations_text import SIZES, Value, add
from operations_values import BITS, is_float, rounded, small, wide

FLOATS = ["f32", "f16", "bf16"]
WORDS = ["i32"]
SHAPE = ("m", 3, "n")


def zero_point(f, element):
    zero = "0.0" if is_float(element) else "0"
    return f.value(f'"tosa.const"() {{values = dense<{zero}> : tensor<1x{element}>}} : () -> tensor<1x{element}>', element, (1,))


def op(name, element, function, arguments=1, make=wide, result=None, ulp=0, near=0, attributes="", shape=SHAPE, out=None, more=None):
    """An operation on tensors; `more(f)` makes operands after these."""
    def write(f):
        inputs = [f.argument(element, shape) for _ in range(arguments)]
        inputs += more(f) if more else []
        into = f.type(result or element, out or shape)
        return f.value(f"tosa.{name} {', '.join(map(str, inputs))} {attributes} : ({f.of(*inputs)}) -> {into}", result or element, out or shape)
    add(f"tosa.{name}", element, write, function, make, ulp, near)


def elementwise():
    for element in FLOATS:
        to = lambda function, element=element: lambda *x: rounded(function(*x), element)
        for name, function in (("abs", np.abs), ("ceil", np.ceil), ("floor", np.floor), ("reciprocal", lambda x: 1 / x)):
            op(name, element, to(function))
        for name, function in (("cos", np.cos), ("sin", np.sin), ("exp", np.exp), ("log", np.log), ("erf", erf), ("tanh", np.tanh),
                               ("rsqrt", lambda x: 1 / np.sqrt(x))):
            op(name, element, to(function), ulp=ulp_of(element, False))
        # Three operations, each of them rounded to the type.
        op("sigmoid", element, to(lambda x: 1 / (1 + np.exp(-x))), ulp=ulp_of(element, False) + 1)
        op("pow", element, to(np.power), 2, lambda r, e, s: wide(r, e, s, 0.2, 3, False), ulp=ulp_of(element, False))
        for name, function in (("add", np.add), ("sub", np.subtract), ("maximum", maximum(False)), ("minimum", minimum(False))):
            op(name, element, to(function), 2)
        op("negate", element, np.negative, more=lambda f, element=element: [zero_point(f, element), zero_point(f, element)])
        op("mul", element, to(np.multiply), 2, more=lambda f: [zero_point(f, "i8")])
        op("clamp", element, lambda x: np.where(np.isnan(x), x, np.clip(x, -1, 2)), attributes=f"{{min_val = -1.0 : {element}, max_val = 2.0 : {element}}}")
        for name, function in (("equal", np.equal), ("greater", np.greater), ("greater_equal", np.greater_equal)):
            op(name, element, function, 2, result="i1")
    for element in ("i8", "i16", "i32"):
        for name, function in (("bitwise_and", np.bitwise_and), ("bitwise_or", np.bitwise_or), ("bitwise_xor", np.bitwise_xor)):
            op(name, element, function, 2)
        op("bitwise_not", element, np.invert)
        shifts = lambda r, e, s, element=element: r.integers(0, BITS[element] - 1, s)
        op("arithmetic_right_shift", element, lambda a, b: a >> b, 2, [wide, shifts], attributes="{round = false}")
        op("logical_left_shift", element, lambda a, b, element=element: rounded(a << b, element), 2, [wide, shifts])
        op("logical_right_shift", element, lambda a, b, element=element: rounded((unsigned(a, BITS[element]) >> b.astype(np.uint64)).astype(np.int64), element),
           2, [wide, shifts])
        op("clamp", element, lambda x: np.clip(x, -3, 5), attributes=f"{{min_val = -3 : {element}, max_val = 5 : {element}}}")
    to = lambda function: lambda *x: rounded(function(*x), "i32")
    for name, function in (("add", np.add), ("sub", np.subtract), ("maximum", np.maximum), ("minimum", np.minimum)):
        op(name, "i32", to(function), 2)
    op("intdiv", "i32", to(quotient), 2, [wide, divisors])
    op("mul", "i32", to(np.multiply), 2, more=lambda f: [zero_point(f, "i8")])
    op("abs", "i32", lambda x: np.abs(x), make=lambda r, e, s: r.integers(-99, 99, s))
    op("clz", "i32", lambda x: np.vectorize(lambda v: 32 - len(format(int(v) & 0xFFFFFFFF, "b")) if v else 32, otypes=[np.int64])(x))
    # The least number becomes the greatest.
    op("negate", "i32", lambda x: np.minimum(np.negative(x.astype(np.int64)), 2**31 - 1), more=lambda f: [zero_point(f, "i32"), zero_point(f, "i32")])
    op("negate", "i8", lambda x: rounded(np.negative(x), "i8"), make=lambda r, e, s: r.integers(-99, 99, s),
       more=lambda f: [zero_point(f, "i8"), zero_point(f, "i8")])
    for name, function in (("equal", np.equal), ("greater", np.greater), ("greater_equal", np.greater_equal)):
        op(name, "i32", function, 2, result="i1")
    for name, function in (("logical_and", np.logical_and), ("logical_or", np.logical_or), ("logical_xor", np.logical_xor)):
        op(name, "i1", function, 2)
    op("logical_not", "i1", np.logical_not)


def broadcast():
    for element in FLOATS + ["i32"]:
        def write(f, element=element):
            a, b = f.argument(element, ("m", 1, 4)), f.argument(element, ("m", 3, 1))
            return f.value(f"tosa.add {a}, {b} : ({f.of(a, b)}) -> {f.type(element, ('m', 3, 4))}", element, ("m", 3, 4))
        add("tosa.add that broadcasts", element, write, lambda a, b, element=element: rounded(a + b, element), wide)
    for element in FLOATS + ["i1", "i8", "i16", "i32"]:
        def select(f, element=element):
            c, a, b = f.argument("i1", SHAPE), f.argument(element, SHAPE), f.argument(element, SHAPE)
            return f.value(f"tosa.select {c}, {a}, {b} : ({f.of(c, a, b)}) -> {f.of(a)}", element, SHAPE)
        add("tosa.select", element, select, lambda c, a, b: np.where(c, a, b), wide)
    table = (np.arange(256) * 7) % 256 - 128
    def looked(f):
        x = f.argument("i8", ("m", 5))
        t = f.value(f'"tosa.const"() {{values = dense<[{", ".join(map(str, table))}]> : tensor<256xi8>}} : () -> tensor<256xi8>', "i8", (256,))
        return f.value(f"tosa.table {x}, {t} : ({f.of(x, t)}) -> {f.of(x)}", "i8", x.shape)
    add("tosa.table", "i8", looked, lambda x: table[x + 128], wide)


def reductions():
    for element in FLOATS + ["i32"]:
        for name, function in (("sum", np.sum), ("max", np.max), ("min", np.min), ("product", np.prod)):
            if name == "product" and not is_float(element):
                continue
            def write(f, element=element, name=name):
                x = f.argument(element, SHAPE)
                return f.value(f"tosa.reduce_{name} {x} {{axis = 1 : i32}} : ({f.of(x)}) -> {f.type(element, ('m', 1, 'n'))}", element, ("m", 1, "n"))
            add(f"tosa.reduce_{name}", element, write, lambda x, function=function: function(x, 1, keepdims=True), small)
    for name, function in (("all", np.all), ("any", np.any)):
        def write(f, name=name):
            x = f.argument("i1", SHAPE)
            return f.value(f"tosa.reduce_{name} {x} {{axis = 1 : i32}} : ({f.of(x)}) -> {f.type('i1', ('m', 1, 'n'))}", "i1", ("m", 1, "n"))
        add(f"tosa.reduce_{name}", "i1", write, lambda x, function=function: function(x, 1, keepdims=True), small)
    for element in FLOATS + ["i8", "i16"]:
        def argmax(f, element=element):
            x = f.argument(element, SHAPE)
            return f.value(f"tosa.argmax {x} {{axis = 1 : i32}} : ({f.of(x)}) -> {f.type('i32', ('m', 'n'))}", "i32", ("m", "n"))
        add("tosa.argmax", element, argmax, lambda x: x.argmax(1), small)


def shape_constant(f, values):
    text = f"dense<[{', '.join(map(str, values))}]> : tensor<{len(values)}xindex>"
    made = f.fresh()
    f.add(f"{made} = tosa.const_shape {{values = {text}}} : () -> !tosa.shape<{len(values)}>")
    return made


def moves():
    for element in FLOATS + ["i1", "i8", "i16", "i32"]:
        def concat(f, element=element):
            a, b = f.argument(element, SHAPE), f.argument(element, ("m", 4, "n"))
            return f.value(f"tosa.concat {a}, {b} {{axis = 1 : i32}} : ({f.of(a, b)}) -> {f.type(element, ('m', 7, 'n'))}", element, ("m", 7, "n"))
        def reverse(f, element=element):
            x = f.argument(element, SHAPE)
            return f.value(f"tosa.reverse {x} {{axis = 1 : i32}} : ({f.of(x)}) -> {f.of(x)}", element, SHAPE)
        def transpose(f, element=element):
            x = f.argument(element, SHAPE)
            return f.value(f"tosa.transpose {x} {{perms = array<i32: 2, 0, 1>}} : ({f.of(x)}) -> {f.type(element, ('n', 'm', 3))}", element, ("n", "m", 3))
        def reshape(f, element=element):
            x = f.argument(element, (6, 4))
            s = shape_constant(f, (3, 8))
            return f.value(f"tosa.reshape {x}, {s} : ({f.of(x)}, !tosa.shape<2>) -> {f.type(element, (3, 8))}", element, (3, 8))
        def open_reshape(f, element=element):
            x = f.argument(element, ("m", 6, 4))
            s = shape_constant(f, (-1, 24))
            return f.value(f"tosa.reshape {x}, {s} : ({f.of(x)}, !tosa.shape<2>) -> {f.type(element, ('m', 24))}", element, ("m", 24))
        def sliced(f, element=element):
            x = f.argument(element, (6, 4))
            a, b = shape_constant(f, (1, 0)), shape_constant(f, (3, 4))
            return f.value(f"tosa.slice {x}, {a}, {b} : ({f.of(x)}, !tosa.shape<2>, !tosa.shape<2>) -> {f.type(element, (3, 4))}", element, (3, 4))
        def tiled(f, element=element):
            x = f.argument(element, (3, 4))
            s = shape_constant(f, (2, 3))
            return f.value(f"tosa.tile {x}, {s} : ({f.of(x)}, !tosa.shape<2>) -> {f.type(element, (6, 12))}", element, (6, 12))
        def pad(f, element=element):
            x, zero = f.argument(element, (3, 4)), zero_point(f, element) if element != "i1" else None
            if zero is None:
                zero = f.value('"tosa.const"() {values = dense<false> : tensor<1xi1>} : () -> tensor<1xi1>', "i1", (1,))
            s = shape_constant(f, (1, 0, 2, 1))
            return f.value(f"tosa.pad {x}, {s}, {zero} : ({f.of(x)}, !tosa.shape<4>, {f.of(zero)}) -> {f.type(element, (4, 7))}", element, (4, 7))
        def identity(f, element=element):
            x = f.argument(element, SHAPE)
            return f.value(f"tosa.identity {x} : ({f.of(x)}) -> {f.of(x)}", element, SHAPE)
        add("tosa.concat", element, concat, lambda a, b: np.concatenate([a, b], 1), wide)
        add("tosa.reverse", element, reverse, lambda x: x[:, ::-1], wide)
        add("tosa.transpose", element, transpose, lambda x: x.transpose(2, 0, 1), wide)
        add("tosa.reshape", element, reshape, lambda x: x.reshape(3, 8), wide)
        add("tosa.reshape", element, open_reshape, lambda x: x.reshape(-1, 24), wide, forms=("open",))
        add("tosa.slice", element, sliced, lambda x: x[1:4], wide)
        add("tosa.tile", element, tiled, lambda x: np.tile(x, (2, 3)), wide)
        add("tosa.pad", element, pad, lambda x: np.pad(x, ((1, 0), (2, 1))), wide)
        add("tosa.identity", element, identity, lambda x: x, wide)
        if element == "i1":
            continue
        def gather(f, element=element):
            x, i = f.argument(element, ("b", 6, 4)), f.argument("i32", ("b", 3))
            return f.value(f"tosa.gather {x}, {i} : ({f.of(x, i)}) -> {f.type(element, ('b', 3, 4))}", element, ("b", 3, 4))
        def scatter(f, element=element):
            x, i, y = f.argument(element, (2, 6, 4)), f.argument("i32", (2, 3)), f.argument(element, (2, 3, 4))
            return f.value(f"tosa.scatter {x}, {i}, {y} : ({f.of(x, i, y)}) -> {f.of(x)}", element, (2, 6, 4))
        def scattered(x, i, y):
            made = x.copy()
            for n in range(2):
                made[n, i[n]] = y[n]
            return made
        places = lambda r, e, s: np.array([r.permutation(6)[: s[1]] for _ in range(s[0])])
        add("tosa.gather", element, gather, lambda x, i: np.stack([a[j] for a, j in zip(x, i)]), [wide, places])
        add("tosa.scatter", element, scatter, scattered, [wide, places, wide])


def casts():
    types = ["f32", "f16", "bf16", "i8", "i16", "i32", "i1"]
    for source in types:
        for target in types:
            if source == target:
                continue
            def write(f, source=source, target=target):
                x = f.argument(source, SHAPE)
                return f.value(f"tosa.cast {x} : ({f.of(x)}) -> {f.type(target, SHAPE)}", target, SHAPE)
            def expected(x, source=source, target=target):
                if target == "i1":
                    return x != 0
                if is_float(source) and not is_float(target):
                    bits = BITS[target]
                    return np.clip(np.rint(x), -(1 << (bits - 1)), (1 << (bits - 1)) - 1).astype(np.int64)
                return rounded(x.astype(float) if is_float(target) else x.astype(np.int64), target)
            make = (lambda r, e, s: rounded(r.uniform(-300, 300, s), e)) if is_float(source) else (lambda r, e, s: wide(r, e, s) if e in ("i1", "i8") else r.integers(-999, 999, s))
            add("tosa.cast", f"{source} to {target}", write, expected, make)


def networks():
    pairs = [("f32", "f32"), ("f16", "f16"), ("f16", "f32"), ("bf16", "f32"), ("i8", "i32")]
    for element, wider in pairs:
        kind = element if element == wider else f"{element}, {wider}"
        result = element if is_float(element) else wider
        def matmul(f, element=element, wider=wider, result=result):
            a, b = f.argument(element, ("b", 5, 4)), f.argument(element, ("b", 4, 6))
            za, zb = zero_point(f, element), zero_point(f, element)
            return f.value(f"tosa.matmul {a}, {b}, {za}, {zb} : ({f.of(a, b, za, zb)}) -> {f.type(wider, ('b', 5, 6))}", wider, ("b", 5, 6))
        add("tosa.matmul", kind, matmul, lambda a, b: a @ b, small)
        def convolution(name, filters, spatial, function, attributes, image, out, kind=kind, element=element, wider=wider, result=result):
            def write(f):
                x, w = f.argument(element, image), f.argument(element, filters)
                bias = f.argument(result, (out[-1],))
                za, zb = zero_point(f, element), zero_point(f, element)
                return f.value(f"tosa.{name} {x}, {w}, {bias}, {za}, {zb} {{acc_type = {wider}, {attributes}}} : ({f.of(x, w, bias, za, zb)}) -> {f.type(result, out)}", result, out)
            add(f"tosa.{name}", kind, write, function, small)
        def conv2d(x, w, bias):
            x = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
            view = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))
            return np.einsum("nhwcyx,fyxc->nhwf", view, w) + bias
        def depthwise(x, w, bias):
            view = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))
            made = np.einsum("nhwcyx,yxcm->nhwcm", view, w)
            return made.reshape(*made.shape[:3], -1) + bias
        def conv3d(x, w, bias):
            view = np.lib.stride_tricks.sliding_window_view(x, (2, 3, 2), (1, 2, 3))
            return np.einsum("ndhwczyx,fzyxc->ndhwf", view, w) + bias
        def transposed(x, w, bias):
            n, h, width, c = x.shape
            made = np.zeros((n, h + 2, width + 2, w.shape[0]), x.dtype)
            for i in range(h):
                for j in range(width):
                    made[:, i : i + 3, j : j + 3] += np.einsum("nc,fyxc->nyxf", x[:, i, j], w)
            return made + bias
        convolution("conv2d", (4, 3, 3, 2), "hw", conv2d, "pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>",
                    ("b", 5, 6, 2), ("b", 5, 6, 4))
        convolution("depthwise_conv2d", (3, 3, 2, 2), "hw", depthwise, "pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>",
                    ("b", 5, 6, 2), ("b", 3, 4, 4))
        convolution("conv3d", (4, 2, 3, 2, 2), "dhw", conv3d, "pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>, dilation = array<i64: 1, 1, 1>",
                    ("b", 3, 5, 3, 2), ("b", 2, 3, 2, 4))
        convolution("transpose_conv2d", (4, 3, 3, 2), "hw", transposed, "out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>",
                    ("b", 4, 5, 2), ("b", 6, 7, 4))
    for element in FLOATS + ["i8", "i16"]:
        pool = lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2), (1, 2))[:, ::2, ::2]
        def max_pool(f, element=element):
            x = f.argument(element, ("b", 4, 6, 3))
            return f.value(f"tosa.max_pool2d {x} {{kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}} : "
                           f"({f.of(x)}) -> {f.type(element, ('b', 2, 3, 3))}", element, ("b", 2, 3, 3))
        def avg_pool(f, element=element):
            x = f.argument(element, ("b", 4, 6, 3))
            za, zb = zero_point(f, element), zero_point(f, element)
            acc = "f32" if is_float(element) else "i32"
            return f.value(f"tosa.avg_pool2d {x}, {za}, {zb} {{acc_type = {acc}, kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}} : "
                           f"({f.of(x, za, zb)}) -> {f.type(element, ('b', 2, 3, 3))}", element, ("b", 2, 3, 3))
        def mean(x, element=element):
            total = pool(x).sum((-1, -2))
            return total / 4 if is_float(element) else np.floor(total / 4 + 0.5).astype(np.int64)
        add("tosa.max_pool2d", element, max_pool, lambda x: pool(x).max((-1, -2)), small)
        add("tosa.avg_pool2d", element, avg_pool, mean, small, near=0 if is_float(element) else 1)
    def rescale(f):
        x = f.argument("i32", ("m", 4))
        m = f.value('"tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>', "i32", (1,))
        s = f.value('"tosa.const"() {values = dense<32> : tensor<1xi8>} : () -> tensor<1xi8>', "i8", (1,))
        zi = zero_point(f, "i32")
        zo = f.value('"tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>', "i8", (1,))
        return f.value(f"tosa.rescale {x}, {m}, {s}, {zi}, {zo} {{scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, "
                       f"output_unsigned = false}} : ({f.of(x, m, s, zi, zo)}) -> {f.type('i8', ('m', 4))}", "i8", ("m", 4))
    add("tosa.rescale", "i32 to i8", rescale, lambda x: np.clip(np.floor(x / 4 + 0.5) + 3, -128, 127).astype(np.int64), lambda r, e, s: r.integers(-700, 700, s))
    for element in ("f32", "i8"):
        def resize(f, element=element):
            x = f.argument(element, (1, 3, 4, 2))
            scale, offset, border = shape_constant(f, (2, 1, 2, 1)), shape_constant(f, (0, 0)), shape_constant(f, (1, 1))
            return f.value(f"tosa.resize {x}, {scale}, {offset}, {border} {{mode = NEAREST_NEIGHBOR}} : ({f.of(x)}, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> "
                           f"{f.type(element, (1, 6, 8, 2))}", element, (1, 6, 8, 2))
        near = lambda x: x[:, np.minimum((np.arange(6) + 1) // 2, 2)][:, :, np.minimum((np.arange(8) + 1) // 2, 3)]
        add("tosa.resize", element, resize, near, small)
    def rfft(f):
        x = f.argument("f32", (2, 4, 8))
        a, b = f.fresh(), f.fresh()
        f.add(f"{a}, {b} = tosa.rfft2d {x} : ({f.of(x)}) -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>)")
        return [Value(a, "f32", (2, 4, 5)), Value(b, "f32", (2, 4, 5))]
    add("tosa.rfft2d", "f32", rfft, lambda x: (np.fft.rfft2(x).real, np.fft.rfft2(x).imag), small, near=1e-4)
    def fft(f):
        x, y = f.argument("f32", (2, 4, 8)), f.argument("f32", (2, 4, 8))
        a, b = f.fresh(), f.fresh()
        f.add(f"{a}, {b} = tosa.fft2d {x}, {y} {{inverse = false}} : ({f.of(x, y)}) -> ({f.of(x)}, {f.of(x)})")
        return [Value(a, "f32", (2, 4, 8)), Value(b, "f32", (2, 4, 8))]
    add("tosa.fft2d", "f32", fft, lambda x, y: (np.fft.fft2(x + 1j * y).real, np.fft.fft2(x + 1j * y).imag), small, near=1e-4)
    def while_loop(f):
        x = f.argument("f32", ("m", 4))
        i = f.value('"tosa.const"() {values = dense<0> : tensor<i32>} : () -> tensor<i32>', "i32", ())
        made = f.fresh()
        f.add(f"{made}:2 = tosa.while_loop ({made}i = {i}, {made}x = {x}) : (tensor<i32>, {f.of(x)}) -> (tensor<i32>, {f.of(x)}) {{")
        three = f.value('"tosa.const"() {values = dense<3> : tensor<i32>} : () -> tensor<i32>', "i32", ())
        more = f.value(f"tosa.greater {three}, {made}i : (tensor<i32>, tensor<i32>) -> tensor<i1>", "i1", ())
        f.add(f"tosa.yield {more} : tensor<i1>")
        f.add("} do {")
        f.add(f"^bb0({made}j: tensor<i32>, {made}y: {f.of(x)}):")
        one = f.value('"tosa.const"() {values = dense<1> : tensor<i32>} : () -> tensor<i32>', "i32", ())
        after = f.value(f"tosa.add {made}j, {one} : (tensor<i32>, tensor<i32>) -> tensor<i32>", "i32", ())
        twice = f.value(f"tosa.add {made}y, {made}y : ({f.of(x, x)}) -> {f.of(x)}", "f32", x.shape)
        f.add(f"tosa.yield {after}, {twice} : tensor<i32>, {f.of(x)}")
        f.add("}")
        return Value(f"{made}#1", "f32", x.shape)
    add("tosa.while_loop", "f32", while_loop, lambda x: x * 8, small)


def table():
    elementwise()
    broadcast()
    reductions()
    moves()
    casts()
    networks()
