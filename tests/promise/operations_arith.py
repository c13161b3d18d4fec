"""arith and math, on tensors and in bodies."""
import math

import numpy as np

from operations_scalars import away, by_unsigned, divisors, each, erf, maximum, minimum, quotient, ulp_of, unsigned
from operations_text import add
from operations_values import ALL, BITS, FLOATS, FORMATS, INTEGERS, is_float, near_least_normal, numbers, rounded, small, stored, wide, width

SHAPE = ("m", "n")
FLOAT = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide, "remf": np.fmod,
         "maximumf": maximum(False), "minimumf": minimum(False), "maxnumf": maximum(True), "minnumf": minimum(True)}
ceiling = lambda a, b: -(-a // b)
INTEGER = {
    "addi": lambda e, a, b: rounded(a + b, e), "subi": lambda e, a, b: rounded(a - b, e), "muli": lambda e, a, b: rounded(a * b, e),
    "andi": lambda e, a, b: a & b, "ori": lambda e, a, b: a | b, "xori": lambda e, a, b: a ^ b,
    "maxsi": lambda e, a, b: np.maximum(a, b), "minsi": lambda e, a, b: np.minimum(a, b),
    "maxui": by_unsigned(np.maximum), "minui": by_unsigned(np.minimum),
    "divsi": lambda e, a, b: rounded(quotient(a, b), e), "divui": by_unsigned(lambda a, b: a // b),
    "remsi": lambda e, a, b: a - quotient(a, b) * b, "remui": by_unsigned(lambda a, b: a % b),
    "ceildivsi": lambda e, a, b: rounded(ceiling(a, b), e), "floordivsi": lambda e, a, b: rounded(a // b, e),
    "ceildivui": by_unsigned(lambda a, b: a // b + (a % b != 0)),
    "shli": lambda e, a, b: rounded(a << b, e), "shrsi": lambda e, a, b: a >> b,
    "shrui": lambda e, a, b: rounded((unsigned(a, BITS[e]) >> b.astype(np.uint64)).astype(np.int64), e),
}
FLOAT_PREDICATES = {"eq": lambda a, b: a == b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lt": lambda a, b: a < b,
                    "le": lambda a, b: a <= b, "ne": lambda a, b: a != b}
INTEGER_PREDICATES = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal, "sgt": np.greater, "sge": np.greater_equal}


def operation(name, element, function, make=wide, result=None, arguments=2, ulp=0, near=0, attributes="", suffix=None, kind=None, body=True):
    """On tensors, and in the body of a generic operation."""
    result = result or element
    def on_tensors(f):
        inputs = [f.argument(element, SHAPE) for _ in range(arguments)]
        types = (suffix or (lambda g, shape: g.type(element, shape)))(f, SHAPE)
        return f.value(f"{name} {attributes}{', '.join(map(str, inputs))} : {types}", result, SHAPE)
    def inside(f):
        inputs = [f.argument(element, SHAPE) for _ in range(arguments)]
        def made(g, e):
            types = (suffix or (lambda h, shape: h.type(element, shape)))(g, None)
            return g.value(f"{name} {attributes}{', '.join(map(str, e[:arguments]))} : {types}", result)
        return f.generic(inputs, f.empty(result, SHAPE), made)
    label = name + (f" {attributes.strip(' ,')}" if attributes else "")
    add(label, kind or element, on_tensors, function, make, ulp, near)
    if body:
        add(label + " in a body", kind or element, inside, function, make, ulp, near, forms=("fixed",))


def arith():
    for element in FLOATS:
        for name, function in FLOAT.items():
            operation(f"arith.{name}", element, lambda a, b, function=function, element=element: rounded(function(a, b), element))
        operation("arith.negf", element, np.negative, arguments=1)
        for name, function in FLOAT_PREDICATES.items():
            unordered = lambda a, b: np.isnan(a) | np.isnan(b)
            operation("arith.cmpf", element, lambda a, b, function=function: function(a, b) & ~unordered(a, b), result="i1", attributes=f"o{name}, ",
                      body=name == "eq")
            operation("arith.cmpf", element, lambda a, b, function=function: function(a, b) | unordered(a, b), result="i1", attributes=f"u{name}, ",
                      body=name == "lt")
    for element in ["i1"] + INTEGERS + ["index"]:
        for name, function in INTEGER.items():
            second = wide
            if "div" in name or "rem" in name:
                second = divisors
            if name.startswith("sh"):
                second = lambda r, e, s, element=element: r.integers(0, BITS[element], s)
            first = (lambda r, e, s: wide(r, e, s) // 2) if name == "ceildivsi" else wide
            if element == "i1":
                if name not in ("addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui"):
                    continue
                bit = {"addi": np.not_equal, "subi": np.not_equal, "xori": np.not_equal, "muli": np.logical_and, "andi": np.logical_and,
                       "ori": np.logical_or, "maxui": np.logical_or, "minui": np.logical_and, "maxsi": np.logical_and, "minsi": np.logical_or}[name]
                operation(f"arith.{name}", element, bit)
                continue
            operation(f"arith.{name}", element, lambda a, b, function=function, element=element: function(element, a, b), [first, second])
        if element == "i1":
            continue
        for name, function in INTEGER_PREDICATES.items():
            operation("arith.cmpi", element, function, result="i1", attributes=f"{name}, ", body=name == "slt")
        for name, function in (("ult", np.less), ("ule", np.less_equal), ("ugt", np.greater), ("uge", np.greater_equal)):
            operation("arith.cmpi", element, lambda a, b, function=function, element=element: function(unsigned(a, BITS[element]), unsigned(b, BITS[element])),
                      result="i1", attributes=f"{name}, ", body=name == "ult")
    for element in ALL:
        def select(f, element=element):
            c, a, b = f.argument("i1", SHAPE), f.argument(element, SHAPE), f.argument(element, SHAPE)
            return f.value(f"arith.select {c}, {a}, {b} : {f.of(c)}, {f.of(a)}", element, SHAPE)
        def constant(f, element=element):
            x = f.argument("i8", ("m", "n"))
            values = [1, 0, 1, 1] if element == "i1" else [1, 2, 3, 4]
            text = ", ".join(("true" if v else "false") if element == "i1" else f"{float(v)}" if is_float(element) else str(v) for v in values)
            few = f.constant(f"dense<[{text}]>", element, (4,))
            return [few, f.named("copy", [x], f.empty("i8", x.shape))]
        def operand(f, element=element):
            x = f.argument(element, ("m", 4))
            text = ", ".join(("true" if v % 2 else "false") if element == "i1" else f"{float(v)}" if is_float(element) else str(v) for v in (1, 2, 3, 4))
            few = f.constant(f"dense<[{text}]>", element, (4,))
            suffix = "f" if is_float(element) else "i"
            maps = ["affine_map<(m, n) -> (m, n)>", "affine_map<(m, n) -> (n)>", "affine_map<(m, n) -> (m, n)>"]
            return f.generic([x, few], f.empty(element, x.shape), lambda g, e: g.value(f"arith.add{suffix} {e[0]}, {e[1]} : {element}", element), maps)
        add("arith.select", element, select, lambda c, a, b: np.where(c, a, b), wide)
        add("arith.constant", element, constant, lambda x, element=element: (np.array([1, 0, 1, 1] if element == "i1" else [1, 2, 3, 4]), x), wide)
        few = np.array([1, 2, 3, 4])
        add("arith.constant as an operand", element, operand,
            lambda x, element=element: x ^ (few % 2 == 1) if element == "i1" else rounded(x + few, element), wide)


def conversion(name, source, target, function, make=wide):
    operation(f"arith.{name}", source, function, make, target, 1, kind=f"{source} to {target}",
              suffix=lambda f, shape: f"{f.type(source, shape)} to {f.type(target, shape)}")


def conversions():
    for source in FLOATS:
        for target in FLOATS:
            if width(source) < width(target):
                conversion("extf", source, target, lambda x: x)
            if width(source) > width(target):
                conversion("truncf", source, target, lambda x, target=target: rounded(x, target), lambda r, e, s: wide(r, e, s, -600, 600))
        for target in INTEGERS:
            inside = lambda r, e, s: rounded(r.uniform(-100, 100, s), e)
            conversion("fptosi", source, target, lambda x: np.trunc(x).astype(np.int64), inside)
            conversion("fptoui", source, target, lambda x: np.trunc(x).astype(np.int64), lambda r, e, s: rounded(r.uniform(0, 100, s), e))
    for source in ["i1"] + INTEGERS:
        for target in FLOATS:
            signed = (lambda x: -(x.astype(np.int64))) if source == "i1" else (lambda x: x)
            some = wide if source in ("i1", "i8", "i16") or target in ("f64",) else lambda r, e, s: r.integers(-30000, 30000, s)
            conversion("sitofp", source, target, lambda x, target=target, signed=signed: rounded(signed(x), target), some)
            conversion("uitofp", source, target, lambda x, source=source, target=target: rounded(unsigned(x, BITS[source]), target),
                       wide if source != "i64" else lambda r, e, s: r.integers(0, 1 << 40, s))
        for target in INTEGERS:
            if width(source) < width(target):
                conversion("extsi", source, target, lambda x, source=source: -(x.astype(np.int64)) if source == "i1" else x)
                conversion("extui", source, target, lambda x, source=source: unsigned(x, BITS[source]).astype(np.int64))
        for target in ["i1"] + INTEGERS:
            if width(source) > width(target):
                conversion("trunci", source, target, lambda x, target=target: x % 2 == 1 if target == "i1" else rounded(x, target))
        if source != "i1":
            conversion("index_cast", source, "index", lambda x: x)
            conversion("index_castui", source, "index", lambda x, source=source: unsigned(x, BITS[source]).astype(np.int64))
            conversion("index_cast", "index", source, lambda x, source=source: rounded(x, source))
    for source in FLOATS + INTEGERS:
        for target in FLOATS + INTEGERS:
            if source != target and width(source) == width(target):
                def bits(x, source=source, target=target):
                    made = numbers(stored(x, source).view(stored(np.zeros(1), target).dtype), target)
                    return made
                finite = lambda r, e, s: wide(r, e, s, special=False) if is_float(e) else r.integers(-99, 99, s)
                conversion("bitcast", source, target, bits, finite)
    for element in INTEGERS + ["index"]:
        for name in ("addui_extended", "mulsi_extended", "mului_extended"):
            if name != "addui_extended" and element in ("i64", "index"):
                continue  # numpy has no wider integers
            second = "i1" if name == "addui_extended" else element
            def write(f, element=element, name=name, second=second):
                inputs = [f.argument(element, SHAPE), f.argument(element, SHAPE)]
                low, high = f.fresh(), f.fresh()
                types = f.type(element, SHAPE) + (f", {f.type('i1', SHAPE)}" if second == "i1" else "")
                f.add(f"{low}, {high} = arith.{name} {inputs[0]}, {inputs[1]} : {types}")
                from operations_text import Value
                return [Value(low, element, SHAPE), Value(high, second, SHAPE)]
            def expected(a, b, element=element, name=name):
                if name == "addui_extended":
                    total = rounded(a + b, element)
                    return total, unsigned(total, BITS[element]) < unsigned(a, BITS[element])
                whole = a * b if name == "mulsi_extended" else (unsigned(a, BITS[element]) * unsigned(b, BITS[element])).astype(np.int64)
                high = whole >> BITS[element] if name == "mulsi_extended" else (whole.astype(np.uint64) >> np.uint64(BITS[element])).astype(np.int64)
                return rounded(whole, element), rounded(high, element)
            add(f"arith.{name}", element, write, expected, wide)


def within(low, high):
    return lambda r, e, s: wide(r, e, s, low, high, False)


cbrt = lambda x: np.cbrt(x)
MATH = {  # function, exact, numbers
    "absf": (np.abs, True, wide), "ceil": (np.ceil, True, wide), "floor": (np.floor, True, wide), "trunc": (np.trunc, True, wide),
    "round": (away, True, wide), "roundeven": (np.rint, True, wide), "sqrt": (np.sqrt, True, wide), "rsqrt": (lambda x: 1 / np.sqrt(x), False, wide),
    "exp": (np.exp, False, wide), "exp2": (np.exp2, False, wide), "expm1": (np.expm1, False, wide), "log": (np.log, False, wide),
    "log2": (np.log2, False, wide), "log10": (np.log10, False, wide), "log1p": (np.log1p, False, within(-0.9, 9)), "sin": (np.sin, False, wide),
    "cos": (np.cos, False, wide), "tan": (np.tan, False, wide), "sinh": (np.sinh, False, within(-9, 9)), "cosh": (np.cosh, False, within(-9, 9)),
    "tanh": (np.tanh, False, wide), "asin": (np.arcsin, False, within(-1, 1)), "acos": (np.arccos, False, within(-1, 1)),
    "atan": (np.arctan, False, wide), "asinh": (np.arcsinh, False, wide), "acosh": (np.arccosh, False, within(1, 9)),
    "atanh": (np.arctanh, False, within(-0.9, 0.9)), "cbrt": (cbrt, False, wide), "erf": (erf, False, wide),
    "erfc": (each(lambda v: v if math.isnan(v) else math.erfc(v)), False, within(-3, 3)),
}
TESTS = {"isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan}


def mathematics():
    for element in FLOATS:
        to = lambda function, element=element: lambda *x: rounded(function(*x), element)
        for name, (function, exact, make) in MATH.items():
            operation(f"math.{name}", element, to(function), make, arguments=1, ulp=ulp_of(element, exact))
        for name, function in TESTS.items():
            operation(f"math.{name}", element, function, near_least_normal, "i1", 1)
        lowest = FORMATS[element][1]
        operation("math.isnormal", element, lambda x, lowest=lowest: np.isfinite(x) & (np.abs(x) >= 2.0**lowest), near_least_normal, "i1", 1)
        operation("math.atan2", element, to(np.arctan2), within(-4, 4), ulp=ulp_of(element, False))
        operation("math.copysign", element, np.copysign, wide)
        operation("math.powf", element, to(np.power), [within(0.1, 3), within(-3, 3)], ulp=ulp_of(element, False))
        operation("math.fma", element, to(lambda a, b, c: a * b + c), small, arguments=3)
        operation("math.clampf", element, to(lambda x, low, high: np.minimum(np.maximum(x, low), high)), [wide, within(-3, -1), within(1, 3)], arguments=3,
                  suffix=lambda f, shape, element=element: f.type(element, shape)) if False else None
        for integer in ("i32", "i64"):
            def power(f, element=element, integer=integer):
                x, n = f.argument(element, SHAPE), f.argument(integer, SHAPE)
                return f.value(f"math.fpowi {x}, {n} : {f.of(x)}, {f.of(n)}", element, SHAPE)
            add("math.fpowi", f"{element}, {integer}", power, to(lambda x, n: np.power(x, n.astype(float))),
                [within(0.5, 2), lambda r, e, s: r.integers(-4, 5, s)], ulp_of(element, False))
        def clamp(f, element=element):
            x, low, high = (f.argument(element, SHAPE) for _ in range(3))
            return f.value(f"math.clampf {x} to [{low}, {high}] : {f.of(x)}", element, SHAPE)
        add("math.clampf", element, clamp, to(lambda x, low, high: np.minimum(np.maximum(x, low), high)), [within(-5, 5), within(-3, -1), within(1, 3)])
        def sincos(f, element=element):
            from operations_text import Value
            x, s, c = f.argument(element, SHAPE), f.fresh(), f.fresh()
            f.add(f"{s}, {c} = math.sincos {x} : {f.of(x)}")
            return [Value(s, element, SHAPE), Value(c, element, SHAPE)]
        add("math.sincos", element, sincos, lambda x, to=to: (to(np.sin)(x), to(np.cos)(x)), within(-4, 4), ulp_of(element, False))
    for element in INTEGERS + ["index"]:
        bits = BITS[element]
        text = lambda v, bits=bits: format(int(v) & ((1 << bits) - 1), f"0{bits}b")
        count = lambda function: lambda x: np.vectorize(function, otypes=[np.int64])(x)
        operation("math.absi", element, lambda x, element=element: rounded(np.abs(x), element), arguments=1)
        operation("math.ctlz", element, count(lambda v, text=text: len(text(v)) - len(text(v).lstrip("0"))), arguments=1)
        operation("math.cttz", element, count(lambda v, text=text: len(text(v)) - len(text(v).rstrip("0"))), arguments=1)
        operation("math.ctpop", element, count(lambda v, text=text: text(v).count("1")), arguments=1)
        if element != "index":
            operation("math.ipowi", element, lambda x, n, element=element: rounded(np.array([[pow(int(a), int(b)) % (1 << 64) for a, b in zip(*r)]
                      for r in zip(x, n)], dtype=np.uint64).astype(np.int64), element), [small, lambda r, e, s: r.integers(0, 6, s)])


def table():
    arith()
    conversions()
    mathematics()
