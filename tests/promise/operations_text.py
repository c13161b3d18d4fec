"""Functions of the table of operations as MLIR text, and what they compute."""
from dataclasses import dataclass, field

import numpy as np

SIZES = {"a": 2, "b": 3, "m": 5, "n": 7, "k": 4, "p": 19}  # of dimensions that may be open
OTHERS = {"a": 1, "b": 2, "m": 3, "n": 8, "k": 1, "p": 33}  # the same, once more


@dataclass
class Value:
    name: str
    element: str
    shape: tuple

    def __str__(self):
        return self.name


@dataclass
class Cell:
    """A function, numbers for its inputs, and what it gives for these."""
    operation: str
    element: str
    sizes: str  # fixed or open
    text: str
    inputs: list  # of (element, shape)
    outputs: list
    make: object  # random, element, shape -> numbers; or a list of such
    expected: object  # numbers of inputs -> numbers of outputs
    ulp: float  # of outputs
    near: float  # an absolute difference that counts as none
    name: str = ""
    group: str = ""
    dims: list = field(default_factory=list)


class Function:
    """Text of a function. Shapes hold numbers, and letters of SIZES, which are `?` where sizes are open."""

    def __init__(self, is_open):
        self.is_open = is_open
        self.arguments, self.lines, self.sizes, self.count = [], [], {}, 0
        self.inputs, self.dims = [], []

    def type(self, element, shape=None):
        if shape is None:
            return element
        sizes = [str(s if isinstance(s, int) else "?" if self.is_open else SIZES[s]) for s in shape]
        return f"tensor<{'x'.join(sizes + [element])}>"

    def of(self, *values):
        return ", ".join(self.type(v.element, v.shape) for v in values)

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def add(self, text):
        self.lines.append("  " + text)

    def value(self, text, element, shape=None):
        """The result of an operation."""
        made = Value(self.fresh(), element, shape)
        self.add(f"{made} = {text}")
        return made

    def argument(self, element, shape):
        """An input; elements of index come as i64."""
        given = "i64" if element == "index" else element
        name = f"%x{len(self.inputs)}"
        letters = [s for s in shape if not isinstance(s, int)]
        attribute = ""
        if self.is_open and letters:
            attribute = " {kgen.dims = [" + ", ".join(f'"{s}"' for s in letters) + "]}"
        self.arguments.append(f"{name}: {self.type(given, shape)}{attribute}")
        self.inputs.append((given, shape))
        value = Value(name, given, shape)
        if self.is_open:
            for at, letter in enumerate(shape):
                if not isinstance(letter, int) and letter not in self.sizes:
                    index = self.value(f"arith.constant {at} : index", "index")
                    self.sizes[letter] = self.value(f"tensor.dim {name}, {index} : {self.of(value)}", "index")
                    self.dims.append(letter)
        if element == "index":
            value = self.value(f"arith.index_cast {name} : {self.of(value)} to {self.type('index', shape)}", "index", shape)
        return value

    def size(self, letter):
        """A size as an index."""
        if isinstance(letter, int) or not self.is_open:
            return self.value(f"arith.constant {letter if isinstance(letter, int) else SIZES[letter]} : index", "index")
        return self.sizes[letter]

    def open_sizes(self, shape):
        return ", ".join(str(self.sizes[s]) for s in shape if not isinstance(s, int)) if self.is_open else ""

    def empty(self, element, shape):
        return self.value(f"tensor.empty({self.open_sizes(shape)}) : {self.type(element, shape)}", element, shape)

    def constant(self, text, element, shape=None):
        return self.value(f"arith.constant {text} : {self.type(element, shape)}", element, shape)

    def number(self, value, element):
        """A constant of one number."""
        if element == "i1":
            return self.value(f"arith.constant {'true' if value else 'false'}", element)
        return self.constant(repr(float(value)) if element[0] in "fb" else str(int(value)), element)

    def filled(self, value, element, shape):
        return self.fill(self.number(value, element), self.empty(element, shape))

    def fill(self, number, into):
        return self.value(f"linalg.fill ins({number} : {number.element}) outs({into} : {self.of(into)}) -> {self.of(into)}",
                          into.element, into.shape)

    def named(self, operation, inputs, into, attributes=""):
        """A named operation of linalg."""
        return self.value(f"linalg.{operation} {attributes} ins({', '.join(map(str, inputs))} : {self.of(*inputs)}) "
                          f"outs({into} : {self.of(into)}) -> {self.of(into)}", into.element, into.shape)

    def generic(self, inputs, into, body, maps=None, loops=None):
        """A generic operation whose body is `body(function, arguments)`, a value."""
        rank = len(into.shape)
        identity = f"affine_map<({', '.join(f'd{i}' for i in range(rank))}) -> ({', '.join(f'd{i}' for i in range(rank))})>"
        maps = maps or [identity] * (len(inputs) + 1)
        loops = loops or ["parallel"] * rank
        arguments = [Value(f"%e{self.count}_{i}", v.element, None) for i, v in enumerate([*inputs, into])]
        result = Value(self.fresh(), into.element, into.shape)
        ins = f"ins({', '.join(map(str, inputs))} : {self.of(*inputs)}) " if inputs else ""
        self.add(f"{result} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = ["
                 + ", ".join(f'"{loop}"' for loop in loops) + f"]}} {ins}outs({into} : {self.of(into)}) {{")
        self.add("^bb0(" + ", ".join(f"{a}: {a.element}" for a in arguments) + "):")
        given = body(self, arguments)
        self.add(f"linalg.yield {given} : {given.element}")
        self.add(f"}} -> {self.of(into)}")
        return result

    def returned(self, name, values):
        """The whole text. Elements of index leave as i64."""
        values = [self.value(f"arith.index_cast {v} : {self.of(v)} to {self.type('i64', v.shape)}", "i64", v.shape)
                  if v.element == "index" else v for v in values]
        types = ", ".join(self.type(v.element, v.shape) for v in values)
        self.add(f"return {', '.join(map(str, values))} : {types}")
        outputs = [(v.element, v.shape) for v in values]
        return f"func.func @{name}({', '.join(self.arguments)}) -> ({types}) {{\n" + "\n".join(self.lines) + "\n}\n", outputs


TABLE = []


def add(operation, element, write, expected, make, ulp=0, near=0, forms=("fixed", "open"), group=None):
    """A cell for each form of sizes: `write(function)` makes arguments and gives the results."""
    for form in forms:
        function = Function(form == "open")
        results = write(function)
        if form == "open" and not function.dims:
            continue  # it has no sizes to be open
        name = f"f{len(TABLE)}"
        text, outputs = function.returned(name, results if isinstance(results, (list, tuple)) else [results])
        TABLE.append(Cell(operation, element, form, text, function.inputs, outputs, make, expected, ulp, near, name,
                          group or operation.split(".")[0], function.dims))


def sized(shape, sizes):
    return tuple(s if isinstance(s, int) else sizes[s] for s in shape)


def values_of(cell, random, sizes):
    """Numbers for each input."""
    made = []
    for at, (element, shape) in enumerate(cell.inputs):
        make = cell.make[at] if isinstance(cell.make, (list, tuple)) else cell.make
        made.append(np.asarray(make(random, element, sized(shape, sizes))))
    return made
