"""Writes the tables tests/numerics/ops/*.yaml (operators) and tests/numerics/graphs/*.yaml (whole graphs), with their numbers beside them in *.safetensors: inputs
and expected numbers, made by numpy's longdouble and decimal. tests/README.md describes them.

  oracle.py                   write the tables
  oracle.py --only Det        write the tables of these operators or graphs only; may be repeated, and works with --check, too
  oracle.py --check           fail if the committed tables are not what this script makes
  oracle.py --check --share 4 one table of four, others each day (KGEN_TEST_DAY); all of them with KGEN_LONG_TESTS in the environment
  oracle.py --large DIR       write the cases that are too large to commit, with nothing to draw; with --share 3 of one table of three, except
                              those of which tests have a least number of runs

A number is written so that it reads back exactly. The cases `by_hand` of a table stay as they are; by_hand.py checks them.

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
    import yaml  # of by_hand.py
except ImportError as error:
    sys.exit(f"oracle.py needs {error.name}, which {sys.executable} lacks: run it with /usr/bin/python3 (Debian: python3-numpy, python3-yaml)")

import by_hand
import cases
import graph_cases
import image_graphs
import large_graphs
import moving_graphs
import narrow_cases
import nbits_cases
import qdq_graphs
import quantized_graphs
import randoms
import safetensors
import stored_cases
import tables
from tables import Table

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import share

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMERICS = ROOT / "tests" / "numerics"


NUMBER = re.compile(r"(\d+\.\d+(?:e[+-]?\d+)?)")
# How far numbers of two CPUs may be apart, relatively.
OF_BOUNDS, OF_RESULTS = 0.01, 2.5e-16
MOST_LINES, MOST_BYTES = 10_000, 4_000_000  # of tables of operators


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


def is_wanted(name, only):
    return not only or name in only or file_name(name) in only


def check_names(only):
    names = [name for makers in SUITES.values() for name in makers]
    for name in only:
        if not any(is_wanted(known, [name]) for known in names):
            near = difflib.get_close_matches(name, names, 1)
            sys.exit(f"oracle.py: no cases of {name}" + (f" (did you mean {near[0]}?)" if near else ""))


def selected(make, large):
    """The cases; what they draw is remembered while their table is written."""
    randoms.drawn.clear()
    return [case for case in make() if case.large == large]


def committed(only, parts=1):
    """(path of a table, the table)"""
    for suite, makers in SUITES.items():
        for name, make in makers.items():
            if not is_wanted(name, only) or not share.is_today(parts, name):
                continue
            found = selected(make, large=False)
            if found:
                path = NUMERICS / suite / f"{file_name(name)}.yaml"
                yield path, Table(suite, name, found, tables.by_hand(path.read_text()) if path.exists() else [])


def are_near(one, other, allowed):
    return one == other or np.isclose(float(one), float(other), rtol=allowed, atol=0)


def is_near(one, other):
    """Whether texts are the same but for digits that depend on the CPU: longdouble's exp and tanh are its own instructions. What
    they give may be rounded to the next number of 53 bits, and a bound is a difference of two of their results."""
    a, b = NUMBER.split(one), NUMBER.split(other)
    allowed = OF_BOUNDS if one.startswith("bounds:") else OF_RESULTS
    return a[0::2] == b[0::2] and all(are_near(x, y, allowed) for x, y in zip(a[1::2], b[1::2]))


def is_same(one, other):
    a, b = (re.split(r"(?=bounds:)|\n", text) for text in (one, other))
    return len(a) == len(b) and all(x == y or is_near(x, y) for x, y in zip(a, b))


def is_same_tensor(name, one, other):
    if one == other or one[:2] != other[:2] or one[0] not in ("F32", "F64"):
        return one == other
    a, b = (np.frombuffer(tensor[2], "<f" + ("4" if one[0] == "F32" else "8")) for tensor in (one, other))
    return np.allclose(a, b, rtol=OF_BOUNDS if ".bound" in name else OF_RESULTS, atol=0, equal_nan=True)


def is_same_data(one, other):
    a, b = safetensors.read(one), safetensors.read(other)
    return one == other or list(a) == list(b) and all(is_same_tensor(name, a[name], b[name]) for name in a)


def fault_by_hand(table):
    lines = tables.by_hand(table.text)
    fault = tables.faults(lines)
    if fault:
        return fault
    wrong = by_hand.wrong(table.name, lines)
    return f"expected other results of {', '.join(wrong)}" if wrong else ""


def sizes(folder):
    """What is too much in tables of operators, which people read and reviews show."""
    lines = sum(path.read_text().count("\n") for path in folder.glob("*.yaml"))
    data = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    found = [] if lines <= MOST_LINES else [f"{lines} lines, expected at most {MOST_LINES}"]
    return found + ([] if data <= MOST_BYTES else [f"{data} bytes of numbers, expected at most {MOST_BYTES}"])


def check(only, parts):
    bad, known = [], set()
    for path, table in committed(only, parts):
        data = path.with_suffix(".safetensors")
        known |= {path, data}
        if path.parent.name == "ops" and (fault := fault_by_hand(table)):
            print(f"{path.relative_to(ROOT)}: by_hand: {fault}", file=sys.stderr)
            bad.append(path)
        bad += [] if path.exists() and is_same(path.read_text(), table.text) else [path]
        bad += [] if data.exists() and is_same_data(data.read_bytes(), table.data) else [data]
    if not only and (parts == 1 or share.FULL):
        bad += [path for suite in SUITES for path in (NUMERICS / suite).iterdir() if path not in known]
    too_much = sizes(NUMERICS / "ops")
    for text in too_much:
        print(f"tests/numerics/ops: {text}", file=sys.stderr)
    for path in bad:
        print(f"{path.relative_to(ROOT)} is not what tests/oracle/oracle.py makes", file=sys.stderr)
    return 1 if bad or too_much else 0


def write(path, table):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(table.text)
    path.with_suffix(".safetensors").write_bytes(table.data)


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
            found = selected(make, large=True)
            if found:
                write(target / "large.yaml", Table(suite, name, found, everything=True))


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
    for path, table in committed(arguments.only):
        write(path, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
