# kgen_add_library(... TESTS) of libraries whose functions take sizes and state: each variant against plain loops, and what differs is noticed.
. "$(dirname -- "$0")/common.sh"
mkdir project
dims='dims: {rows: {min: 1, max: 90}, cols: {max: 40, multiple: 4}}'
nodes='    nodes:
      - {name: y, op: Mul, inputs: [x, h]}
      - {name: s, op: Softmax, inputs: [y]}
    updates: {h: y}
    outputs: [s]'
cat >project/sizes.yaml <<END
library: sizes
targets: [x86-64-v2, x86-64-v3]
$dims
graphs:
  - name: both
    inputs: {x: "f32[rows, cols]", i: "i64[cols]"}
    nodes:
      - {name: y, op: Softmax, inputs: [x]}
      - {name: j, op: Add, inputs: [i, i]}
    outputs: [y, j]
  - name: none
    inputs: {x: "f32[3, 5]"}
    nodes: [{name: y, op: Exp, inputs: [x]}]
    outputs: [y]
END
for kind in kept open; do
  shape=$([ $kind = kept ] && echo 'f32[3, cols]' || echo 'f32[rows, cols]')
  cat >project/$kind.yaml <<END
library: $kind
targets: [x86-64-v2, x86-64-v3]
$dims
state: {h: {type: "$([ $kind = kept ] && echo 'f32[3, 8]' || echo 'f32[rows, 8]')", init: 2}}
graphs:
  - name: step
    inputs: {x: "$(echo "$shape" | sed 's/cols/8/')"}
$nodes
  - name: sizes
    inputs: {x: "f32[rows, cols]"}
    nodes: [{name: y, op: Exp, inputs: [x]}]
    outputs: [y]
END
done
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(tested LANGUAGES C)
enable_testing()
add_compile_options(-Wall -Wextra -Werror)
include("$KGEN_SOURCE/cmake/KgenAddLibrary.cmake")
foreach(name sizes kept open)
  kgen_add_library(\${name} SPEC \${name}.yaml TESTS)
endforeach()
END
cmake -G Ninja -S project -B build -DCMAKE_C_COMPILER="$CC" -DKGEN_EXECUTABLE="$KGEN"
cmake --build build
(cd build && ctest --output-on-failure) >answer || { cat answer && fail "the tests of the libraries"; }
for one in sizes kept open; do
  grep -q "$one.x86-64-v2 \.* *Passed" answer || fail "$one was not compared: $(cat answer)"
done

# What was stored is what is compared: 90 rows are more than 64, and 17 and 1 are there, too.
size=$(wc -c <build/sizes.reference.bin)
# rows x cols of f32 and cols of i64: 1 x 4, 17 x 16, 64 x 40; and 15 of f32.
[ "$size" = $((4 * (4 + 17 * 16 + 64 * 40) + 8 * (4 + 16 + 40) + 4 * 15)) ] || fail "stored $size bytes"
# A status and 3 x 8 of f32, and as much of a second call; the least of `open` is one row of 8.
for wrong in kept:3 kept:7 open:7 open:43; do
  one=${wrong%:*}
  cp build/$one.reference.bin right.bin
  printf '\001' | dd of=build/$one.reference.bin bs=1 seek="${wrong#*:}" conv=notrunc 2>dd.log
  (cd build && ctest -R "^$one\.x86-64-v2\$" -FS $one.reference) >answer && fail "a wrong result was not noticed: $wrong, $(cat answer)"
  mv right.bin build/$one.reference.bin
done
exit 0
