# A consumer of an installed kgen; edits of weights and specs reach the program, and nothing is done without an edit.
. "$(dirname -- "$0")/common.sh"
build_says() {
  cmake --build "bu ild" >output.txt && grep -q "$1" output.txt
}
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
