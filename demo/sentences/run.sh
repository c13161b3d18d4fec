#!/bin/sh
# Sentences of any length: generates the library of two layers of BERT's form, builds sentences.c with it, and measures the time of a
# token with the sizes of each call beside that of batches which are filled up.
#   KGEN=<file>   take this kgen instead of building one
set -eu
kgen_source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$kgen_source/cmake/setup.sh"
here=$kgen_source/demo/sentences
work=$kgen_build/sentences

if [ -n "${KGEN:-}" ]; then
  kgen_install cmake ninja-build
else
  # shellcheck disable=SC2086
  kgen_install $kgen_build_packages
  if $kgen_new; then kgen_configure -DKGEN_BUILD_TESTS=OFF; else kgen_configure; fi
  say "Building kgen (the first time takes some minutes)"
  cmake --build "$kgen_build" --parallel "$kgen_jobs" --target kgen
  KGEN=$kgen_build/bin/kgen
fi

"$KGEN" generate "$here/sentences.yaml" -o "$work/library"
quietly "Building demo/sentences/sentences.c with a C compiler" sh -c '
  cmake -S "$1" -B "$3" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSENTENCES_LIBRARY="$2" && cmake --build "$3"
' sh "$here" "$work/library" "$work/program"
say ""
"$work/program/sentences" "$work/sentences.svg"
say ""
say "The program is demo/sentences/sentences.c. To see: $work/sentences.svg"
