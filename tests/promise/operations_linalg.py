"""linalg but for windows: elementwise operations, products, moves, reductions."""
import numpy as np

from operations_scalars import FLOAT_UNARY, binary, divisors, ulp_of
from operations_text import add
from operations_values import ALL, FLOATS, INTEGERS, is_float, rounded, small, wide

SHAPE = ("m", 3, "n")
MIXED = [("bf16", "f32"), ("f16", "f32"), ("i8", "i32"), ("i8", "i64"), ("i16", "i32"), ("f8E4M3FN", "f32"), ("f8E5M2", "f16"), ("f32", "f64")]


def unary():
    for name, (function, exact) in FLOAT_UNARY.items():
        for element in FLOATS:
            for operation, attributes in ((name, ""), ("elementwise", f"kind=#linalg.elementwise_kind<{name}>")):
                def write(f, operation=operation, attributes=attributes, element=element):
                    x = f.argument(element, SHAPE)
                    return f.named(operation, [x], f.empty(element, SHAPE), attributes)
                add(f"linalg.{operation}" + (f" {name}" if attributes else ""), element, write,
                    lambda x, function=function, element=element: rounded(function(x), element), wide, ulp_of(element, exact))


def binaries():
    for name in ("add", "sub", "mul", "div", "div_unsigned", "max", "min", "max_unsigned", "min_unsigned"):
        for element in FLOATS + ["i1"] + INTEGERS:
            function = binary(name, element)
            if not function:
                continue
            kind = {"max": "max_signed", "min": "min_signed"}.get(name, name)
            for operation, attributes in ((name, ""), ("elementwise", f"kind=#linalg.elementwise_kind<{kind}>")):
                if operation in ("max_unsigned", "min_unsigned"):
                    continue
                def write(f, operation=operation, attributes=attributes, element=element):
                    inputs = [f.argument(element, SHAPE), f.argument(element, SHAPE)]
                    return f.named(operation, inputs, f.empty(element, SHAPE), attributes)
                second = divisors if name.startswith("div") and not is_float(element) else wide
                add(f"linalg.{operation}" + (f" {kind}" if attributes else ""), element, write, function, [wide, second])
    for element in FLOATS:
        add("linalg.powf", element,
            lambda f, element=element: f.named("powf", [f.argument(element, SHAPE), f.argument(element, SHAPE)], f.empty(element, SHAPE)),
            lambda a, b, element=element: rounded(np.power(a, b), element),
            [lambda r, e, s: wide(r, e, s, 0.1, 3, False), lambda r, e, s: wide(r, e, s, -3, 3, False)], ulp_of(element, False))


def selects():
    for element in ALL:
        for operation, attributes in (("select", ""), ("elementwise", "kind=#linalg.elementwise_kind<select>")):
            if element == "index":
                continue  # linalg's own functions take no index
            def write(f, operation=operation, attributes=attributes, element=element):
                inputs = [f.argument("i1", SHAPE), f.argument(element, SHAPE), f.argument(element, SHAPE)]
                return f.named(operation, inputs, f.empty(element, SHAPE), attributes)
            add(f"linalg.{operation}" + (" select" if attributes else ""), element, write, lambda c, a, b: np.where(c, a, b), wide)


def moves():
    for element in ALL:
        def copy(f, element=element):
            return f.named("copy", [f.argument(element, SHAPE)], f.empty(element, SHAPE))
        def transpose(f, element=element):
            x, e = f.argument(element, SHAPE), f.empty(element, ("n", "m", 3))
            return f.value(f"linalg.transpose ins({x} : {f.of(x)}) outs({e} : {f.of(e)}) permutation = [2, 0, 1]", element, e.shape)
        def broadcast(f, element=element):
            x, e = f.argument(element, ("m", "n")), f.empty(element, ("m", 4, "n"))
            return f.value(f"linalg.broadcast ins({x} : {f.of(x)}) outs({e} : {f.of(e)}) dimensions = [1]", element, e.shape)
        def fill(f, element=element):
            x = f.argument("i8", ("m", "n"))  # for the sizes
            ones = f.filled(1, element, ("m", "n", 3))
            return [ones, f.named("copy", [x], f.empty("i8", x.shape))]
        add("linalg.copy", element, copy, lambda x: x, wide)
        add("linalg.transpose", element, transpose, lambda x: x.transpose(2, 0, 1), wide)
        add("linalg.broadcast", element, broadcast, lambda x: np.repeat(x[:, None], 4, 1), wide)
        add("linalg.fill", element, fill, lambda x: (np.ones((*x.shape, 3)), x), wide)
    for narrow, wider in MIXED:
        def cast(f, pair=(narrow, wider)):
            return f.named("copy", [f.argument(pair[0], SHAPE)], f.empty(pair[1], SHAPE))
        add("linalg.copy of another type", f"{narrow}, {wider}", cast, lambda x: x, wide)


