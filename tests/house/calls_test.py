"""calls.py on made-up sources: each call is found, but in the file that may make it."""
import tempfile
from pathlib import Path

from calls import RULES, check


def problems(text, name="transforms/A.cpp"):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.parent.mkdir(parents=True)
        file.write_text(text + "\n")
        return check(Path(folder))


for violation in ["Value e = tensor::EmptyOp::create(b, loc, shape, type);", "b.create<tensor::EmptyOp>(loc, shape, type)", "b.createOrFold<EmptyOp>(loc)"]:
    assert len(problems(violation)) == 1, violation
    assert problems(violation, RULES[0][1]) == [], violation
assert len(problems("b.getI16IntegerAttr(value)", RULES[0][1])) == 1
for violation in ["for (Operation *user : llvm::reverse(llvm::to_vector(op->getUsers())))", "llvm::reverse(filter_to_vector(all, isOld))", "reverse(group.ops())"]:
    assert len(problems(violation)) == 1, violation
for clean in ["llvm::reverse(users)", "llvm::reverse(loop.getBody()->without_terminator())", "b.getI16Type()", "emptyLike(b, loc, value)", "value.getDefiningOp<tensor::EmptyOp>()", "isa<tensor::EmptyOp>(op)"]:
    assert problems(clean) == [], clean
