"""empty_tensors.py on made-up sources: each way to make a tensor is found, but in the file that may."""
import tempfile
from pathlib import Path

from empty_tensors import ALLOWED, check


def problems(text, name="transforms/A.cpp"):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.parent.mkdir(parents=True)
        file.write_text(text + "\n")
        return check(Path(folder))


for violation in ["Value e = tensor::EmptyOp::create(b, loc, shape, type);", "b.create<tensor::EmptyOp>(loc, shape, type)", "b.createOrFold<EmptyOp>(loc)"]:
    assert len(problems(violation)) == 1, violation
    assert problems(violation, ALLOWED) == [], violation
for clean in ["emptyLike(b, loc, value)", "value.getDefiningOp<tensor::EmptyOp>()", "isa<tensor::EmptyOp>(op)"]:
    assert problems(clean) == [], clean
