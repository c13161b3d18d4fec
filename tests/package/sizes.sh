# Functions that are given sizes: from C at every size, the same as libraries of those sizes; commands; parts in CMake; Python.
. "$(dirname -- "$0")/common.sh"
says() { tr -s ' \n' '  ' <messages.txt | grep -q -e "$1" || { cat messages.txt >&2 && fail "no '$1' in the message above"; }; }
cat >rows.yaml <<'END2'
library: rows
targets: [x86-64-v2, x86-64-v3]
dims: {batch: {max: 9}}
graphs:
  - name: forward
    inputs: {x: "f32[batch, 20]"}
    weights:
      w1: {type: "f32[20, 24]", random: {seed: 1}}
      b1: {type: "f32[24]", random: {seed: 2}}
      w2: {type: "f32[24, 8]", random: {seed: 3}}
    nodes:
      - {name: h, op: Gemm, inputs: [x, w1, b1]}
      - {name: r, op: Relu, inputs: [h]}
      - {name: y, op: MatMul, inputs: [r, w2]}
    outputs: [y]
END2
cat >use.c <<'END2'
#include "rows.h"
#include <stdio.h>
#include <string.h>

enum { MOST = 9 };
static unsigned char workspace[ROWS_FORWARD_WORKSPACE_SIZE + 64];
static float x[MOST * 20], y[MOST * 8 + 1];

static void print(size_t batch) {
  for (size_t i = 0; i < batch * 8; ++i)
    printf("%.9g\n", y[i]);
}

