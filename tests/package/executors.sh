# The executors, by find_package: the example of runtime/executors/README.md as it stands, and a call through each. Wrong
# names and a missing pthreadpool are refused.
. "$(dirname -- "$0")/common.sh"
readme=$KGEN_SOURCE/runtime/executors/README.md
block() { awk -v start='^```'"$1"'$' '$0 ~ start {on = 1; next} /^```$/ {on = 0} on' "$readme"; }
mkdir project
cat >project/mlp.yaml <<'END'
library: mlp
targets: [x86-64-v2]
graphs:
  - name: forward
    inputs: {x: "f32[64, 32]", w: "f32[32, 48]"}
    nodes: [{name: y, op: MatMul, inputs: [x, w]}]
    outputs: [y]
END
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C)
find_package(kgen REQUIRED)
kgen_add_library(mlp SPEC mlp.yaml)
add_executable(app app.c)
target_compile_options(app PRIVATE -Wall -Wextra -Wno-missing-prototypes)
$(block cmake)
kgen_add_executor(openmp) # a second time: nothing happens
END
{
  block c
  cat <<'END'
#include <stdio.h>
#include <string.h>

enum { TASKS = 1000 };
static int runs[TASKS];
static void count(void *argument, uint32_t index) { ((int *)argument)[index]++; }

/* Whether each task ran once. */
static int runs_each_once(void (*run)(void *, uint32_t, void (*)(void *, uint32_t), void *), void *user) {
  memset(runs, 0, sizeof runs);
  run(user, TASKS, count, runs);
  run(user, 0, count, runs);
  for (int i = 0; i < TASKS; ++i)
    if (runs[i] != 1)
      return 0;
  return 1;
}

static float x[64 * 32], w[32 * 48], y[3][64 * 48];
static unsigned char workspace[MLP_FORWARD_WORKSPACE_SIZE + 1];

int main(void) {
  mlp_context context;
  pthreadpool_t pool = pthreadpool_create(2);
  for (int i = 0; i < 64 * 32; ++i)
    x[i] = (float)(i % 7) - 3;
  for (int i = 0; i < 32 * 48; ++i)
    w[i] = (float)(i % 5) / 3;
  for (int i = 0; i < 3; ++i) {
    mlp_status status = i == 0 ? mlp_init(&context, NULL) : i == 1 ? use_openmp(&context) : use_pool(&context, pool);
    if (status != MLP_OK || mlp_forward(&context, x, w, y[i], workspace, sizeof workspace) != MLP_OK)
      return 1;
  }
  int same = !memcmp(y[0], y[1], sizeof y[0]) && !memcmp(y[0], y[2], sizeof y[0]);
  printf("%d %d %d %d\n", same, runs_each_once(kgen_openmp_run, NULL), runs_each_once(kgen_pthreadpool_run, pool),
         runs_each_once(kgen_pthreadpool_run, NULL));
  pthreadpool_destroy(pool);
  return 0;
}
END
} >project/app.c
cmake --install "$KGEN_BUILD" --prefix "$WORK/prefix" >/dev/null
configure -S project -B build -DCMAKE_PREFIX_PATH="$WORK/prefix"
cmake --build build
expect_output "1 1 1 1" build/app
for header in kgen_openmp kgen_pthreadpool; do
  for standard in c99 c2x; do
    "$CC" -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$KGEN_SOURCE/runtime/executors/$header.h"
  done
  "$CXX" -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ "$KGEN_SOURCE/runtime/executors/$header.h"
done
expect_failure 1 "$CC" -fsyntax-only "$KGEN_SOURCE/runtime/executors/kgen_openmp.c"
grep -q "compile this file with OpenMP" messages.txt || fail "no hint at -fopenmp"

printf 'cmake_minimum_required(VERSION 3.20)\nproject(wrong LANGUAGES C)\ninclude("%s/cmake/KgenExecutors.cmake")\nkgen_add_executor(${NAME})\n' "$KGEN_SOURCE" >project/CMakeLists.txt
expect_failure 1 configure -S project -B wrong -DNAME=tbb
grep -q "expected openmp, pthreadpool or windows" messages.txt || fail "no list of executors"
expect_failure 1 configure -S project -B missing -DNAME=pthreadpool -DKGEN_PTHREADPOOL=
grep -q "libpthreadpool-dev" messages.txt || fail "no hint at the package"
