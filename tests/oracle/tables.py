"""The form of the tables in tests/numerics, which tests/README.md describes: a text with a line for each case of an operator, and
<table>.safetensors with the numbers that are neither few nor drawn from a seed."""
import re
import sys

import numpy as np

import cases
import narrow
import randoms
import safetensors

# So many numbers are written out: of results and of what can be drawn from a seed, and of other inputs.
FEW, SOME = 4, 8
# So many cases of an operator at least are checked by hand.
BY_HAND = 6
# Elements in which an input may differ from what its seed draws.
CHANGED = 4
DTYPES = {"f32": "F32", "f64": "F64", "bf16": "BF16", "f16": "F16", "i8": "I8", "u8": "U8", "i16": "I16", "u16": "U16", "i32": "I32", "u32": "U32",
          "i64": "I64", "u64": "U64", "bool": "BOOL", "f8e4m3fn": "F8_E4M3", "f8e5m2": "F8_E5M2", "i4": "I8", "u4": "U8"}
# Of what is drawn for a type, unless a table says otherwise; of integers all, if there are not too many.
REALS, INTEGERS = (-2, 2), (-1000, 1000)
RANGES = {"i8": (-128, 128), "u8": (0, 256), "i16": (-2**15, 2**15), "u16": (0, 2**16), "u32": (0, 2**32), "i4": (-8, 8), "u4": (0, 16)}


def number(value):
    if isinstance(value, (np.bool_, bool)):
        return str(int(value))
    if isinstance(value, np.floating):
        text = repr(value)
        return text[:-2] if text.endswith(".0") and text != "-0.0" else text.replace("e+", "e")
    return str(value)


def bound_text(bound):
    """Four digits, rounded up; the bound is finite."""
    if bound == 0:
        return "0"
    text = f"{float(bound):.3e}"
    if np.longdouble(text) < bound:
        text = f"{float(bound) * 1.001:.3e}"
    mantissa, exponent = text.split("e")
    return f"{mantissa}e{int(exponent)}"


def element_of(array):
    known = narrow.format_of(array)
    return known.name if known else cases.SHORT[array.dtype.type]


def type_text(array):
    return f'"{element_of(array)}[{", ".join(map(str, array.shape))}]"'


def bytes_of(array):
    known = narrow.format_of(array)
    if isinstance(known, narrow.Float8):
        numbers = known.all_numbers().view(np.ndarray)
        half = len(numbers) // 2
        sizes, plain = numbers[:half], np.ascontiguousarray(array).view(np.ndarray)
        found = {np.float32(n).tobytes(): i for i, n in reversed(list(enumerate(sizes)))}
        nan = half - 1
        return bytes((nan if np.isnan(v) else found[np.abs(v).tobytes()]) | (128 if np.signbit(v) and not np.isnan(v) else 0) for v in plain.ravel())
    if isinstance(known, narrow.Format):
        return known.bits(array).tobytes()
    if known:  # a byte for each number of 4 bits
        return np.ascontiguousarray(array).view(np.ndarray).astype(np.int64).astype(np.uint8).tobytes()
    return np.ascontiguousarray(array).tobytes()


def as_type(draw, array):
    """What is drawn, in the array's type; None if such numbers are not drawn for it."""
    known, plain = narrow.format_of(array), np.asarray(array).dtype
    if isinstance(known, narrow.Format) or plain.kind == "f":
        if not draw.is_real:
            return None
        return known.rounded(draw.values.astype(np.float32)) if known else draw.values.astype(plain)
    if draw.is_real:
        return None
    return draw.values % 2 == 0 if plain == np.bool_ else draw.values.astype(plain)


def changes(draw, array):
    """The places at which an array differs from what is drawn; None if those are many."""
    values = as_type(draw, array)
    if values is None:
        return None
    flat, values = np.asarray(array).view(np.ndarray).ravel(), np.asarray(values).view(np.ndarray)
    if flat.dtype.kind == "f":
        bits = np.dtype(f"u{flat.itemsize}")
        flat, values = flat.view(bits), values.astype(flat.dtype).view(bits)
    places = np.flatnonzero(flat != values)
    return places if len(places) <= CHANGED else None


def seed_text(array):
    """The array as what a seed draws; None if it is not."""
    found = None
    for draw in randoms.drawn.get(array.size, {}).values():
        places = changes(draw, array)
        if places is not None and (found is None or len(places) < len(found[1])):
            found = draw, places
    if found is None:
        return None
    draw, places = found
    text = f'seed: "{draw.seed}"'
    usual = REALS if draw.is_real else RANGES.get(element_of(array), INTEGERS)
    if (draw.low, draw.high) != usual:
        text += f", range: [{draw.low}, {draw.high}]"
    if len(places):
        write = writer(array)
        text += ", but: {" + ", ".join(f"{place}: {write(array.ravel()[place])}" for place in places) + "}"
    return text


def writer(array):
    known = narrow.format_of(array)
    return known.text if known else number


