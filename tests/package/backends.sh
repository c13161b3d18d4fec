# kgen for AArch64 alone: no x86 in it, and neither Zydis nor libxsmm are looked for; with `build`, what it generates has the same
# bytes as from kgen with all back ends.
. "$(dirname -- "$0")/common.sh"
configure -S "$KGEN_SOURCE" -B build -DKGEN_BACKENDS=aarch64 -DKGEN_BUILD_TESTS=OFF -DKGEN_UNITY=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_zydis=ON || fail "kgen for AArch64 cannot be configured"
if grep -rq "backend/x86\|Zydis\|xsmm" build --include=build.ninja --include=Makefile --include=CMakeCache.txt --include='*.cpp'; then
  fail "kgen for AArch64 has parts for x86"
fi
expect_failure 1 configure -S "$KGEN_SOURCE" -B tests -DKGEN_BACKENDS=aarch64 -DKGEN_BUILD_TESTS=ON
grep -q "kgen's tests need all of its back ends" messages.txt || fail "a build with tests and one back end is not refused"
[ "${1-}" = build ] || exit 0

cmake --build build --target kgen >messages.txt 2>&1 || fail "kgen for AArch64 cannot be built: $(tail -5 messages.txt)"
"$KGEN" generate "$KGEN_SOURCE/tests/machine_code/products.yaml" -o all --quiet
build/bin/kgen generate "$KGEN_SOURCE/tests/machine_code/products.yaml" -o alone --quiet
diff -r all alone || fail "kgen for AArch64 generates other files"
