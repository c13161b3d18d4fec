# kgen as a subproject: it builds no tests and leaves the parent's settings alone. With an argument "build" the consumer and
# kgen are built too (long), by the compiler that a second one names, else kgen's own build stands for that part and
# KGEN_EXECUTABLE is used.
. "$(dirname -- "$0")/common.sh"
CXX=${2-$CXX}
configure -S "$here/consumer" -B build -DKGEN_SOURCE="$KGEN_SOURCE" -UCMAKE_BUILD_TYPE
ninja -C build -t targets all >targets.txt
grep -q "^kgen: phony\|bin/kgen" targets.txt || fail "the subproject does not build kgen"
if grep -v "^/" targets.txt | grep -i "catch\|kgen/tests"; then fail "the subproject has targets of tests"; fi
if (cd build && ctest -N) | grep "Test *#" | grep -v " scale\."; then fail "the subproject has tests"; fi
grep "COMPILER_LAUNCHER" build/CMakeCache.txt && fail "a compiler launcher leaks into the parent's cache"
grep -q "^CMAKE_BUILD_TYPE:STRING=.\+" build/CMakeCache.txt && fail "a build type leaks into the parent's cache"
if grep -rl "bin/kgen\|kgen-config" build --include=cmake_install.cmake; then fail "the parent's installation contains kgen"; fi
ninja -C build -n all >edges.txt
if grep -q "kgen-opt" edges.txt; then fail "the parent's default build contains what it does not use"; fi
if [ "${1-}" = build ]; then
  cmake --build build --target consumer
  expect_output "$consumer_answer" build/consumer
fi
configure -S "$here/consumer" -B with-executable -DKGEN_SOURCE="$KGEN_SOURCE" -DKGEN_EXECUTABLE="$KGEN"
if grep -q "^LLVM_DIR\|^MLIR_DIR" with-executable/CMakeCache.txt; then fail "LLVM is looked for despite KGEN_EXECUTABLE"; fi
cmake --build with-executable
expect_output "$consumer_answer" with-executable/consumer

# With KGEN_EXECUTABLE a project in C needs no C++ compiler.
mkdir c-only
cat >c-only/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
add_subdirectory("$KGEN_SOURCE" kgen)
kgen_add_library(shift SPEC "$here/consumer/shift.yaml")
END
CXX=/nowhere cmake -G Ninja -S c-only -B without-cxx -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER=/nowhere -DKGEN_EXECUTABLE="$KGEN" ||
  fail "a project in C with KGEN_EXECUTABLE asks for a C++ compiler"
cmake --build without-cxx
