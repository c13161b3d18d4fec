"""Writes the operator tables tests/ops/*.yaml: inputs and expected numbers, made by numpy's longdouble and decimal.

  oracle.py             write the tables
  oracle.py --check     fail if the committed tables are not what this script makes
  oracle.py --large DIR write the cases that are too large to commit, with their numbers in binary files beside them

A number is written so that it reads back exactly. `tolerance` is {ulps: n} (0: the same bits, any NaN for a NaN) or a bound
for the absolute error of each element.
"""
import argparse
import pathlib
import sys

import numpy as np

import cases

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "ops"


def file_name(operator):
    words = "".join("-" + c.lower() if c.isupper() else c for c in operator).lstrip("-")
    return {"mat-mul": "matmul"}.get(words, words)


def number(value):
    if isinstance(value, (np.bool_, bool)):
        return str(int(value))
    if isinstance(value, np.floating):
        text = repr(value)
        return text[:-2] if text.endswith(".0") and text != "-0.0" else text.replace("e+", "e")
    return str(value)


def bound_text(bound):
    """Four digits, rounded up."""
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
        (self.folder / name).write_bytes(np.ascontiguousarray(array).tobytes())
        return f"file: {name}"

    def tensor(self, array):
        element = cases.SHORT[array.dtype.type]
        shape = ", ".join(map(str, array.shape))
        return f'{{type: "{element}[{shape}]", {self.data(array, number)}}}'

    def bounds(self, array):
        if self.folder is not None:
            array = array.astype(np.float64)
        return f"{{{self.data(array, bound_text)}}}"


def attribute(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return str(value)


def case_text(case, numbers):
    lines = [f"  - name: {case.name}"]
    if case.attributes:
        lines.append("    attributes: {" + ", ".join(f"{k}: {attribute(v)}" for k, v in case.attributes.items()) + "}")
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
    lines.append("    expected:")
    lines += ["      - " + numbers.tensor(value) for value in case.expected]
    if case.bounds is None:
        lines.append(f"    tolerance: {{ulps: {case.ulps}}}")
    else:
        lines.append("    tolerance: {bounds: [" + ", ".join(numbers.bounds(b) for b in case.bounds) + "]}")
    return "\n".join(lines) + "\n"


def table(operator, selected, numbers):
    head = f"# Made by tests/oracle/oracle.py; do not edit.\nop: {operator}\ncases:\n"
    return head + "".join(case_text(case, numbers) for case in selected)


def committed():
    return {FOLDER / f"{file_name(name)}.yaml": table(name, [c for c in make() if not c.large], Numbers())
            for name, make in cases.OPERATORS.items()}


def check():
    wanted = committed()
    bad = [path.name for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    bad += [path.name for path in FOLDER.glob("*.yaml") if path not in wanted]
    for name in bad:
        print(f"tests/ops/{name} is not what tests/oracle/oracle.py makes", file=sys.stderr)
    return 1 if bad else 0


def write_large(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in cases.OPERATORS.items():
        selected = [c for c in make() if c.large]
        if selected:
            target = folder / file_name(name)
            target.mkdir(exist_ok=True)
            (target / "large.yaml").write_text(table(name, selected, Numbers(target)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--large", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.check:
        return check()
    if arguments.large:
        write_large(arguments.large)
        return 0
    FOLDER.mkdir(exist_ok=True)
    for path, text in committed().items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
