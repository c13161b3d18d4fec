# A consumer of an installed kgen; edits of weights and specs reach the program, and nothing is done without an edit.
. "$(dirname -- "$0")/common.sh"
build_says() {
  cmake --build "bu ild" >output.txt && grep -q "$1" output.txt
}
# The build folder is a package as well, by its path and by PATH; a plain variable names another kgen.
mkdir plain
printf '#!/bin/sh\necho "$@" >>"%s/calls"\nexec "%s" "$@"\n' "$WORK" "$KGEN" >other-kgen
chmod +x other-kgen
cat >plain/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(plain LANGUAGES C)
if(OTHER)
  set(KGEN_EXECUTABLE "$WORK/other-kgen")
endif()
find_package(kgen REQUIRED)
kgen_add_library(shift SPEC "$here/consumer/shift.yaml")
END
configure -S plain -B plain-build -DCMAKE_PREFIX_PATH="$KGEN_BUILD"
PATH="$KGEN_BUILD/bin:$PATH" configure -S plain -B path-build
grep -q "kgen_DIR:PATH=$KGEN_BUILD/cmake" path-build/CMakeCache.txt || fail "PATH does not lead to the build folder"
[ ! -e calls ] || fail "another kgen runs"
configure -S plain -B other-build -DCMAKE_PREFIX_PATH="$KGEN_BUILD" -DOTHER=ON
grep -q shift.yaml calls || fail "a plain KGEN_EXECUTABLE is dropped"

cmake --install "$KGEN_BUILD" --prefix "$WORK/staging" >/dev/null
mv staging "pre fix" # an installed kgen may be moved
if grep -rl "$WORK/staging" "pre fix"; then fail "the installed files above name their prefix"; fi
cp -r "$here/consumer" "$WORK/con sumer"
configure -S "con sumer" -B "bu ild" -DCMAKE_PREFIX_PATH="$WORK/pre fix"
cmake --build "bu ild" -v
expect_output "$consumer_answer" "bu ild/consumer"
build_says "no work to do" || fail "a second build does something"
(cd "bu ild" && ctest --output-on-failure) || fail "the tests of the library"
(cd "bu ild" && ctest -N) >output.txt
grep -q "scale.x86-64-v3" output.txt || fail "no test of x86-64-v3"

cp "con sumer/w-times-10.npy" "con sumer/w.npy"
cmake --build "bu ild"
expect_output "scale 70.5 0 up 11 12 13 down -9 -8 -7" "bu ild/consumer"
sed 's/-100/-99/' "con sumer/scale.yaml" >edited && mv edited "con sumer/scale.yaml"
cmake --build "bu ild"
expect_output "scale 70.5 1 up 11 12 13 down -9 -8 -7" "bu ild/consumer"

touch "pre fix/bin/kgen"
build_says "library scale" || fail "a new kgen does not regenerate"
build_says "no work to do" || fail "a build after a new kgen is not complete"