#ifdef BATCH /* a library of one size */
int main(void) {
  rows_context context;
  for (int i = 0; i < BATCH * 20; ++i)
    x[i] = (float)(i % 7 - 3);
  if (rows_init(&context, NULL) || rows_forward(&context, x, y, workspace, sizeof workspace))
    return 1;
  print(BATCH);
  return 0;
}
#else
int main(int argc, char **argv) {
  rows_context context;
  size_t only = argc > 1 ? (size_t)(argv[1][0] - '0') : 0;
  for (int i = 0; i < MOST * 20; ++i)
    x[i] = (float)(i % 7 - 3);
  if (rows_init(&context, NULL))
    return 1;
  for (size_t batch = 0; batch <= MOST + 1; ++batch) {
    size_t need = rows_forward_workspace_size(&context, batch);
    int isTaken = batch >= 1 && batch <= MOST;
    memset(workspace, 0x55, sizeof workspace);
    for (int i = 0; i <= MOST * 8; ++i)
      y[i] = -1;
    if (need > ROWS_FORWARD_WORKSPACE_SIZE || (need != 0 && !isTaken))
      return 2;
    rows_status status = rows_forward(&context, batch, x, y, workspace, isTaken ? need : sizeof workspace);
    if (status != (isTaken ? ROWS_OK : ROWS_BAD_SIZE))
      return 3;
    if (y[isTaken ? batch * 8 : 0] != -1 || (need && workspace[need] != 0x55))
      return 4;
    if (batch == only)
      print(batch);
  }
  return 0;
}
#endif
END2
build() { "$CC" -std=c11 -O1 -Wall -Wextra -Werror $3 -I"$1" use.c "$1"/rows.c "$1"/objects/*.o -o "$2" || fail "the consumer does not compile"; }

"$KGEN" generate rows.yaml -o any --quiet || fail "a library with sizes is not generated"
build any use-any ""
for batch in 1 7 9; do
  "$KGEN" generate rows.yaml --dim batch=$batch -o fixed --quiet
  build fixed use-fixed -DBATCH=$batch
  for variant in x86-64-v2 x86-64-v3; do
    ROWS_VARIANT=$variant ./use-fixed >fixed.txt || continue # a CPU below the variant
    ROWS_VARIANT=$variant ./use-any $batch >any.txt || fail "batch $batch in $variant: $?"
    [ -s any.txt ] && [ "$(wc -l <fixed.txt)" = "$(wc -l <any.txt)" ] || fail "batch $batch in $variant: not as many results"
    # Few rows are added up in another order (docs/Sizes.md).
    paste fixed.txt any.txt | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-5 * (1 + ($1 < 0 ? -$1 : $1))) exit 1 }' ||
      fail "batch $batch in $variant: other results than those of a library of that size"
  done
done
grep -q 'size_t batch,.*1 to 9' any/rows.h || fail "the header does not say what sizes are allowed"
grep -q '"max": 9' any/rows.manifest.json || fail "the manifest does not say what sizes are allowed"
"$KGEN" generate rows.yaml -o any --check --quiet || fail "--check of a library with sizes"

# Commands.
"$KGEN" bench rows.yaml --size batch=1,7 --time 0.01 --threads 1 --hot >table.txt || { cat table.txt >&2 && fail "kgen bench --size"; }
grep -q 'forward batch=1 ' table.txt && grep -q 'forward batch=7 ' table.txt || { cat table.txt >&2 && fail "no line for each size above"; }
for batch in 7 9; do # operations of steps are counted at the greatest size
  "$KGEN" bench rows.yaml --size batch=$batch --time 0.01 --threads 1 --hot --steps >steps.txt || fail "kgen bench --size --steps"
  sed -n '/^Steps of/,$p' steps.txt | grep -q '% *[0-9][0-9.]* *[0-9.]* %' && known=yes || known=no
  [ "$known" = "$([ $batch = 9 ] && echo yes || echo no)" ] || { cat steps.txt >&2 && fail "operations of steps at batch $batch"; }
done
expect_failure 1 "$KGEN" bench rows.yaml --size batch=10
says "batch=10: error: graph 'forward' takes sizes from 1 to 9 for 'batch'"
expect_failure 1 "$KGEN" bench rows.yaml --dim batch=3 --size batch=3
says "no function is given a size 'batch' when it is called all sizes of the library are numbers"
expect_failure 2 "$KGEN" bench rows.yaml --size batch=many
says "expected sizes for 'batch', found 'many'"
expect_failure 1 "$KGEN" tune rows.yaml --size batch=10
says "batch=10: error: graph 'forward' takes sizes from 1 to 9 for 'batch'"
"$KGEN" tune rows.yaml --size batch=1,7 --target x86-64-v2 --time 3 --output tuned --json tuned.json >/dev/null || fail "kgen tune --size"
grep -q '"forward at batch=1": ' tuned.json && grep -q '"forward at batch=7": ' tuned.json || { cat tuned.json >&2 && fail "no figure for each size above"; }
expect_failure 1 "$KGEN" verify any --against use.c
says "graph 'forward' is given sizes when it is called: they are read from a spec only"

# Parts that are compiled apart know the workspace, too.
cat >CMakeLists.txt <<'END2'
cmake_minimum_required(VERSION 3.20)
project(use C)
include("$ENV{KGEN_SOURCE}/cmake/KgenAddLibrary.cmake")
kgen_add_library(rows SPEC rows.yaml)
add_executable(use use.c)
target_link_libraries(use PRIVATE rows::rows)
END2
configure -S . -B build -DKGEN_EXECUTABLE="$KGEN" >/dev/null
cmake --build build >/dev/null || fail "the library does not build"
build/use || fail "the library of CMake: $?"

# Versions: chosen in the C function, listed in the header, the introspection and the manifest, and parts of the graph's for CMake.
sed 's/^dims:.*/&\nversions: {batch: [1, 7]}/' rows.yaml >versions.yaml
"$KGEN" generate versions.yaml -o versions --quiet || fail "a library with versions"
build versions use-versions ""
./use-versions || fail "a library with versions: $?"
"$CXX" -std=c++11 -O1 -Wall -Wextra -Werror -Iversions -x c++ use.c versions/rows.c -x none versions/objects/*.o -o use-cxx || fail "the dispatcher is not C++"
./use-cxx || fail "the dispatcher as C++: $?"
grep -q 'Sizes with code of their own: batch = 1; batch = 7' versions/rows.h || fail "the header does not list versions"
grep -q 'if (batch == 7)' versions/rows.c || fail "nobody chooses the version"
grep -q '"versions"' versions/rows.manifest.json || fail "the manifest does not list versions"
grep -q 'kgenrt_forward_versions\[\] = {1, 7}' versions/rows.c || fail "the introspection does not list versions"
cmp -s any/objects/forward.x86-64-v3.o versions/objects/forward.x86-64-v3.o || fail "the code for all sizes depends on versions"
"$KGEN" explain versions.yaml | grep -q 'forward at batch=7' || fail "kgen explain does not list versions"
"$KGEN" bench versions.yaml --size batch=1,3 --time 0.01 --threads 1 --hot >table.txt || { cat table.txt >&2 && fail "kgen bench of versions"; }
"$KGEN" generate versions.yaml -o versions --check-results --quiet || fail "--check-results of versions"
"$KGEN" generate versions.yaml --dim batch=1..6 -o fewer --quiet && [ ! -e fewer/objects/forward.batch-7.x86-64-v3.o ] || fail "a version beyond --dim"
mkdir build-versions && sed 's/rows.yaml/versions.yaml/' CMakeLists.txt >build-versions/CMakeLists.txt && cp versions.yaml use.c build-versions
configure -S build-versions -B build-versions/build -DKGEN_EXECUTABLE="$KGEN" >/dev/null
cmake --build build-versions/build >/dev/null || fail "the library with versions does not build"
build-versions/build/use || fail "the library of CMake with versions: $?"

# Python's arrays tell the sizes.
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  "$KGEN" generate rows.yaml --python -o python --quiet
  "$CC" -O1 -shared -fPIC -o python/librows.so python/rows.c python/objects/*.o
  cat >call.py <<'END2'
import numpy as np
import rows

library = rows.load()
x = (np.arange(9 * 20) % 7 - 3).astype(np.float32).reshape(9, 20)
for batch in range(1, 10):
    y = library.forward(x[:batch])
    assert y.shape == (batch, 8), y.shape
    out = np.empty((batch, 8), np.float32)
    bound = library.bind("forward", x[:batch], out=out)
    assert (bound() == y).all() and (library.forward(x[:batch], out=out) == y).all()
for bad in (np.zeros((10, 20), np.float32), np.zeros((0, 20), np.float32), np.zeros(20, np.float32), 3):
    try:
        library.forward(bad)
    except (TypeError, ValueError) as error:
        print(error)
print(rows.FUNCTIONS["forward"].inputs[0].shape)
END2
  expect_output "rows.forward: x: batch is 10, expected 1 to 9
rows.forward: x: batch is 0, expected 1 to 9
rows.forward: x: expected float32[batch, 20], found float32[20]
rows.forward: x: expected float32[batch, 20], found int
('batch', 20)" env PYTHONPATH=python /usr/bin/python3 -B call.py
fi
