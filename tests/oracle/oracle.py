"""Writes the tables tests/ops/*.yaml (operators) and tests/graphs/*.yaml (whole graphs): inputs and expected numbers, made by numpy's longdouble and decimal.

  oracle.py                   write the tables
  oracle.py --only Det        write the tables of these operators or graphs only; may be repeated, and works with --check, too
  oracle.py --check           fail if the committed tables are not what this script makes
  oracle.py --check --share 4 one table of four, others each day (KGEN_TEST_DAY); all of them with KGEN_LONG_TESTS in the environment
  oracle.py --large DIR       write the cases that are too large to commit, with their numbers in binary files beside them; with --share 3 of
                              one table of three, except those of which tests have a least number of runs

A number is written so that it reads back exactly. `tolerance` is {ulps: n} (0: the same bits, any NaN for a NaN) or a bound
for the absolute error of each element.

A file *_cases.py in this folder with a dictionary OPERATORS is found by its name.
"""
import argparse
import difflib
import importlib
import pathlib
import re
import shutil
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(f"oracle.py needs numpy, which {sys.executable} lacks: run it with /usr/bin/python3 (Debian: python3-numpy)")

import cases
import graph_cases
import image_graphs
import large_graphs
import moving_graphs
import narrow
import narrow_cases
import nbits_cases
import qdq_graphs
import quantized_graphs
import stored_cases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import share

TESTS = pathlib.Path(__file__).resolve().parent.parent


NUMBER = re.compile(r"(\d+\.\d+(?:e[+-]\d+)?)")


def operators():
    """The cases of each operator, of all types."""

    def all_types(name):
        makers = [cases.OPERATORS, *narrow_cases.TYPES]
        return lambda: [case for operators in makers for case in operators[name]()]

    found = {name: all_types(name) for name in cases.OPERATORS}
    for path in sorted(pathlib.Path(__file__).resolve().parent.glob("*_cases.py")):
        module = importlib.import_module(path.stem)
        if module is narrow_cases:  # further types of the operators of cases.py
            continue
        for name, make in getattr(module, "OPERATORS", {}).items():
            if name in found:
                sys.exit(f"{path.name}: there are cases of {name} already")
            found[name] = make
    return found


QUANTIZED = {"quantized": quantized_graphs.graphs, "qdq": qdq_graphs.graphs}
SUITES = {"ops": operators(), "graphs": {**graph_cases.SMALL, **image_graphs.GRAPHS, **moving_graphs.GRAPHS, **nbits_cases.GRAPHS, **QUANTIZED, **stored_cases.GRAPHS}}
LARGE = {"ops": operators(), "graphs": {**large_graphs.LARGE, **QUANTIZED}}


def file_name(operator):
    if operator.isupper():
        return operator.lower()
    words = "".join("-" + c.lower() if c.isupper() else c for c in operator).lstrip("-")
    return words.replace("mat-mul", "matmul").replace("n-bits", "nbits").replace("q-linear", "qlinear").replace("r-m-s-", "rms-").replace("n-d", "nd").replace("is-na-n", "is-nan")


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


class Numbers:
    """Writes arrays as text, or into binary files for large cases."""

    def __init__(self, folder=None):
        self.folder = folder
        self.count = 0

    def data(self, array, text):
        if self.folder is None:
            return "data: [" + ", ".join(text(v) for v in array.ravel()) + "]"
        self.count += 1
        name = f"{self.count}.bin"
        known = narrow.format_of(array)
        stored = known.bits(array) if known else np.ascontiguousarray(array)
        (self.folder / name).write_bytes(stored.tobytes())
        return f"file: {name}"

    def tensor(self, array):
        known = narrow.format_of(array)
        element = known.name if known else cases.SHORT[array.dtype.type]
        shape = ", ".join(map(str, array.shape))
        return f'{{type: "{element}[{shape}]", {self.data(array, known.text if known else number)}}}'

    def bounds(self, array):
        if self.folder is not None:
            array = array.astype(np.float64)
        return f"{{{self.data(array, bound_text)}}}"


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


