#!/bin/sh
# Sentences of any length: generates the library of two layers of BERT's form, builds sentences.c with it, and measures the time of a
# token with the sizes of each call beside that of batches which are filled up.
#   KGEN=<file>   take this kgen instead of building one
set -eu
kgen_source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$kgen_source/cmake/setup.sh"
here=$kgen_source/demo/sentences
work=$kgen_build/sentences

kgen_for_demo cmake ninja-build

"$KGEN" generate "$here/sentences.yaml" -o "$work/library"
quietly "Building demo/sentences/sentences.c with a C compiler" sh -c '
  cmake -S "$1" -B "$3" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSENTENCES_LIBRARY="$2" && cmake --build "$3"
' sh "$here" "$work/library" "$work/program"
say ""
"$work/program/sentences" "$work/sentences.svg"
say ""
say "The program is demo/sentences/sentences.c. To see: $work/sentences.svg"
