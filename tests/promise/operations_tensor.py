"""tensor, affine and scf."""
import numpy as np

from operations_text import SIZES, add
from operations_values import ALL, FLOATS, INTEGERS, is_float, rounded, wide

SHAPE = ("m", 4, "n")


def added(function, element, a, b, shape):
    """a + b, of tensors or numbers."""
    return function.value(f"arith.add{'f' if is_float(element) else 'i'} {a}, {b} : {function.type(element, shape)}", element, shape)


def plus(element, a, b):
    return a ^ b if element == "i1" else rounded(a + b, element)


def constants(f, *numbers):
    return [f.value(f"arith.constant {n} : index", "index") for n in numbers]


def reshapes(element):
    def collapse(f):
        x = f.argument(element, ("m", 4, 6))
        return f.value(f"tensor.collapse_shape {x} [[0], [1, 2]] : {f.of(x)} into {f.type(element, ('m', 24))}", element, ("m", 24))
    def expand(f):
        x = f.argument(element, ("m", 24))
        first = f.sizes["m"] if f.is_open else SIZES["m"]
        return f.value(f"tensor.expand_shape {x} [[0], [1, 2]] output_shape [{first}, 4, 6] : {f.of(x)} into {f.type(element, ('m', 4, 6))}",
                       element, ("m", 4, 6))
    def reshape(f):
        x = f.argument(element, ("m", 24))
        parts = [f.value(f"arith.index_cast {f.size('m')} : index to i64", "i64"), f.constant("6", "i64"), f.constant("4", "i64")]
        shape = f.value(f"tensor.from_elements {', '.join(map(str, parts))} : tensor<3xi64>", "i64", (3,))
        return f.value(f"tensor.reshape {x}({shape}) : ({f.of(x)}, tensor<3xi64>) -> {f.type(element, ('m', 6, 4))}", element, ("m", 6, 4))
    add("tensor.collapse_shape", element, collapse, lambda x: x.reshape(-1, 24), wide)
    add("tensor.expand_shape", element, expand, lambda x: x.reshape(-1, 4, 6), wide)
    add("tensor.reshape", element, reshape, lambda x: x.reshape(-1, 6, 4), wide)


def slices(element):
    def extract(f):
        x = f.argument(element, ("m", 9, 5))
        first = f.sizes["m"] if f.is_open else SIZES["m"]
        return f.value(f"tensor.extract_slice {x}[0, 1, 2] [{first}, 4, 3] [1, 2, 1] : {f.of(x)} to {f.type(element, ('m', 4, 3))}",
                       element, ("m", 4, 3))
    def insert(f):
        x, into = f.argument(element, ("m", 4)), f.argument(element, ("m", 9))
        first = f.sizes["m"] if f.is_open else SIZES["m"]
        return f.value(f"tensor.insert_slice {x} into {into}[0, 2] [{first}, 4] [1, 1] : {f.of(x)} into {f.of(into)}", element, into.shape)
    def strided(f):
        x, into = f.argument(element, ("m", 4)), f.argument(element, ("m", 9))
        first = f.sizes["m"] if f.is_open else SIZES["m"]
        return f.value(f"tensor.insert_slice {x} into {into}[0, 1] [{first}, 4] [1, 2] : {f.of(x)} into {f.of(into)}", element, into.shape)
    def placed(x, into, step, begin):
        made = into.copy()
        made[:, begin : begin + 4 * step : step] = x
        return made
    def concat(f):
        a, b = f.argument(element, ("m", 3, "n")), f.argument(element, ("m", 4, "n"))
        return f.value(f"tensor.concat dim(1) {a}, {b} : ({f.of(a, b)}) -> {f.type(element, ('m', 7, 'n'))}", element, ("m", 7, "n"))
    def pad(f):
        x, value = f.argument(element, ("m", 5)), f.number(1, element)
        made = f.fresh()
        f.add(f"{made} = tensor.pad {x} low[0, 1] high[0, 2] {{")
        f.add(f"^bb0(%i{made[1:]}: index, %j{made[1:]}: index):")
        f.add(f"tensor.yield {value} : {element}")
        f.add(f"}} : {f.of(x)} to {f.type(element, ('m', 8))}")
        return type(x)(made, element, ("m", 8))
    add("tensor.extract_slice", element, extract, lambda x: x[:, 1:8:2, 2:5], wide)
    add("tensor.insert_slice", element, insert, lambda x, into: placed(x, into, 1, 2), wide)
    add("tensor.insert_slice with a stride", element, strided, lambda x, into: placed(x, into, 2, 1), wide)
    add("tensor.concat", element, concat, lambda a, b: np.concatenate([a, b], 1), wide)
    add("tensor.pad", element, pad, lambda x: np.pad(x, ((0, 0), (1, 2)), constant_values=1), wide)


