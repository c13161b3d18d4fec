#!/bin/sh
# A decoder says words one after the other: generates the library of specs/graphs/gpt.yaml, builds tokens.c with it, and measures tokens a
# second beside those of reading all words again. Takes 2 GB of disk and of memory.
#   KGEN=<file>   take this kgen instead of building one
#   SPEC=<file>   another spec of the same functions
set -eu
kgen_source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$kgen_source/cmake/setup.sh"
here=$kgen_source/demo/tokens
work=$kgen_build/tokens

kgen_for_demo cmake ninja-build

# One target: each has the weights once more, in its own order.
target=x86-64-v3
if grep -qw avx512vl /proc/cpuinfo; then target=x86-64-v4; fi
"$KGEN" generate "${SPEC:-$kgen_source/specs/graphs/gpt.yaml}" -o "$work/library" --target "$target"
quietly "Building demo/tokens/tokens.c with a C compiler" sh -c '
  cmake -S "$1" -B "$3" -G Ninja -DCMAKE_BUILD_TYPE=Release -DGPT_LIBRARY="$2" && cmake --build "$3"
' sh "$here" "$work/library" "$work/program"
say ""
"$work/program/tokens" "$@"
say ""
say "The program is demo/tokens/tokens.c: tokens [WORDS [PROMPT]]"
