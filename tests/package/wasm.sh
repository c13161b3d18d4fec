# Libraries for WebAssembly: built by hand without a C library, by CMake with a toolchain file from the generated folder and by
# kgen_add_library; run by Node. State, sizes known at run time, an executor, an extern function.
. "$(dirname -- "$0")/common.sh"
for tool in clang-22 wasm-ld node; do
  command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
linker=$(command -v wasm-ld)
cat >specs.yaml <<END
library: net
dims: {rows: {min: 1, max: 4096}}
state: {sum: "f32[8]"}
graphs:
  - name: scale
    inputs: {x: "f32[rows, 64]"}
    weights: {w: {type: "f32[64, 64]", value: 0.5}}
    nodes:
      - {name: y, op: MatMul, inputs: [x, w]}
    outputs: [y]
  - name: add
    inputs: {x: "f32[8]"}
    nodes:
      - {name: y, op: Add, inputs: [x, sum]}
    updates: {sum: y}
    outputs: [y]
  - name: outside
    inputs: {x: "f32[8]"}
    nodes:
      - {name: halve, op: extern, symbol: my_halve, inputs: [x], outputs: {y: "f32[8]"}}
    outputs: [y]
END
"$KGEN" generate specs.yaml --architecture wasm32 -o net --quiet

# Nothing but the compiler's own headers, and none of the warnings.
cat >by_hand.c <<END
#include "net.h"
#define EXPORT(name) __attribute__((export_name(#name)))
static float x[4096 * 64], y[4096 * 64], eight[8];
static unsigned char workspace[NET_SCALE_WORKSPACE_SIZE + NET_ADD_WORKSPACE_SIZE + NET_OUTSIDE_WORKSPACE_SIZE + 1];
static _Alignas(NET_STATE_ALIGNMENT) unsigned char state[NET_STATE_SIZE];
static net_context context;
static uint32_t launches;
static void backwards(void *user, uint32_t tasks, void (*task)(void *, uint32_t), void *argument) {
  ++*(uint32_t *)user;
  while (tasks > 0)
    task(argument, --tasks);
}
int my_halve(const float *in, float *out, void *memory, size_t size) {
  (void)memory, (void)size;
  for (int i = 0; i < 8; ++i)
    out[i] = in[i] / 2;
  return in[0] < 0 ? 7 : 0;
}
EXPORT(memory_of_x) float *memory_of_x(void) { return x; }
EXPORT(memory_of_y) float *memory_of_y(void) { return y; }
EXPORT(memory_of_eight) float *memory_of_eight(void) { return eight; }
EXPORT(count) uint32_t count(void) { return launches; }
EXPORT(init) int init(int with_tasks) {
  net_executor executor = {backwards, &launches, 2};
  net_options options = {sizeof options, NULL, with_tasks ? &executor : NULL};
  int status = net_init(&context, &options);
  return status ? status : (int)net_state_init(&context, state, sizeof state);
}
EXPORT(init_unknown) int init_unknown(void) {
  net_options options = {sizeof options, "x86-64-v3", NULL};
  return (int)net_init(&context, &options);
}
EXPORT(needed) size_t needed(size_t rows) { return net_scale_workspace_size(&context, rows); }
EXPORT(scale) int scale(size_t rows) { return (int)net_scale(&context, rows, x, y, workspace, sizeof workspace); }
EXPORT(add) int add(void) { return (int)net_add(&context, eight, state, sizeof state, y, workspace, sizeof workspace); }
EXPORT(outside) int outside(void) { return (int)net_outside(&context, eight, y, workspace, sizeof workspace); }
END
cat >by_hand.mjs <<'END'
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
const { exports: net } = (await WebAssembly.instantiate(readFileSync('by_hand.wasm'))).instance;
const floats = (address, count) => new Float32Array(net.memory.buffer, address, count);
assert.equal(net.init_unknown(), 5, 'NET_UNKNOWN_VARIANT');
for (const tasks of [0, 1]) {
  assert.equal(net.init(tasks), 0);
  for (const rows of [1, 3, 17, 4096]) {
    floats(net.memory_of_x(), rows * 64).forEach((_, i, x) => { x[i] = i % 64 + Math.floor(i / 64); });
    assert.equal(net.scale(rows), 0, `${rows} rows, workspace ${net.needed(rows)}`);
    floats(net.memory_of_y(), rows * 64).forEach((y, i) => assert.equal(y, 0.5 * (63 * 32 + 64 * Math.floor(i / 64))));
  }
  assert.notEqual(net.scale(0), 0);
  floats(net.memory_of_eight(), 8).set([1, 2, 3, 4, 5, 6, 7, NaN]);
  assert.equal(net.add(), 0);
  assert.equal(net.add(), 0);
  assert.deepEqual([...floats(net.memory_of_y(), 8)], [2, 4, 6, 8, 10, 12, 14, NaN]);
  assert.equal(net.outside(), 0);
  assert.equal(floats(net.memory_of_y(), 8)[1], 1);
}
assert.ok(net.count() > 0, 'tasks were launched');
floats(net.memory_of_eight(), 8)[0] = -1;
assert.notEqual(net.outside(), 0, 'a function from outside fails');
console.log('right');
END
clang-22 --target=wasm32 -ffreestanding -nostdlib -fuse-ld="$linker" -std=c11 -O2 -mbulk-memory -Wall -Wextra -Wpedantic -Werror \
  -I net by_hand.c net/net.c net/objects/*.o -Wl,--no-entry -Wl,-z,stack-size=131072 -o by_hand.wasm
expect_output right node by_hand.mjs
# The C file by another compiler is refused by the compiler.
expect_failure 1 "$CC" -I net -c net/net.c -o none.o
grep -q "for WebAssembly with addresses of 32 bits" messages.txt || fail "another message: $(cat messages.txt)"

# By CMake, with the stack that the library says.
cat >toolchain.cmake <<END
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_C_COMPILER_TARGET wasm32)
set(CMAKE_C_FLAGS_INIT "-ffreestanding -nostdlib")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostdlib -fuse-ld=$linker -Wl,--no-entry")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
END
mkdir folder added
cat >folder/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(folder LANGUAGES C)
add_subdirectory(../net net)
add_executable(by_hand ../by_hand.c)
target_link_libraries(by_hand PRIVATE net::net)
set_target_properties(by_hand PROPERTIES SUFFIX .wasm)
END
cat >added/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(added LANGUAGES C)
include("$KGEN_SOURCE/cmake/KgenAddLibrary.cmake")
kgen_add_library(net SPEC ../specs.yaml)
add_executable(by_hand ../by_hand.c)
target_link_libraries(by_hand PRIVATE net::net)
set_target_properties(by_hand PROPERTIES SUFFIX .wasm)
END
for project in folder added; do
  cmake -G Ninja -S $project -B $project-build -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake" -DKGEN_EXECUTABLE="$KGEN"
  cmake --build $project-build
  cp $project-build/by_hand.wasm by_hand.wasm
  expect_output right node by_hand.mjs
  grep -rq -- "stack-size=1048576" $project-build || fail "$project: no stack is stated"
done

# One source tree for both architectures.
sed 's/^library: net/&\ntargets: [x86-64-v2, wasm32-simd128]/' specs.yaml >both.yaml
"$KGEN" generate both.yaml -o net --quiet
cmake -G Ninja -S folder -B both-build -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake"
cmake --build both-build
cp both-build/by_hand.wasm by_hand.wasm
expect_output right node by_hand.mjs

# With a C library for WASI, in Node's own WASI: the folder, kgen_add_library and its tests.
[ -e /usr/include/wasm32-wasi/stdio.h ] || { echo "no wasi-libc, which is installed with --full" && exit 0; }
cat >program.c <<END
#include "net.h"
#include <stdio.h>
#include <stdlib.h>
int my_halve(const float *in, float *out, void *memory, size_t size) {
  (void)memory, (void)size;
  for (int i = 0; i < 8; ++i)
    out[i] = in[i] / 2;
  return 0;
}
int main(int argc, char **argv) {
  net_context context;
  size_t rows = argc > 1 ? (size_t)atoi(argv[1]) : 1;
  float *x = malloc(rows * 64 * sizeof *x), *y = malloc(rows * 64 * sizeof *y);
  void *workspace;
  if (net_init(&context, NULL))
    return 3;
  workspace = aligned_alloc(64, (net_scale_workspace_size(&context, rows) + 64) / 64 * 64);
  for (size_t i = 0; i < rows * 64; ++i)
    x[i] = (float)(i % 64);
  if (net_scale(&context, rows, x, y, workspace, net_scale_workspace_size(&context, rows)))
    return 4;
  printf("%g %g\\n", (double)y[0], (double)y[rows * 64 - 1]);
  return 0;
}
END
cat >wasi.cmake <<END
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_SYSROOT /usr)
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
set(CMAKE_CROSSCOMPILING_EMULATOR "node;--no-warnings;$KGEN_SOURCE/tests/verify/wasi.mjs")
END
"$KGEN" generate specs.yaml --architecture wasm32 -o net --quiet
sed '/^targets: /d' "$here/consumer/shift.yaml" >added/shift.yaml
sed -i 's|by_hand|program|g; /SUFFIX/d' folder/CMakeLists.txt added/CMakeLists.txt
sed -i 's|^kgen_add_library.*|enable_testing()\n&\nkgen_add_library(shift SPEC shift.yaml TESTS)|' added/CMakeLists.txt
for project in folder added; do
  cmake -G Ninja -S $project -B $project-wasi -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$WORK/wasi.cmake" -DKGEN_EXECUTABLE="$KGEN"
  cmake --build $project-wasi
  expect_output "1008 1008" node --no-warnings "$KGEN_SOURCE/tests/verify/wasi.mjs" $project-wasi/program* 17
done
(cd added-wasi && ctest --output-on-failure) || fail "the tests of the library in Node's WASI"