def attribute(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return f'"{value}"' if isinstance(value, str) and not value.isidentifier() else str(value)


def attributes(values):
    return "attributes: {" + ", ".join(f"{k}: {attribute(v)}" for k, v in values.items()) + "}"


def node_text(node):
    name, operator, inputs, values, *outputs = node
    text = f"{{name: {name}, op: {operator}, inputs: [{', '.join(i or chr(34) * 2 for i in inputs)}]"
    if values:
        text += ", " + attributes(values)
    return text + (f", outputs: [{', '.join(o or chr(34) * 2 for o in outputs)}]" if outputs else "") + "}"


def by_hand(text):
    """The lines of a table that people write."""
    found = re.search(r"^by_hand:\n((?:  - .*\n)*)", text, re.MULTILINE)
    return found[1].splitlines() if found else []


def faults(lines):
    """What is wrong with them, but for their numbers, which by_hand.py and each run of the tests check."""
    names = [re.match(r"  - \{name: ([^,]+),", line) for line in lines]
    if None in names:
        return f"expected `- {{name: ..., inputs: ...`, found{lines[names.index(None)]}"
    texts = [name[1] for name in names]
    if len(set(texts)) < len(texts):
        return "two cases have the same name"
    drawn = next((line for line in lines if re.search(r"seed:|stored|[\[ ]\"\w+\[[\d, ]*\]\"[,\]]", line.replace("type: ", "type:"))), None)
    if drawn:
        return f"expected all numbers, found{drawn}"
    return f"expected at least {BY_HAND} cases, found {len(lines)}" if len(lines) < BY_HAND else ""


class Table:
    """`text` and `data`, the bytes of the file beside it. `written`: the lines that people write. With `everything`, the file has all numbers
    but a few: seeds take time."""

    def __init__(self, suite, name, selected, written=(), everything=False):
        self.name, self.everything, self.stored, self.case = name, everything, {}, None
        self.names = {re.match(r"  - \{name: ([^,]+),", line)[1] for line in written}
        self.text = ("# `cases` are made by tests/oracle/oracle.py, `by_hand` by people; tests/README.md says how to read them.\n" if written else
                     "# Made by tests/oracle/oracle.py; do not edit. tests/README.md says how to read it.\n")
        self.text += f"{'op' if suite == 'ops' else 'graphs'}: {name}\n"
        if written:
            self.text += "by_hand:\n" + "".join(f"{line}\n" for line in written)
        self.text += "cases:\n" + "".join(self.case_text(case) for case in selected)
        self.data = safetensors.write(self.stored)

    def store(self, name, dtype, shape, data):
        self.stored[f"{self.case.name}.{name}"] = dtype, shape, data

    def tensor(self, array, name, few=FEW):
        if array.size <= few:
            return self.written(array)
        self.store(name, DTYPES[element_of(array)], array.shape, bytes_of(array))
        return type_text(array)

    def input(self, array, name):
        drawn = seed_text(array) if FEW < array.size and not self.everything else None
        return f"{{type: {type_text(array)}, {drawn}}}" if drawn else self.tensor(array, name, SOME)

    def written(self, array):
        write = writer(array)
        return f"{{type: {type_text(array)}, data: [{', '.join(write(v) for v in array.ravel())}]}}"

    def inputs(self, case):
        texts = []
        for i, value in enumerate(case.inputs):
            if value is None:
                texts.append("null")
            elif isinstance(value, int):
                texts.append(f"{{same: {value}}}")
            else:
                texts.append(self.input(value, f"x{i}"))
        return texts

    def tolerance(self, case):
        if case.bounds is None:
            return f"ulps: {case.ulps}"
        bounds = [np.asarray(b, dtype=np.longdouble) for b in case.bounds]
        if not all(np.isfinite(b).all() for b in bounds):
            sys.exit(f"case {case.name}: an error bound is infinite or NaN; where a result is, its bound is 0")
        texts = [[bound_text(v) for v in b.ravel()] for b in bounds]
        if all(b.size <= FEW for b in bounds):
            return "bounds: [" + ", ".join(f"[{', '.join(t)}]" for t in texts) + "]"
        for i, (bound, text) in enumerate(zip(bounds, texts)):
            exact = np.array([float(t) for t in text])
            with np.errstate(over="ignore", under="ignore"):
                short = exact.astype(np.float32)
            is_short = np.allclose(short, exact, rtol=1e-6, atol=0)
            self.store(f"bound{i}", "F32" if is_short else "F64", bound.shape, (short if is_short else exact).tobytes())
        return "bounds: stored"

    def case_text(self, case):
        if case.name in self.names:
            sys.exit(f"two cases are called {case.name}")
        self.case = case
        self.names.add(case.name)
        fields = [f"name: {case.name}"]
        if case.attributes:
            fields.append(attributes(case.attributes))
        if case.outputs:
            fields += ["nodes: [\n      " + ",\n      ".join(map(node_text, case.nodes)) + "]", "outputs: [" + ", ".join(case.outputs) + "]"]
        fields += [f"{key}: {getattr(case, key)}" for key in ("compute", "accumulate", "winograd") if getattr(case, key)]
        fields.append("inputs: [" + ", ".join(self.inputs(case)) + "]")
        fields += [f"{key}: {list(getattr(case, key))}" for key in ("constants", "weights") if getattr(case, key)]
        if case.quantize:
            fields.append("quantize: {" + ", ".join(f"{i}: {{bits: {b}, block: {n}{', scale: f16' if half else ''}}}" for i, (b, n, half) in case.quantize.items()) + "}")
        fields.append("expected: [" + ", ".join(self.tensor(value, f"y{i}") for i, value in enumerate(case.expected)) + "]")
        fields.append(self.tolerance(case))
        return "  - {" + (",\n    " if case.outputs else ", ").join(fields) + "}\n"
