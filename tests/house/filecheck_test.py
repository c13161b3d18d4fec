"""filecheck.py on made-up tests."""
from filecheck import negative_blocks

ONLY_NOT = "// CHECK-LABEL: func @f\n// CHECK-SAME: (%x: f32)\n// CHECK-NOT: call\n// CHECK-LABEL: func @g\n// CHECK: call\n"
assert negative_blocks(ONLY_NOT) == [(1, "func @f")]
assert negative_blocks(ONLY_NOT.replace("-NOT: call", "-NOT: call\n// CHECK: return")) == []
# Blocks of one prefix do not end at labels of another, and prefixes count that some line asks for.
assert negative_blocks("// RUN: FileCheck --check-prefix=OTHER\n// OTHER-LABEL: @f\n// CHECK: x\n// OTHER-NOT: y\n") == [(2, "@f")]
assert negative_blocks("// NONE-LABEL: @f\n// NONE-NOT: y\n") == []
assert negative_blocks("// CHECK-LABEL: @f\nfunc @f\n") == []
