# A consumer of an installed kgen; edits of weights and specs reach the program, and nothing is done without an edit.
. "$(dirname -- "$0")/common.sh"
cmake --install "$KGEN_BUILD" --prefix "$WORK/pre fix" >/dev/null
cp -r "$here/consumer" "$WORK/con sumer"
configure -S "con sumer" -B "bu ild" -DCMAKE_PREFIX_PATH="$WORK/pre fix"
cmake --build "bu ild" -v
expect_output "$consumer_answer" "bu ild/consumer"
cmake --build "bu ild" | grep -q "no work to do" || fail "a second build does something"
(cd "bu ild" && ctest --output-on-failure) || fail "the tests of the library"
(cd "bu ild" && ctest -N) | grep -q "scale.x86-64-v3" || fail "no test of x86-64-v3"

cp "con sumer/w-times-10.npy" "con sumer/w.npy"
cmake --build "bu ild"
expect_output "scale 70.5 0 up 11 12 13 down -9 -8 -7" "bu ild/consumer"
sed 's/-100/-99/' "con sumer/scale.yaml" >edited && mv edited "con sumer/scale.yaml"
cmake --build "bu ild"
expect_output "scale 70.5 1 up 11 12 13 down -9 -8 -7" "bu ild/consumer"

touch "pre fix/bin/kgen"
cmake --build "bu ild" | grep -q "library scale" || fail "a new kgen does not regenerate"
cmake --build "bu ild" | grep -q "no work to do" || fail "a build after a new kgen is not complete"
