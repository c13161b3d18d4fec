#!/bin/sh
# Prints which lines of generator/spec, target and ingress the replays of tests/fuzz run: a file a line, the least first.
#
#   sh cmake/coverage.sh [PERCENT]   below PERCENT of its lines a file has a note; default 80. tests/fuzz/README.md says why some have less
#
# The build is in a folder of its own, build/coverage or $KGEN_BUILD_DIR.
set -eu
least=${1:-80}
KGEN_BUILD_DIR=${KGEN_BUILD_DIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/build/coverage}
. "$(dirname -- "$0")/setup.sh"
# shellcheck disable=SC2086
kgen_install $kgen_build_packages $kgen_test_packages
kgen_configure -DKGEN_COVERAGE=ON
programs=$(ninja -C "$kgen_build" -t targets all | sed -n 's/^\(kgen-replay-[a-z-]*\): phony$/\1/p')
say "Building"
# shellcheck disable=SC2086
cmake --build "$kgen_build" --parallel "$kgen_jobs" --target $programs >"$kgen_build/coverage.log" || { tail -n 30 "$kgen_build/coverage.log" && exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
tests=$(for program in $programs; do printf '|%s' "${program#kgen-replay-}"; done)
LLVM_PROFILE_FILE=$work/%p.profraw ctest --test-dir "$kgen_build" --output-on-failure -R "^fuzz\.(${tests#|})$"
llvm-profdata-22 merge -sparse "$work"/*.profraw -o "$work/profile"
objects=$(for program in $programs; do printf ' -object %s/bin/%s' "$kgen_build" "$program"; done)
# shellcheck disable=SC2086
llvm-cov-22 export -summary-only -instr-profile="$work/profile" $objects -sources \
  "$kgen_source/generator/spec" "$kgen_source/generator/target" "$kgen_source/generator/ingress" >"$work/report.json"
python3 - "$work/report.json" "$kgen_source" "$least" <<'END'
import json, sys
files = json.load(open(sys.argv[1]))["data"][0]["files"]
lines = sorted((one["summary"]["lines"]["percent"], one["summary"]["lines"]["count"], one["filename"][len(sys.argv[2]) + 1:]) for one in files)
for percent, count, name in lines:
    print(f"{percent:5.1f} % of {count:4} lines  {name}{'  few' if percent < float(sys.argv[3]) else ''}")
END
