# Libraries for RISC-V: built by hand, from the generated folder and by kgen_add_library under a toolchain file; run by an emulator,
# also on CPUs whose registers are shorter than code wants. State, sizes known at run time, threads, text for another assembler.
. "$(dirname -- "$0")/common.sh"
for tool in riscv64-linux-gnu-gcc qemu-riscv64; do
  command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
root=/usr/riscv64-linux-gnu
with_length() { echo "qemu-riscv64 -L $root -cpu rv64,v=true,vext_spec=v1.0,vlen=$1"; }
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
END
"$KGEN" generate specs.yaml --architecture riscv64 -o net --quiet

cat >program.c <<END
#include "net.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static float x[4096 * 64], y[4096 * 64];
static _Alignas(64) unsigned char workspace[NET_SCALE_WORKSPACE_SIZE + NET_ADD_WORKSPACE_SIZE + 1];
static _Alignas(NET_STATE_ALIGNMENT) unsigned char state[NET_STATE_SIZE];
static uint32_t launches;
typedef struct { void (*task)(void *, uint32_t); void *argument; uint32_t first, tasks; } share;
static void *every_second(void *data) {
  share *s = data;
  for (uint32_t i = s->first; i < s->tasks; i += 2)
    s->task(s->argument, i);
  return NULL;
}
static void on_two_threads(void *user, uint32_t tasks, void (*task)(void *, uint32_t), void *argument) {
  share mine = {task, argument, 0, tasks}, theirs = {task, argument, 1, tasks};
  pthread_t other;
  pthread_attr_t attributes;
  ++*(uint32_t *)user;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, NET_STACK_SIZE + 65536);
  pthread_create(&other, &attributes, every_second, &theirs);
  every_second(&mine);
  pthread_join(other, NULL);
}
static int check(size_t rows) {
  for (size_t i = 0; i < rows * 64; ++i)
    if (y[i] != 0.5f * (float)(63 * 32 + 64 * (i / 64)))
      return 1;
  return 0;
}
int main(int argc, char **argv) {
  static const size_t sizes[] = {1, 3, 17, 4096};
  net_context context;
  for (int threads = 0; threads < 2; ++threads) {
    net_executor executor = {on_two_threads, &launches, 2};
    net_options options = {sizeof options, argc > 1 ? argv[1] : NULL, threads ? &executor : NULL};
    int status = (int)net_init(&context, &options);
    if (status) {
      puts(net_status_string((net_status)status));
      return 3;
    }
    if (net_state_init(&context, state, sizeof state))
      return 4;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      for (size_t i = 0; i < sizes[s] * 64; ++i)
        x[i] = (float)(i % 64 + i / 64);
      if (net_scale(&context, sizes[s], x, y, workspace, sizeof workspace) || check(sizes[s]))
        return 5;
    }
    for (int i = 0; i < 8; ++i)
      x[i] = i == 7 ? NAN : (float)i;
    for (int times = 0; times < 2; ++times)
      if (net_add(&context, x, state, sizeof state, y, workspace, sizeof workspace))
        return 6;
    for (int i = 0; i < 7; ++i)
      if (y[i] != (float)(2 * i))
        return 7;
    if (!isnan(y[7]))
      return 8;
  }
  if (launches == 0)
    return 9;
  printf("%s\n", net_variant(&context));
  return 0;
}
END
warnings="-std=c11 -O2 -Wall -Wextra -Wpedantic -Werror"
# shellcheck disable=SC2086
riscv64-linux-gnu-gcc $warnings -pthread -I net program.c net/net.c net/objects/*.o -o by_hand 2>messages.txt || fail "$(cat messages.txt)"

# A CPU gets what fits into its registers, and nothing that would not: results would be wrong, without a signal.
runs_everywhere() {
  expect_output rv64gc qemu-riscv64 -L $root -cpu rv64 "$1"
  expect_output rv64gcv $(with_length 128) "$1"
  for length in 256 512 1024; do
    expect_output rv64gcv-zvl256b $(with_length $length) "$1"
  done
}
runs_everywhere ./by_hand
expect_output rv64gc $(with_length 256) ./by_hand rv64gc
expect_failure 3 $(with_length 128) ./by_hand rv64gcv-zvl256b
expect_failure 3 qemu-riscv64 -L $root -cpu rv64 ./by_hand rv64gcv
"$KGEN" generate specs.yaml --target rv64gcv-zvl256b -o long --quiet
# shellcheck disable=SC2086
riscv64-linux-gnu-gcc $warnings -pthread -I long program.c long/net.c long/objects/*.o -o only_long
expect_output rv64gcv-zvl256b $(with_length 256) ./only_long
expect_failure 3 $(with_length 128) ./only_long

# Text that GNU as takes, which does not know all that LLVM says of an instruction set.
"$KGEN" generate specs.yaml --architecture riscv64 --emit asm -o text --quiet
# shellcheck disable=SC2086
riscv64-linux-gnu-gcc $warnings -pthread -I text program.c text/net.c text/objects/*.s -o from_text
runs_everywhere ./from_text

# By CMake with a toolchain file, and one folder for two architectures.
cat >toolchain.cmake <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER riscv64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR "$(with_length 256 | tr ' ' ';')")
END
mkdir folder added
sed '/^targets: /d' "$here/consumer/shift.yaml" >added/shift.yaml
cat >folder/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(folder LANGUAGES C)
find_package(Threads REQUIRED)
add_subdirectory(../net net)
add_executable(program ../program.c)
target_link_libraries(program PRIVATE net::net Threads::Threads)
END
cat >added/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(added LANGUAGES C)
enable_testing()
find_package(Threads REQUIRED)
include("$KGEN_SOURCE/cmake/KgenAddLibrary.cmake")
kgen_add_library(net SPEC ../specs.yaml)
kgen_add_library(shift SPEC shift.yaml TESTS)
add_executable(program ../program.c)
target_link_libraries(program PRIVATE net::net Threads::Threads)
END
for project in folder added; do
  cmake -G Ninja -S $project -B $project-build -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake" -DKGEN_EXECUTABLE="$KGEN"
  cmake --build $project-build
  runs_everywhere $project-build/program
done
(cd added-build && ctest --output-on-failure) || fail "the tests of the library under the emulator"
sed 's/^library: net/&\ntargets: [x86-64-v2, rv64gc, rv64gcv, rv64gcv-zvl256b]/' specs.yaml >both.yaml
"$KGEN" generate both.yaml -o net --quiet
cmake -G Ninja -S folder -B both-build -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake"
cmake --build both-build
runs_everywhere both-build/program
cmake -G Ninja -S folder -B here-build -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$CC"
cmake --build here-build
expect_output x86-64-v2 here-build/program

# kgen runs code by the emulator, too.
"$KGEN" bench specs.yaml --target rv64gcv --size rows=7 --check --run-with "$(with_length 128)" --cc riscv64-linux-gnu-gcc >messages.txt
grep -q "all results agree" messages.txt || fail "$(cat messages.txt)"
