"""The whole table of operations, and what of it is refused."""
import importlib
import re

import operations_text as texts

MODULES = ["linalg", "products", "arith", "tensor", "tosa"]

# Cells as "operation, elements, sizes" that `kgen check` refuses, what that is in the documentation, and why.
REFUSED = [
    (r"tosa\.(scatter|while_loop)\b", "`tosa.scatter`, `tosa.while_loop`", "upstream's passes do not bring them to linalg"),
    (r"tosa\.cast, (bf16 to f16|f16 to bf16)\b", "`tosa.cast` between `f16` and `bf16`", "upstream's pass makes an operation of it that there is not; TOSA has no such cast"),
    (r"tensor\.(gather|scatter)\b", "`tensor.gather`, `tensor.scatter`", "upstream's bufferization has no code for them"),
    (r"linalg\.winograd_", "`linalg.winograd_*_transform`", "for the convolution, kgen itself chooses Winograd's form"),
    (r"scf\.(if in a body|forall)\b", "`scf.if` of elements, `scf.forall`", "a graph has operations on tensors: `arith.select` chooses among elements"),
]


def label(cell):
    return f"{cell.operation}, {cell.element}, {cell.sizes}"


def reason_of(cell):
    """Why the cell is refused; "" if it is taken."""
    return next((why for pattern, _, why in REFUSED if re.match(pattern, label(cell))), "")


def fill_table():
    if not texts.TABLE:
        for name in MODULES:
            importlib.import_module(f"operations_{name}").table()