def elements(element):
    def extract(f):
        x = f.argument(element, (5, 4))
        i, j = constants(f, 3, 1)
        number = f.value(f"tensor.extract {x}[{i}, {j}] : {f.of(x)}", element)
        return f.value(f"tensor.from_elements {number}, {number} : {f.type(element, (2,))}", element, (2,))
    def read(f):
        x = f.argument(element, ("m", 4))
        def body(g, e):
            i = g.value("linalg.index 0 : index", "index")
            j = g.value("linalg.index 1 : index", "index")
            three = g.value("arith.constant 3 : index", "index")
            other = g.value(f"arith.subi {three}, {j} : index", "index")
            return g.value(f"tensor.extract {x}[{i}, {other}] : {g.of(x)}", element)
        return f.generic([], f.empty(element, x.shape), body)
    def insert(f):
        x, from_ = f.argument(element, ("m", 4)), f.argument(element, (3,))
        zero, two = constants(f, 0, 2)
        number = f.value(f"tensor.extract {from_}[{two}] : {f.of(from_)}", element)
        return f.value(f"tensor.insert {number} into {x}[{zero}, {two}] : {f.of(x)}", element, x.shape)
    def inserted(x, from_):
        made = x.copy()
        made[0, 2] = from_[2]
        return made
    def splat(f):
        x = f.argument(element, (3,))
        (one,) = constants(f, 1)
        number = f.value(f"tensor.extract {x}[{one}] : {f.of(x)}", element)
        return f.value(f"tensor.splat {number} : {f.type(element, (4, 5))}", element, (4, 5))
    def generate(f):
        x = f.argument(element, ("m", 4))
        made = f.fresh()
        i, j = f"%i{made[1:]}", f"%j{made[1:]}"
        f.add(f"{made} = tensor.generate {f.open_sizes(x.shape)} {{")
        f.add(f"^bb0({i}: index, {j}: index):")
        number = f.value(f"tensor.extract {x}[{i}, {j}] : {f.of(x)}", element)
        twice = added(f, element, number, number, None)
        f.add(f"tensor.yield {twice} : {element}")
        f.add(f"}} : {f.of(x)}")
        return type(x)(made, element, x.shape)
    def gather(f):
        x = f.argument(element, (6, 4))
        where = f.constant("dense<[[[5]], [[0]], [[2]]]>", "index", (3, 1, 1))
        kept = f.value(f"tensor.gather {x}[{where}] gather_dims([0]) : ({f.of(x)}, {f.of(where)}) -> {f.type(element, (3, 1, 1, 4))}",
                       element, (3, 1, 1, 4))
        return kept
    def scatter(f):
        x, into = f.argument(element, (3, 1, 4)), f.argument(element, (6, 4))
        where = f.constant("dense<[[5], [0], [2]]>", "index", (3, 1))
        return f.value(f"tensor.scatter {x} into {into}[{where}] scatter_dims([0]) unique : ({f.of(x, into, where)}) -> {f.of(into)}",
                       element, into.shape)
    def scattered(x, into):
        made = into.copy()
        made[[5, 0, 2]] = x[:, 0]
        return made
    def cast(f):
        x = f.argument(element, (5, 4))
        loose = f.value(f"tensor.cast {x} : {f.of(x)} to tensor<?x4x{element}>", element, (5, 4))
        return f.value(f"tensor.cast {loose} : tensor<?x4x{element}> to {f.of(x)}", element, (5, 4))
    def splat_open(f):
        x = f.argument(element, ("m", 4))
        zero, one = constants(f, 0, 1)
        number = f.value(f"tensor.extract {x}[{zero}, {one}] : {f.of(x)}", element)
        given = f"[{f.open_sizes(('m',))}]" if f.is_open else ""
        return f.value(f"tensor.splat {number}{given} : {f.type(element, ('m', 2))}", element, ("m", 2))
    add("tensor.extract", element, extract, lambda x: np.repeat(x[3, 1], 2), wide)
    add("tensor.extract in a body", element, read, lambda x: x[:, ::-1], wide)
    add("tensor.insert", element, insert, inserted, wide)
    add("tensor.splat", element, splat, lambda x: np.full((4, 5), x[1]), wide)
    add("tensor.splat of open sizes", element, splat_open, lambda x: np.full((len(x), 2), x[0, 1]), wide)
    add("tensor.generate", element, generate, lambda x: plus(element, x, x), wide)
    add("tensor.gather", element, gather, lambda x: x[[5, 0, 2]].reshape(3, 1, 1, 4), wide)
    add("tensor.scatter", element, scatter, scattered, wide)
    add("tensor.cast", element, cast, lambda x: x, wide)


