"""Empty tensors are made with their sizes: empty_tensors.py GENERATOR-FOLDER

`tensor::EmptyOp::create` takes the numbers of a shape without a word where some are known at run time only; the tensor then lacks sizes. So code
calls emptyTensor and emptyLike of dialect/kgen/EmptyTensor.h instead, and nothing else in the generator makes an empty tensor.
"""
import re
import sys
from pathlib import Path

ALLOWED = "dialect/kgen/EmptyTensor.cpp"
MADE = re.compile(r"\bEmptyOp\s*::\s*create\b|\bcreate(?:OrFold)?<(?:tensor::)?EmptyOp>")


def check(generator):
    return [f"{path.relative_to(generator)}:{number}: call emptyTensor or emptyLike (dialect/kgen/EmptyTensor.h)"
            for path in sorted(generator.rglob("*")) if path.suffix in (".h", ".cpp") and path.relative_to(generator).as_posix() != ALLOWED
            for number, line in enumerate(path.read_text().splitlines(), 1) if MADE.search(line)]


if __name__ == "__main__":
    found = check(Path(sys.argv[1]))
    print("\n".join(found) or f"{ALLOWED} alone makes empty tensors")
    sys.exit(1 if found else 0)