def maps_and_reductions():
    for element in FLOATS + INTEGERS + ["index"]:
        suffix = "f" if is_float(element) else "i"
        def mapped(f, element=element, suffix=suffix):
            a, b, e = f.argument(element, SHAPE), f.argument(element, SHAPE), f.empty(element, SHAPE)
            return f.value(f"linalg.map {{ arith.add{suffix} }} ins({a}, {b} : {f.of(a, b)}) outs({e} : {f.of(e)})", element, SHAPE)
        add("linalg.map", element, mapped, lambda a, b, element=element: rounded(a + b, element), wide)
        kinds = {"add" + suffix: (0, lambda x: x.sum(1)), "mul" + suffix: (1, lambda x: x.prod(1))}
        if suffix == "f":
            kinds.update(maximumf=(-4, lambda x: x.max(1)), minimumf=(4, lambda x: x.min(1)))
        else:
            kinds.update(maxsi=(-4, lambda x: x.max(1)), minsi=(4, lambda x: x.min(1)))
        for kind, (start, function) in kinds.items():
            def reduced(f, element=element, kind=kind, start=start):
                x, init = f.argument(element, SHAPE), f.filled(start, element, ("m", "n"))
                return f.value(f"linalg.reduce {{ arith.{kind} }} ins({x} : {f.of(x)}) outs({init} : {f.of(init)}) dimensions = [1]",
                               element, init.shape)
            add(f"linalg.reduce {kind}", element, reduced, function, small)
    for element in FLOATS:
        def softmax(f, element=element):
            return f.named("softmax dimension(2)", [f.argument(element, ("m", "k", 9))], f.empty(element, ("m", "k", 9)))
        def soft(x, element=element):
            e = np.exp(x - x.max(2, keepdims=True))
            return rounded(e / e.sum(2, keepdims=True), element)
        add("linalg.softmax", element, softmax, soft, lambda r, e, s: wide(r, e, s, -4, 4, False),
            {"f32": 12, "f64": 12}.get(element, 2), {"f8E4M3FN": 0.02, "f8E5M2": 0.02}.get(element, 0))


def indexed():
    for element in ALL:
        def write(f, element=element):
            x = f.argument(element, ("m", "n"))
            def body(g, e):
                row = g.value("linalg.index 0 : index", "index")
                if element == "index":
                    return g.value(f"arith.addi {row}, {e[0]} : index", element)
                if element == "i64":
                    number = g.value(f"arith.index_cast {row} : index to i64", "i64")
                    return g.value(f"arith.addi {number}, {e[0]} : i64", element)
                number = g.value(f"arith.index_cast {row} : index to i32", "i32")
                if element == "i32":
                    return g.value(f"arith.addi {number}, {e[0]} : i32", element)
                if element in ("i1", "i8", "i16"):
                    number = g.value(f"arith.trunci {number} : i32 to {element}", element)
                    return g.value(f"arith.addi {number}, {e[0]} : {element}", element)
                number = g.value(f"arith.sitofp {number} : i32 to {element}", element)
                return g.value(f"arith.addf {number}, {e[0]} : {element}", element)
            return f.generic([x], f.empty(element, x.shape), body)
        def expected(x, element=element):
            rows = np.arange(x.shape[0])[:, None]
            if element == "i1":
                return (rows % 2 == 1) ^ x
            return rounded(x + rounded(rows, element), element)
        add("linalg.index", element, write, expected, wide)


def packs():
    for element in ALL:
        def pack(f, element=element):
            x, e = f.argument(element, ("m", 8, 6)), f.empty(element, ("m", 4, 2, 3, 2))
            return f.value(f"linalg.pack {x} inner_dims_pos = [2, 1] inner_tiles = [3, 2] into {e} : {f.of(x)} -> {f.of(e)}", element, e.shape)
        def padded(f, element=element):
            zero = f.number(1, element)
            x, e = f.argument(element, ("m", 7)), f.empty(element, ("m", 2, 4))
            return f.value(f"linalg.pack {x} padding_value({zero} : {element}) inner_dims_pos = [1] inner_tiles = [4] into {e} : "
                           f"{f.of(x)} -> {f.of(e)}", element, e.shape)
        def unpack(f, element=element):
            x, e = f.argument(element, ("m", 2, 4)), f.empty(element, ("m", 7))
            return f.value(f"linalg.unpack {x} inner_dims_pos = [1] inner_tiles = [4] into {e} : {f.of(x)} -> {f.of(e)}", element, e.shape)
        add("linalg.pack", element, pack, lambda x: x.reshape(-1, 4, 2, 2, 3).transpose(0, 1, 3, 4, 2), wide)
        add("linalg.pack with padding", element, padded,
            lambda x: np.concatenate([x, np.ones((len(x), 1), x.dtype)], 1).reshape(-1, 2, 4), wide)
        add("linalg.unpack", element, unpack, lambda x: x.reshape(-1, 8)[:, :7], wide)


def random_numbers():
    def write(f):
        x = f.argument("i8", ("m", "n"))
        low, high, seed = f.number(-1, "f64"), f.number(3, "f64"), f.number(42, "i32")
        return [f.named("fill_rng_2d", [low, high, seed], f.empty("f32", ("m", "n"))), f.named("copy", [x], f.empty("i8", x.shape))]
    def expected(x):
        rows, columns = np.indices(x.shape)
        first = rounded(rounded(rows + 42, "i32") * 1103515245 + 12345, "i32")
        second = rounded(rounded(columns + first, "i32") * 1103515245 + 12345, "i32")
        return rounded((2147483647 + second) * (4 * 2.3283063999999999e-10) - 1, "f32"), x
    add("linalg.fill_rng_2d", "f32", write, expected, wide, 2)


def table():
    unary()
    binaries()
    selects()
    moves()
    maps_and_reductions()
    indexed()
    packs()
    random_numbers()
