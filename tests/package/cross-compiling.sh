# kgen_add_library under a toolchain file: kgen runs here, and the library is for the CPU that the compiler compiles for.
. "$(dirname -- "$0")/common.sh"
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
  command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
cat >toolchain.cmake <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;/usr/aarch64-linux-gnu;-cpu;max")
END
mkdir project
cp "$here/consumer/w.npy" "$here/consumer/main.c" project
# Targets of both, none at all, and those of the command; one source tree for both compilers.
sed 's/^targets: .*/targets: [x86-64-v2, aarch64, x86-64-v3]/' "$here/consumer/scale.yaml" >project/scale.yaml
sed '/^targets: /d' "$here/consumer/shift.yaml" >project/shift.yaml
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
enable_testing()
include("$KGEN_SOURCE/cmake/KgenAddLibrary.cmake")
kgen_add_library(scale SPEC scale.yaml TESTS)
kgen_add_library(shift SPEC shift.yaml TESTS)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE scale::scale shift::shift)
END
tests_of() { (cd "$1" && ctest -N | sed -n 's/.*Test *#[0-9]*: //p' | tr '\n' ' '); }
cmake -G Ninja -S project -B native -DCMAKE_C_COMPILER="$CC" -DKGEN_EXECUTABLE="$KGEN"
cmake --build native
expect_output "$consumer_answer" native/consumer
(cd native && ctest --output-on-failure) || fail "the tests of the libraries"
wanted="scale.reference scale.x86-64-v3 scale.x86-64-v2 shift.reference shift.x86-64-v4 shift.x86-64-v3 shift.x86-64-v2 "
[ "$(tests_of native)" = "$wanted" ] || fail "tests: $(tests_of native)"

cmake -G Ninja -S project -B crossed -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake" -DKGEN_EXECUTABLE="$KGEN"
cmake --build crossed
expect_output "$consumer_answer" qemu-aarch64 -L /usr/aarch64-linux-gnu crossed/consumer
(cd crossed && ctest --output-on-failure) || fail "the tests of the libraries under the emulator"
[ "$(tests_of crossed)" = "scale.reference scale.aarch64 shift.reference shift.aarch64 " ] || fail "tests: $(tests_of crossed)"
cmake --build crossed | grep -q "no work to do" || fail "a second build does something"

# An imported kgen is one of this machine: find_package.
sed -i 's|^include.*|find_package(kgen REQUIRED)|' project/CMakeLists.txt
cmake -G Ninja -S project -B imported -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake" -DCMAKE_PREFIX_PATH="$KGEN_BUILD"
cmake --build imported
expect_output "$consumer_answer" qemu-aarch64 -L /usr/aarch64-linux-gnu imported/consumer

# A committed folder has both; its drift is that of both.
"$KGEN" generate project/scale.yaml -o project/scale --quiet
sed -i 's|SPEC scale.yaml TESTS|SPEC scale.yaml CHECKED_IN scale TESTS|' project/CMakeLists.txt
cmake -G Ninja -S project -B committed -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake" -DKGEN_EXECUTABLE="$KGEN" \
  -DCMAKE_PREFIX_PATH="$KGEN_BUILD"
cmake --build committed
expect_output "$consumer_answer" qemu-aarch64 -L /usr/aarch64-linux-gnu committed/consumer
(cd committed && ctest --output-on-failure) || fail "the tests of the committed library"

# A kgen of the same build would be one of the other machine.
mkdir same
cat >same/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(same LANGUAGES C)
add_executable(own "$here/consumer/main.c")
add_executable(kgen::kgen ALIAS own)
include("$KGEN_SOURCE/cmake/KgenAddLibrary.cmake")
kgen_add_library(shift SPEC ../project/shift.yaml)
END
expect_failure 1 cmake -G Ninja -S same -B same-build -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake"
tr -s ' \n' '  ' <messages.txt | grep -q "when cross-compiling, set KGEN_EXECUTABLE to a kgen of this machine" ||
  fail "another message: $(cat messages.txt)"

# A compiler for which no target is left.
sed -i 's|^kgen_add_library(scale .*|kgen_add_library(scale SPEC scale.yaml TARGETS x86-64-v3)|' project/CMakeLists.txt
expect_failure 1 cmake -G Ninja -S project -B refused -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake" \
  -DKGEN_EXECUTABLE="$KGEN" -DCMAKE_PREFIX_PATH="$KGEN_BUILD"
tr -s ' \n' '  ' <messages.txt | grep -q -- "--target x86-64-v3: error: the library has no target for aarch64: 'x86-64-v3' is for x86_64" ||
  fail "another message: $(cat messages.txt)"
