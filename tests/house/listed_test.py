"""listed.py on a made-up tree: what it reports, and what it leaves alone."""
import tempfile
from pathlib import Path

from listed import misnamed, unread, untested


def tree(**files):
    root = Path(tempfile.mkdtemp())
    for name, text in {"passes/CMakeLists.txt": "kgen_lit_tests()", "passes/fuse-loops.mlir": "", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


assert unread(tree()) == []
assert unread(tree(**{"passes/fuse-loops-kept.mlir": ""})) == []
assert unread(tree(**{"passes/more/fuse-loops.mlir": ""})) == ["passes/more/fuse-loops.mlir: no test reads it"]
assert unread(tree(**{"passes/fuse-loops.yaml": ""})) == ["passes/fuse-loops.yaml: no test reads it"]
assert unread(tree(**{"run/spec.yaml": "", "run/a.test": "RUN: kgen check spec.yaml", "run/CMakeLists.txt": "a.test"})) == []
assert unread(tree(**{"run/spec.yaml": "spec.yaml"})) == ["run/spec.yaml: no test reads it"]
assert unread(tree(**{"run/spec.yaml": "", "run/a.py": "open('my-spec.yaml')"})) == ["run/spec.yaml: no test reads it"]
# A folder that a test reads as a whole, and one that it has forgotten.
ERRORS = {"errors/a.yaml": "", "errors/b.yaml": ""}
assert unread(tree(**ERRORS, **{"unit/spec/ErrorFilesTest.cpp": '"/tests/errors"'})) == []
assert unread(tree(**ERRORS)) == ["errors: unit/spec/ErrorFilesTest.cpp does not read it"]

assert misnamed(tree(), {"fuse-loops"}) == []
assert misnamed(tree(**{"passes/fuse-loops-kept.mlir": ""}), {"fuse-loops"}) == []
assert misnamed(tree(**{"passes/fuse-loopsy.mlir": ""}), {"fuse-loops"}) == ["passes/fuse-loopsy.mlir: begins with the name of no pass"]
assert untested(tree(), {"fuse-loops", "tile"}) == ["kgen-tile: tests/passes has no tile.mlir"]