def bitcasts():
    for source, target in (("f32", "i32"), ("i32", "f32"), ("f16", "i16"), ("bf16", "i16"), ("i16", "bf16"), ("f64", "i64"), ("i8", "f8E5M2"), ("f8E4M3FN", "i8")):
        def write(f, source=source, target=target):
            x = f.argument(source, SHAPE)
            return f.value(f"tensor.bitcast {x} : {f.of(x)} to {f.type(target, SHAPE)}", target, SHAPE)
        from operations_values import numbers, stored
        add("tensor.bitcast", f"{source} to {target}", write,
            lambda x, source=source, target=target: numbers(stored(x, source).view(stored(np.zeros(1), target).dtype), target),
            lambda r, e, s: wide(r, e, s, special=False) if is_float(e) else r.integers(0, 99, s))


def sizes():
    """Sizes as numbers."""
    def dim(f):
        x = f.argument("f32", ("m", "n"))
        number = f.value(f"arith.index_cast {f.size('n')} : index to i64", "i64")
        doubled = added(f, "f32", x, x, x.shape)  # functions do not take what nobody reads
        return [f.value(f"tensor.from_elements {number} : tensor<1xi64>", "i64", (1,)), doubled]
    def rank(f):
        x = f.argument("f32", ("m", "n"))
        number = f.value(f"tensor.rank {x} : {f.of(x)}", "index")
        number = f.value(f"arith.index_cast {number} : index to i64", "i64")
        doubled = added(f, "f32", x, x, x.shape)
        return [f.value(f"tensor.from_elements {number} : tensor<1xi64>", "i64", (1,)), doubled]
    add("tensor.dim", "f32", dim, lambda x: (np.array([x.shape[1]]), rounded(x + x, "f32")), wide)
    add("tensor.rank", "f32", rank, lambda x: (np.array([2]), rounded(x + x, "f32")), wide)


def loops(element):
    def body(f, x, total, index, made):
        """Adds a row of x to the carried tensor."""
        row = f.value(f"tensor.extract_slice {x}[{index}, 0] [1, {f.sizes['n'] if f.is_open else SIZES['n']}] [1, 1] : {f.of(x)} to "
                      f"{f.type(element, ('n',))}", element, ("n",))
        return added(f, element, total, row, ("n",))
    def loop(kind):
        def write(f):
            x, start = f.argument(element, (3, "n")), f.argument(element, ("n",))
            made, index, total = f.fresh(), f.fresh(), f.fresh()
            if kind == "scf.for":
                zero, one, three = constants(f, 0, 1, 3)
                f.add(f"{made} = scf.for {index} = {zero} to {three} step {one} iter_args({total} = {start}) -> ({f.of(start)}) {{")
            else:
                f.add(f"{made} = affine.for {index} = 0 to 3 iter_args({total} = {start}) -> ({f.of(start)}) {{")
            found = body(f, x, total, index, made)
            f.add(f"{kind.split('.')[0]}.yield {found} : {f.of(found)}")
            f.add("}")
            return type(x)(made, element, start.shape)
        return write
    def sums(x, start):
        for row in x:
            start = plus(element, start, row)
        return start
    def condition(kind):
        def write(f):
            x, y = f.argument(element, ("m", "n")), f.argument(element, ("m", "n"))
            made = f.fresh()
            if kind == "scf.if":
                is_true = f.value("arith.constant true", "i1")
                f.add(f"{made} = scf.if {is_true} -> ({f.of(x)}) {{")
            else:
                (two,) = constants(f, 2)
                f.add(f"{made} = affine.if affine_set<(d) : (d - 1 >= 0)>({two}) -> {f.of(x)} {{")
            total = added(f, element, x, y, x.shape)
            f.add(f"{kind.split('.')[0]}.yield {total} : {f.of(total)}")
            f.add("} else {")
            f.add(f"{kind.split('.')[0]}.yield {x} : {f.of(x)}")
            f.add("}")
            return type(x)(made, element, x.shape)
        return write
    add("scf.for", element, loop("scf.for"), sums, lambda r, e, s: wide(r, e, s, special=False))
    add("affine.for", element, loop("affine.for"), sums, lambda r, e, s: wide(r, e, s, special=False))
    add("scf.if of a constant", element, condition("scf.if"), lambda x, y: plus(element, x, y), wide)
    add("affine.if of a constant", element, condition("affine.if"), lambda x, y: plus(element, x, y), wide)


