#!/bin/sh
# From a fresh clone to a running network: builds kgen, generates the digits library from specs/graphs/digits.yaml, builds
# demo/digits.c with it and runs it on the sample images in every variant that this CPU supports.
set -eu
. "$(dirname -- "$0")/setup.sh"

# shellcheck disable=SC2086
kgen_install $kgen_build_packages
# In a folder that exists, whoever made it decided about tests.
if $kgen_new; then kgen_configure -DKGEN_BUILD_TESTS=OFF; else kgen_configure; fi
say "Building kgen (the first time takes some minutes)"
cmake --build "$kgen_build" --parallel "$kgen_jobs" --target kgen

library=$kgen_build/quickstart/digits
demo=$kgen_build/quickstart/demo
mkdir -p "$kgen_build/quickstart"
say "Generating the library from specs/graphs/digits.yaml"
"$kgen_build/bin/kgen" generate "$kgen_source/specs/graphs/digits.yaml" -o "$library"
quietly "Building demo/digits.c with a C compiler" sh -c '
  cmake -S "$1/demo" -B "$3" -G Ninja -DCMAKE_BUILD_TYPE=Release -DDIGITS_LIBRARY="$2" && cmake --build "$3"
' sh "$kgen_source" "$library" "$demo"
say ""
cd "$kgen_source"
"$demo/digits" demo/samples/*.txt
say ""
say "The program is demo/digits.c, the library that it calls is in $library"
say "README.md says how to make your own."
