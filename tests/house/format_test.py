"""format.py on two made-up files: the one with two spaces is reported."""
import shutil
import sys
import tempfile
from pathlib import Path

from format import SKIPPED, differing

program = shutil.which("clang-format-14") or shutil.which("clang-format")
if not program:
    sys.exit(SKIPPED)
root = Path(tempfile.mkdtemp())
(root / "good.cpp").write_text("int x;\n")
(root / "bad.cpp").write_text("int  x;\n")
assert differing(program, [str(root / "good.cpp"), str(root / "bad.cpp")]) == [str(root / "bad.cpp")]
shutil.rmtree(root)
