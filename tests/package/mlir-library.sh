# kgen_add_library() of an MLIR file: its functions are called from C, an edit reaches the program, and nothing is done without one.
. "$(dirname -- "$0")/common.sh"
build_says() { cmake --build build >output.txt && grep -q "$1" output.txt; }
cat >"math.mlir" <<'END'
func.func @twice(%x: tensor<4xf32> {kgen.name = "x"}) -> (tensor<4xf32> {kgen.name = "y"}) {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @rows(%x: tensor<?x2xf32> {kgen.name = "x"}) -> (tensor<?x2xf32> {kgen.name = "y"}) {
  %y = arith.mulf %x, %x : tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
func.func @other(%x: memref<4xf32>) {
  return
}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C)
find_package(kgen REQUIRED)
kgen_add_library(sums MLIR math.mlir FUNCTIONS twice rows DIMS x:0=1..8 TARGETS x86-64-v2)
add_executable(app app.c)
target_link_libraries(app PRIVATE sums::sums)
END
cat >app.c <<'END'
#include "sums.h"

#include <stdio.h>

int main(void) {
  static const float x[4] = {1, 2, 3, 4};
  static unsigned char workspace[SUMS_TWICE_WORKSPACE_SIZE + 4096];
  float y[4], z[4];
  sums_context context;
  if (sums_init(&context, NULL) != SUMS_OK || sums_twice(&context, x, y, workspace, sizeof workspace) != SUMS_OK ||
      sums_rows(&context, 2, x, z, workspace, sizeof workspace) != SUMS_OK)
    return 1;
  printf("%g %g %g %g, %g %g %g %g\n", y[0], y[1], y[2], y[3], z[0], z[1], z[2], z[3]);
  return 0;
}
END
configure -S . -B build -DCMAKE_PREFIX_PATH="$KGEN_BUILD"
cmake --build build
expect_output "2 4 6 8, 1 4 9 16" build/app
build_says "no work to do" || fail "a second build does something"
sed -i 's/addf %x/mulf %x/' math.mlir
cmake --build build
expect_output "1 4 9 16, 1 4 9 16" build/app
sed -i 's/FUNCTIONS twice/FUNCTIONS twic/' CMakeLists.txt
expect_failure 1 cmake --build build
tr -s ' \n' '  ' <messages.txt | grep -q "math.mlir has errors: .*twic" || { cat messages.txt >&2 && fail "no function 'twic' in the message above"; }
