# kgen_add_library(... PYTHON): a module with its shared library beside the static one; an edit of the spec reaches both.
. "$(dirname -- "$0")/common.sh"
/usr/bin/python3 -c "import numpy" || exit 77
mkdir project
cat >project/small.yaml <<'END'
library: small
targets: [x86-64-v2]
graphs:
  - name: add
    inputs: {x: "f32[2]"}
    weights: {w: {type: "f32[2]", value: [1, 2]}}
    nodes: [{name: y, op: Add, inputs: [x, w]}]
    outputs: [y]
END
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C)
enable_testing()
include("$KGEN_SOURCE/cmake/KgenAddLibrary.cmake")
$(grep -o 'kgen_add_library(digits .* PYTHON)' "$KGEN_SOURCE/docs/Python.md" | sed 's/digits/small/g; s/)$/ TESTS)/')
add_executable(app app.c)
target_link_libraries(app PRIVATE small::small)
END
cat >project/app.c <<'END'
#include "small.h"

#include <stdio.h>

int main(void) {
  float x[2] = {10, 20}, y[2];
  small_context context;
  small_status status = small_init(&context, NULL);
  if (status == SMALL_OK)
    status = small_add(&context, x, y, NULL, 0);
  printf("%g %g\n", y[0], y[1]);
  return status != SMALL_OK;
}
END
ask() { PYTHONPATH=$(dirname "$(find "$WORK/build" -name small.py -path '*.python/*')") /usr/bin/python3 -B -c \
  'import numpy, small; print(*small.load().add(numpy.array([10, 20], numpy.float32)))'; }
configure -S project -B build -DKGEN_EXECUTABLE="$KGEN" >messages.txt || { cat messages.txt && fail "configuring"; }
cmake --build build >messages.txt || { cat messages.txt && fail "building"; }
expect_output "11 22" build/app
expect_output "11.0 22.0" ask
nm -D --defined-only "$(find build -name libsmall.so)" | awk '{print $3}' | grep -v '^small_' && fail "symbols that are not the header's"
sed -i 's/value: \[1, 2\]/value: [3, 4]/' project/small.yaml
cmake --build build >messages.txt || { cat messages.txt && fail "building again"; }
expect_output "13 24" build/app
expect_output "13.0 24.0" ask
cmake --build build | grep -q "no work to do" || fail "something is built without an edit"
