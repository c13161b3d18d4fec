# Sizes with names: a library of them, called from C; others on the command line and in CMake; what is wrong with those.
. "$(dirname -- "$0")/common.sh"
says() { tr -s ' \n' '  ' <messages.txt | grep -q -e "$1" || { cat messages.txt >&2 && fail "no '$1' in the message above"; }; }
cat >pairs.yaml <<'END'
library: pairs
targets: [x86-64-v2, x86-64-v3]
dims: {batch: 2, length: {max: 64, multiple: 2}}
modules:
  twice:
    inputs: [x]
    weights:
      two: {type: "f32[width]", value: 2}
    nodes:
      - {name: y, op: Mul, inputs: [x, two]}
    outputs: [y]
graphs:
  - name: sums
    dims: {width: 3}
    inputs: {x: "f32[batch, length, width]"}
    weights:
      shape: {type: "i64[3]", value: [batch, length/2, 2*width]}
    nodes:
      - {name: d, module: twice, inputs: [x], outputs: [e]}
      - {name: y, op: Reshape, inputs: [e, shape]}
    outputs: [y]
END
cat >use.c <<'END'
#include "pairs.h"
#include <stdio.h>

int main(void) {
  static unsigned char workspace[PAIRS_SUMS_WORKSPACE_SIZE + 1];
  pairs_context context;
  static float x[BATCH * 4 * 3], y[BATCH * 2 * 6];
  for (int i = 0; i < BATCH * 12; ++i)
    x[i] = (float)i;
  if (pairs_init(&context, NULL) || pairs_sums(&context, x, y, workspace, sizeof workspace))
    return 1;
  const pairs_tensor *out = pairs_function_info(0)->outputs;
  printf("%zu %zu %zu %g\n", out->shape[0], out->shape[1], out->shape[2], y[BATCH * 12 - 1]);
  return 0;
}
END
run() { "$CC" -std=c11 -Wall -Werror -DBATCH=$2 -I"$1" use.c "$1"/pairs.c "$1"/objects/*.o -o use || fail "the consumer does not compile"; ./use; }

# Half of an even size, twice as wide, has as many elements whatever the size is; --dim goes before a number, too.
"$KGEN" generate pairs.yaml -o out --quiet
grep -q 'f32\[batch=2, length, width=3\]' out/pairs.h || { grep 'f32\[' out/pairs.h >&2; fail "the header does not name the size"; }
"$KGEN" generate pairs.yaml --dim length=4 -o two --quiet
expect_output "2 2 6 46" run two 2
"$KGEN" generate pairs.yaml --dim length=4 --dim batch=5 -o five --quiet
expect_output "5 2 6 118" run five 5
grep -q 'f32\[batch=5, length=4, width=3\]' five/pairs.h || fail "the header does not name the dimensions"
"$KGEN" generate pairs.yaml --dim length=4 -o two --check --quiet || fail "--check with the same sizes"
expect_failure 4 "$KGEN" generate pairs.yaml --dim length=6 -o two --check
"$KGEN" check pairs.yaml --dim length=8 --dim width=7 --print-graph >graph.txt
grep -q 'input x: f32\[batch=2, length=8, width=7\]' graph.txt || { cat graph.txt >&2 && fail "no names in the graph above"; }
grep -q 'y: f32\[2, 4, 14\]' graph.txt || { cat graph.txt >&2 && fail "wrong sizes in the graph above"; }
"$KGEN" explain pairs.yaml --dim length=4 >/dev/null || fail "kgen explain --dim"
"$KGEN" bench pairs.yaml --dim length=4 --time 0.01 --threads 1 --hot >/dev/null || fail "kgen bench --dim"

# Sizes that cannot be.
expect_failure 1 "$KGEN" check pairs.yaml --dim length=7
says "pairs.yaml:3:26: error: dimension 'length' is 2 to 64, a multiple of 2, and --dim says 7"
expect_failure 1 "$KGEN" check pairs.yaml --dim length=4 --dim batch=0
says "pairs.yaml:3:15: error: dimension 'batch' is 1 to 1099511627776, and --dim says 0"
expect_failure 1 "$KGEN" check pairs.yaml --dim length=4 --dim bach=8
says "pairs.yaml: error: the spec has no dimension 'bach' (did you mean 'batch'?) there are batch, length, width"
if has machines; then
  expect_failure 1 "$KGEN" tune pairs.yaml --machine array-2x2 --dim length=4 --dim bach=8
  says "pairs.yaml: error: the spec has no dimension 'bach'"
fi
expect_failure 1 "$KGEN" check pairs.yaml --dim length=many
says "'many' has no size"
for bad in 4.. ..9/0 1..2/x ..; do
  expect_failure 2 "$KGEN" check pairs.yaml --dim length=$bad
  says "expected a size for 'length', found '$bad'"
done
expect_failure 2 "$KGEN" check pairs.yaml --dim length=..64/48
says "expected a multiple of 48 for 'max' of 'length', found '..64/48'"
expect_failure 2 "$KGEN" check pairs.yaml --dim length=8..64/16
says "expected a multiple of 16 for 'min' of 'length', found '8..64/16'"
expect_failure 2 "$KGEN" check pairs.yaml --dim length=9..8
says "expected at most 'max', 8, for 'min' of 'length', found '9..8'"
expect_failure 1 "$KGEN" check pairs.yaml --dim length=2..128/2
says "dimension 'length' is 2 to 64, a multiple of 2, and --dim says 2 to 128, a multiple of 2"
"$KGEN" check pairs.yaml --dim length=4 --dim batch=1..8 --print-graph | grep -q "dimension batch: 1 to 8" || fail "bounds do not go before a number"

# In CMake.
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(use C)
include("$ENV{KGEN_SOURCE}/cmake/KgenAddLibrary.cmake")
kgen_add_library(pairs SPEC pairs.yaml DIMS length=4 batch=3 TARGETS x86-64-v2)
add_executable(use use.c)
target_compile_definitions(use PRIVATE BATCH=3)
target_link_libraries(use PRIVATE pairs::pairs)
END
configure -S . -B build -DKGEN_EXECUTABLE="$KGEN" >/dev/null
cmake --build build >/dev/null || fail "the library does not build"
expect_output "3 2 6 70" build/use
