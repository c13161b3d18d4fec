# Libraries for Windows, from MinGW's compiler under a toolchain file: a generated folder as a static library and as a DLL, and
# kgen_add_library; run under wine. The same program prints the same on Linux.
. "$(dirname -- "$0")/common.sh"
PATH=$PATH:/usr/lib/wine
export WINEPREFIX="$WORK/wine" WINEDEBUG=-all
for tool in x86_64-w64-mingw32-gcc wine64; do
  command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
"$KGEN" generate "$here/systems.yaml" -o net --quiet
cat >toolchain.cmake <<END
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR $(command -v wine64))
END
mkdir project
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C)
include("$KGEN_SOURCE/cmake/KgenExecutors.cmake")
add_subdirectory("$WORK/net" net)
add_executable(app "$here/system_program.c")
target_compile_options(app PRIVATE -Wall -Wextra -Werror)
target_link_libraries(app PRIVATE net::net)
if(WIN32)
  kgen_add_executor(windows)
  target_compile_definitions(app PRIVATE __USE_MINGW_ANSI_STDIO=1)
  target_link_libraries(app PRIVATE kgen::executor_windows)
endif()
END
cmake -G Ninja -S project -B native -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$CC"
cmake --build native
native/app >wanted.txt
grep -q "^tasks, walked$" wanted.txt || fail "the program on Linux: $(cat wanted.txt)"
cmake -G Ninja -S project -B static -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake"
cmake --build static
wine64 static/app.exe 2>messages.txt | tr -d '\r' >got.txt
cmp got.txt wanted.txt || fail "the program on Windows: $(cat got.txt messages.txt)"

# A DLL exports what the header declares, as the shared library of Linux does, but for what the program defines.
for kind in native static; do
  shift $#
  [ $kind = native ] && set -- -DCMAKE_C_COMPILER="$CC" || set -- -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake"
  sed '/name: outside/,$d' "$here/systems.yaml" >closed.yaml
  "$KGEN" generate closed.yaml -o closed --quiet
  cmake -G Ninja -S closed -B $kind-shared -DBUILD_SHARED_LIBS=ON "$@"
  cmake --build $kind-shared
done
nm -D --defined-only native-shared/libnet.so | awk '{print $3}' | sort >exported.txt
[ -s exported.txt ] || fail "the shared library exports nothing"
x86_64-w64-mingw32-objdump -p static-shared/libnet.dll | awk '/Name Pointer. Table/ {on = 1; next} on && NF == 0 {exit} on {print $NF}' |
  sort | cmp - exported.txt || fail "the DLL exports something else"

# kgen_add_library finds out the system from the compiler.
mkdir added
cp "$here/consumer/w.npy" "$here/consumer/main.c" added
sed '/^targets: /d' "$here/consumer/scale.yaml" >added/scale.yaml
sed 's/^targets: .*/targets: [x86-64-v2, aarch64]/' "$here/consumer/shift.yaml" >added/shift.yaml
cat >added/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(consumer LANGUAGES C)
enable_testing()
include("$KGEN_SOURCE/cmake/KgenAddLibrary.cmake")
kgen_add_library(scale SPEC scale.yaml TESTS)
kgen_add_library(shift SPEC shift.yaml TESTS)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE scale::scale shift::shift)
END
cmake -G Ninja -S added -B added-build -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake" -DKGEN_EXECUTABLE="$KGEN"
cmake --build added-build
[ "$(wine64 added-build/consumer.exe 2>messages.txt | tr -d '\r')" = "$consumer_answer" ] || fail "the consumer: $(cat messages.txt)"
(cd added-build && ctest --output-on-failure) || fail "the tests of the libraries under wine"
sed -i 's/^targets: .*/targets: [x86-64-v2]\nsystems: [linux]/' added/shift.yaml
expect_failure 1 cmake -G Ninja -S added -B refused -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake" -DKGEN_EXECUTABLE="$KGEN"
tr -s ' \n' ' ' <messages.txt | grep -q "the library is not for windows" || fail "another message: $(cat messages.txt)"
