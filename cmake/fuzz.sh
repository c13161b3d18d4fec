#!/bin/sh
# Runs kgen's fuzzers (libFuzzer) one after another, in a build with sanitizers in a folder of its own.
#
#   sh cmake/fuzz.sh CORPORA [MINUTES [NAME...]]   each NAME, default all, for MINUTES, default 15
#
# CORPORA is a folder that is kept: NAME in it has the inputs that reach something new, found/NAME those that something was found with. The exit code is 1 if
# there are any. A last line for each says how many inputs it tried, in how many seconds of CPU.
set -eu
[ $# -gt 0 ] || { sed -n 's/^#   \(sh cmake.*\)/usage: \1/p' "$0" >&2 && exit 2; }
KGEN_BUILD_DIR=${KGEN_BUILD_DIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/build/fuzz}
. "$(dirname -- "$0")/setup.sh"
mkdir -p "$1"
corpora=$(CDPATH='' cd -- "$1" && pwd) minutes=${2:-15}
shift && { [ $# = 0 ] || shift; }
# shellcheck disable=SC2086
kgen_install $kgen_build_packages $kgen_test_packages
export CC=clang-22 CXX=clang++-22
kgen_configure -DKGEN_SANITIZE=address,undefined -DKGEN_BUILD_FUZZERS=ON -DKGEN_BUILD_TESTS=ON
all=$(ninja -C "$kgen_build" -t targets all | sed -n 's/^fuzz_\([a-z_]*\): phony$/\1/p')
[ $# -gt 0 ] || set -- $all
for name in "$@"; do
  case " $(echo $all) " in *" $name "*) ;; *) say "no fuzzer '$name'; there are: $(echo $all)" >&2 && exit 2 ;; esac
done
say "Building"
# shellcheck disable=SC2046
cmake --build "$kgen_build" --parallel "$kgen_jobs" --target $(printf 'fuzz_%s ' "$@") >"$kgen_build/fuzz.log" || { tail -n 30 "$kgen_build/fuzz.log" && exit 1; }
export ASAN_OPTIONS=detect_leaks=0:allow_user_poisoning=0:detect_stack_use_after_return=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 KGEN_NO_SYNC=1
first=$(mktemp -d)
trap 'rm -rf "$first"' EXIT
trap 'exit 1' HUP INT TERM
python3 -B "$kgen_source/tests/fuzz/corpora.py" "$first"

# Prints the folders of the tests whose files a fuzzer begins with.
files_of() {
  tests=$kgen_source/tests
  case $1 in
  spec) echo "$tests/errors" "$tests/unit/spec" "$kgen_source/specs/graphs" ;;
  target) echo "$kgen_source/specs/targets" ;;
  mlir) echo "$tests/ingress" "$tests/fuzz/mlir" ;;
  templates | template_files) echo "$tests/templates" "$tests/fuzz/templates" ;;
  npy | npz | safetensors) echo "$tests/errors/weights" "$tests/fuzz/arrays" ;;
  onnx) echo "$tests/fuzz/models/seeds" "$tests/fuzz/models/broken" ;;
  *) echo "$first/$1" ;;
  esac
}

found=0
for name in "$@"; do
  mkdir -p "$corpora/$name" "$corpora/found/$name"
  say "fuzz_$name"
  # shellcheck disable=SC2046
  (ulimit -c 0 && "$kgen_build/bin/fuzz_$name" "$corpora/$name" $(files_of "$name") -max_total_time=$((minutes * 60)) -max_len=65536 -rss_limit_mb=3000 -timeout=120 \
    -artifact_prefix="$corpora/found/$name/" -print_final_stats=1 && times) >"$kgen_build/fuzz_$name.log" 2>&1 || found=1
  sed -n 's/^stat::number_of_executed_units: */  inputs: /p' "$kgen_build/fuzz_$name.log"
  sed -n '$s/^\([0-9hms.]*\).*/  CPU: \1/p' "$kgen_build/fuzz_$name.log"
  ls "$corpora/found/$name"
done
exit $found