def indices():
    """affine.apply, min and max, of subscripts in bodies."""
    for name, text, function in (
        ("apply", "affine.apply affine_map<(d) -> (d * 2 + 1)>({0})", lambda i: i * 2 + 1),
        ("min", "affine.min affine_map<(d) -> (d, 2)>({0})", lambda i: np.minimum(i, 2)),
        ("max", "affine.max affine_map<(d) -> (d, 2)>({0})", lambda i: np.maximum(i, 2)),
        ("apply with divisions", "affine.apply affine_map<(d) -> (d floordiv 2 + d mod 3 + d ceildiv 2)>({0})", lambda i: i // 2 + i % 3 + (i + 1) // 2),
        ("linearize_index", "affine.linearize_index [{0}, {0}] by (9, 9) : index", lambda i: i * 10),
    ):
        def write(f, text=text):
            x = f.argument("i32", ("m", "n"))
            def body(g, e):
                i = g.value("linalg.index 1 : index", "index")
                j = g.value(text.format(i), "index")
                number = g.value(f"arith.index_cast {j} : index to i32", "i32")
                return g.value(f"arith.addi {number}, {e[0]} : i32", "i32")
            return f.generic([x], f.empty("i32", x.shape), body)
        add(f"affine.{name}", "i32", write, lambda x, function=function: rounded(x + function(np.arange(x.shape[1])), "i32"), wide)
    def delinearize(f):
        x = f.argument("i32", ("m", "n"))
        def body(g, e):
            i = g.value("linalg.index 1 : index", "index")
            g.add(f"%q, %r = affine.delinearize_index {i} into (9, 3) : index, index")
            number = g.value("arith.subi %r, %q : index", "index")
            number = g.value(f"arith.index_cast {number} : index to i32", "i32")
            return g.value(f"arith.addi {number}, {e[0]} : i32", "i32")
        return f.generic([x], f.empty("i32", x.shape), body)
    add("affine.delinearize_index", "i32", delinearize, lambda x: rounded(x + np.arange(x.shape[1]) % 3 - np.arange(x.shape[1]) // 3, "i32"), wide)


def control():
    """What graphs have no nodes for: refused, or right."""
    for element in ("f32", "i32", "bf16"):
        def chosen(f, element=element):
            x = f.argument(element, ("m", "n"))
            def body(g, e):
                zero = g.number(0, element)
                compare = "cmpf ogt" if is_float(element) else "cmpi sgt"
                is_more = g.value(f"arith.{compare}, {e[0]}, {zero} : {element}", "i1")
                made = g.fresh()
                g.add(f"{made} = scf.if {is_more} -> ({element}) {{")
                twice = added(g, element, e[0], e[0], None)
                g.add(f"scf.yield {twice} : {element}")
                g.add(f"}} else {{")
                g.add(f"scf.yield {zero} : {element}")
                g.add("}")
                return type(x)(made, element, None)
            return f.generic([x], f.empty(element, x.shape), body)
        add("scf.if in a body", element, chosen, lambda x, element=element: plus(element, np.where(x > 0, x, 0), np.where(x > 0, x, 0)), wide)
        def forall(f, element=element):
            x = f.argument(element, (4, "n"))
            e = f.empty(element, x.shape)
            made, i, out = f.fresh(), f.fresh(), f.fresh()
            f.add(f"{made} = scf.forall ({i}) in (4) shared_outs({out} = {e}) -> ({f.of(e)}) {{")
            row = f.value(f"tensor.extract_slice {x}[{i}, 0] [1, {f.sizes['n'] if f.is_open else SIZES['n']}] [1, 1] : {f.of(x)} to {f.type(element, (1, 'n'))}", element, (1, "n"))
            twice = added(f, element, row, row, row.shape)
            f.add("scf.forall.in_parallel {")
            f.add(f"tensor.parallel_insert_slice {twice} into {out}[{i}, 0] [1, {f.sizes['n'] if f.is_open else SIZES['n']}] [1, 1] : {f.of(twice)} into {f.of(e)}")
            f.add("}")
            f.add("}")
            return type(x)(made, element, x.shape)
        add("scf.forall", element, forall, lambda x, element=element: plus(element, x, x), wide)
        def region(f, element=element):
            x = f.argument(element, ("m", "n"))
            made = f.fresh()
            f.add(f"{made} = scf.execute_region -> {f.of(x)} {{")
            twice = added(f, element, x, x, x.shape)
            f.add(f"scf.yield {twice} : {f.of(twice)}")
            f.add("}")
            return type(x)(made, element, x.shape)
        add("scf.execute_region", element, region, lambda x, element=element: plus(element, x, x), wide)


def table():
    for element in ALL:
        reshapes(element)
        slices(element)
        elements(element)
        loops(element)
    bitcasts()
    sizes()
    indices()
    control()
