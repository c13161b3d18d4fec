"""The part of docs/MLIR.md that is written from the table of operations: operations_docs.py FILE [--check]

With --check the file stays as it is, and the exit code is 1 if it would change.
"""
import collections
import re
import sys
from pathlib import Path

from operations_table import REFUSED, fill_table, reason_of
import operations_text as texts

BEGIN = "<!-- Written by tests/promise/operations_docs.py. -->\n"
END = "<!-- End of what is written. -->\n"
ORDER = ["f16", "bf16", "f32", "f64", "i1", "i8", "i16", "i32", "i64", "f8E4M3FN", "f8E5M2", "index"]
WIDTH = 150  # of a line of the list


def types_of(cells):
    found = {word for cell in cells for word in re.split(r", | to ", cell.element)}
    return tuple(t for t in ORDER if t in found)


def rows():
    """Operations of a dialect that take the same types, in one row."""
    by_operation = collections.defaultdict(list)
    for cell in texts.TABLE:
        if not reason_of(cell):
            by_operation[cell.operation.split()[0].rstrip(",")].append(cell)
    grouped = collections.defaultdict(list)
    for operation, cells in by_operation.items():
        dialect, name = operation.split(".", 1)
        grouped[dialect, types_of(cells)].append(name)
    for (dialect, types), names in sorted(grouped.items(), key=lambda item: (item[0][0], -len(item[1]))):
        yield f"| {dialect} | {' '.join(f'`{n}`' for n in sorted(set(names)))} | {' '.join(types)} |"


def section():
    lines = ["| dialect | operations that are tried | with elements of |", "|---|---|---|", *rows(), "",
             "| refused | |", "|---|---|", *(f"| {what} | {why} |" for _, what, why in REFUSED)]
    return BEGIN + "\n" + "\n".join(lines) + "\n\n" + END


def main():
    path = Path(sys.argv[1])
    fill_table()
    text = path.read_text()
    begin, end = text.index(BEGIN), text.index(END) + len(END)
    wanted = text[:begin] + section() + text[end:]
    if "--check" in sys.argv:
        if wanted != text:
            sys.exit(f"{path} is not what tests/promise/operations_docs.py writes: run it with {path}")
    else:
        path.write_text(wanted)


if __name__ == "__main__":
    main()
