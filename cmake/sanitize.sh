#!/bin/sh
# Builds kgen with sanitizers, in a folder of its own, and runs it.
#
#   sh cmake/sanitize.sh [KINDS]           the short tests, one after another
#   sh cmake/sanitize.sh --quick [KINDS]   kgen alone: a few libraries, broken models, hostile files; KGEN_SANITIZE_COUNT of each, default 100
#
# KINDS: address,undefined (default) or thread. LLVM's and MLIR's libraries are as they are installed, without sanitizers. Exit code 99 of kgen is a
# sanitizer's report. cmake/sanitizers has what is not reported, with reasons.
set -eu
quick=false
[ "${1-}" != --quick ] || { quick=true && shift; }
kinds=${1:-address,undefined}
KGEN_BUILD_DIR=${KGEN_BUILD_DIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/build/sanitize-$(echo "$kinds" | tr , -)}
. "$(dirname -- "$0")/setup.sh"
case $kinds in
address,undefined | address | undefined | thread) ;;
*) say "usage: sh cmake/sanitize.sh [--quick] [address,undefined|thread]" >&2 && exit 2 ;;
esac

# Allocators of LLVM poison their memory in code that kgen compiles, and open it in code of libraries that have no sanitizer: user poisoning is off.
# Programs of the build are not what is tested: leaks count from there on.
export ASAN_OPTIONS=exitcode=99:detect_leaks=0:allow_user_poisoning=0:detect_stack_use_after_return=1
export UBSAN_OPTIONS=exitcode=99:halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=exitcode=99:ignore_noninstrumented_modules=1:suppressions=$kgen_source/cmake/sanitizers/threads.txt
export LSAN_OPTIONS=exitcode=99:print_suppressions=0:suppressions=$kgen_source/cmake/sanitizers/leaks.txt
export KGEN_SANITIZED=1 KGEN_NO_SYNC=1

# shellcheck disable=SC2086
kgen_install $kgen_build_packages $kgen_test_packages
# Of one compiler: GCC's objects would want GCC's sanitizers.
export CC="${CC-$(command -v clang-22 || echo cc)}"
tests=ON
if $quick; then tests=OFF; fi
kgen_configure -DKGEN_SANITIZE="$kinds" -DKGEN_UNITY=ON -DKGEN_BUILD_TESTS=$tests
say "Building"
if ! $quick; then
  cmake --build "$kgen_build" --parallel "$kgen_jobs"
  cd "$kgen_build"
  # Not run: limits of memory, which sanitizers' shadow memory exceeds, CPUs by qemu, which has no room for it, and what looks at kgen's own binary.
  exec ctest -LE long --output-on-failure -E '^(package\.(hardening|faults|deb|full-disk)|demo\.qemu-.*)$'
fi
cmake --build "$kgen_build" --parallel "$kgen_jobs" --target kgen
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
kgen=$kgen_build/bin/kgen count=${KGEN_SANITIZE_COUNT:-100} jobs=1
case $kinds in *address*) ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=1 ;; esac
[ "$kinds" != thread ] || jobs=8
for spec in "$kgen_source"/specs/graphs/*.yaml; do "$kgen" check "$spec" >"$work/text" || exit; done
for name in digits mlp-3x1024 quantized attention words-lstm; do
  spec=$kgen_source/specs/graphs/$name.yaml
  say "generate, explain, bench $name"
  "$kgen" generate "$spec" -o "$work/$name" -q --always -j $jobs --target x86-64-v2 --target x86-64-v3
  "$kgen" explain "$spec" --target x86-64-v3 --html "$work/$name.html" >"$work/text"
  "$kgen" bench "$spec" --target x86-64-v2 --time 0.001 --threads 2 >"$work/text"
done
python=$(command -v /usr/bin/python3 || command -v python3)
"$python" -B "$kgen_source/tests/networks/write.py" "$work/networks.yaml"
say "generate all of tests/networks"
"$kgen" generate "$work/networks.yaml" -o "$work/networks" -q -j $jobs --target x86-64-v3
say "generate tests/numerics/sizes/huge.yaml"
"$kgen" generate "$kgen_source/tests/numerics/sizes/huge.yaml" -o "$work/huge" -q -j $jobs
"$python" -B "$kgen_source/tests/fuzz/readers/readers.py" "$kgen" "$work/readers" "$count" --kept "$kgen_source/tests/fuzz/readers/kept"
"$python" -B "$kgen_source/tests/fuzz/models/broken.py" "$kgen" "$work/broken" "$count" --kept "$kgen_source/tests/fuzz/models/broken" || [ $? = 77 ]
say "No reports"