def case_text(case, numbers):
    lines = [f"  - name: {case.name}"]
    if case.attributes:
        lines.append("    " + attributes(case.attributes))
    if case.outputs:
        lines.append("    nodes:")
        lines += ["      - " + node_text(node) for node in case.nodes]
        lines.append("    outputs: [" + ", ".join(case.outputs) + "]")
    if case.compute:
        lines.append(f"    compute: {case.compute}")
    if case.accumulate:
        lines.append(f"    accumulate: {case.accumulate}")
    if case.winograd:
        lines.append(f"    winograd: {case.winograd}")
    lines.append("    inputs:")
    for value in case.inputs:
        if value is None:
            lines.append("      - null")
        elif isinstance(value, int):
            lines.append(f"      - {{same: {value}}}")
        else:
            lines.append("      - " + numbers.tensor(value))
    for key in ("constants", "weights"):
        if getattr(case, key):
            lines.append(f"    {key}: {list(getattr(case, key))}")
    if case.quantize:
        lines.append("    quantize: {" + ", ".join(f"{i}: {{bits: {b}, block: {n}}}" for i, (b, n) in case.quantize.items()) + "}")
    lines.append("    expected:")
    lines += ["      - " + numbers.tensor(value) for value in case.expected]
    for bounds in case.bounds or []:
        if not np.isfinite(np.asarray(bounds, dtype=np.longdouble)).all():
            sys.exit(f"case {case.name}: an error bound is infinite or NaN; where a result is, its bound is 0")
    if case.bounds is None:
        lines.append(f"    tolerance: {{ulps: {case.ulps}}}")
    else:
        lines.append("    tolerance: {bounds: [" + ", ".join(numbers.bounds(b) for b in case.bounds) + "]}")
    return "\n".join(lines) + "\n"


def table(suite, name, selected, numbers):
    head = f"# Made by tests/oracle/oracle.py; do not edit.\n{'op' if suite == 'ops' else 'graphs'}: {name}\ncases:\n"
    return head + "".join(case_text(case, numbers) for case in selected)


def is_wanted(name, only):
    return not only or name in only or file_name(name) in only


def check_names(only):
    names = [name for makers in SUITES.values() for name in makers]
    for name in only:
        if not any(is_wanted(known, [name]) for known in names):
            near = difflib.get_close_matches(name, names, 1)
            sys.exit(f"oracle.py: no cases of {name}" + (f" (did you mean {near[0]}?)" if near else ""))


def committed(only, parts=1):
    tables = {}
    for suite, makers in SUITES.items():
        for name, make in makers.items():
            if not is_wanted(name, only) or not share.is_today(parts, name):
                continue
            selected = [c for c in make() if not c.large]
            if selected:
                tables[TESTS / suite / f"{file_name(name)}.yaml"] = table(suite, name, selected, Numbers())
    return tables


def is_near(one, other):
    """Whether lines are the same but for digits that depend on the CPU: longdouble's exp and tanh are its own instructions. What
    they give may be rounded to the next number of 53 bits, and a bound is a difference of two of their results."""
    a, b = NUMBER.split(one), NUMBER.split(other)
    allowed = 0.01 if "bounds:" in one else 2.5e-16
    return a[0::2] == b[0::2] and all(
        x == y or np.isclose(float(x), float(y), rtol=allowed, atol=0) for x, y in zip(a[1::2], b[1::2]))


def is_same(one, other):
    a, b = one.splitlines(), other.splitlines()
    return len(a) == len(b) and all(x == y or is_near(x, y) for x, y in zip(a, b))


def check(only, parts):
    wanted = committed(only, parts)
    bad = [path for path, text in wanted.items() if not path.exists() or not is_same(path.read_text(), text)]
    if not only and (parts == 1 or share.FULL):
        bad += [path for suite in SUITES for path in (TESTS / suite).glob("*.yaml") if path not in wanted]
    for path in bad:
        print(f"{path.relative_to(TESTS.parent)} is not what tests/oracle/oracle.py makes", file=sys.stderr)
    return 1 if bad else 0


def is_in_turn(suite, name):
    """True if the table may be left out on a day: products have a least number of runs, and the other graphs are made in no time."""
    return name not in ("Gemm", "MatMul") if suite == "ops" else name in ("fully-connected", "mlp")


def write_large(folder, parts):
    for suite, makers in LARGE.items():
        for name, make in makers.items():
            target = folder / suite / file_name(name)
            shutil.rmtree(target, ignore_errors=True)
            if is_in_turn(suite, name) and not share.is_today(parts, name):
                target.mkdir(parents=True)
                continue
            selected = [c for c in make() if c.large]
            if selected:
                target.mkdir(parents=True)
                (target / "large.yaml").write_text(table(suite, name, selected, Numbers(target)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--share", type=int, default=1, metavar="PARTS")
    parser.add_argument("--large", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    arguments = parser.parse_args()
    check_names(arguments.only)
    if arguments.check:
        return check(arguments.only, arguments.share)
    if arguments.large:
        write_large(arguments.large, arguments.share)
        return 0
    for path, text in committed(arguments.only).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
