"""Calls of upstream's that are not made: calls.py GENERATOR-FOLDER

`tensor::EmptyOp::create` takes the numbers of a shape without a word where some are known at run time only; the tensor then lacks sizes. So code
calls emptyTensor and emptyLike of dialect/kgen/EmptyTensor.h instead.

`Builder::getI16IntegerAttr` makes a negative number whose higher bits LLVM takes for a part of it: it printed -32768, and was larger than 0 for LLVM's
passes. `getIntegerAttr(b.getI16Type(), number)` is right.

`llvm::reverse` of a temporary vector is a range of memory that is freed before a loop reads it: such a vector has a name.
"""
import re
import sys
from pathlib import Path

# What is called, the file that may, and what to call instead.
RULES = [
    (re.compile(r"\bEmptyOp\s*::\s*create\b|\bcreate(?:OrFold)?<(?:tensor::)?EmptyOp>"), "dialect/kgen/EmptyTensor.cpp",
     "emptyTensor or emptyLike (dialect/kgen/EmptyTensor.h)"),
    (re.compile(r"\bgetI16IntegerAttr\b"), None, "getIntegerAttr(b.getI16Type(), number)"),
    (re.compile(r"\breverse\((?:llvm::)?(?:\w+_)?to_vector\b|\breverse\((?:\w+(?:\.|->))*ops\(\)"), None, "llvm::reverse with a vector that has a name"),
]


def check(generator):
    return [f"{path.relative_to(generator)}:{number}: call {instead}"
            for path in sorted(generator.rglob("*")) if path.suffix in (".h", ".cpp")
            for number, line in enumerate(path.read_text().splitlines(), 1)
            for call, allowed, instead in RULES if path.relative_to(generator).as_posix() != allowed and call.search(line)]


if __name__ == "__main__":
    found = check(Path(sys.argv[1]))
    print("\n".join(found) or f"none of {len(RULES)} calls is made")
    sys.exit(1 if found else 0)
