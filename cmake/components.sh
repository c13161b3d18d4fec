#!/bin/sh
# Builds kgen without its components (templates, machines), in a folder of its own, and runs all short tests but theirs.
#
#   sh cmake/components.sh
set -eu
KGEN_BUILD_DIR=${KGEN_BUILD_DIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/build/components}
. "$(dirname -- "$0")/setup.sh"

# shellcheck disable=SC2086
kgen_install $kgen_build_packages $kgen_test_packages
kgen_configure -DKGEN_BUILD_TESTS=ON -DKGEN_STATIC_LLVM=ON -DKGEN_TEMPLATES=OFF -DKGEN_MACHINES=OFF
say "Building"
cmake --build "$kgen_build" --parallel "$kgen_jobs"
say "Testing"
cd "$kgen_build"
exec ctest --parallel "$kgen_jobs" --output-on-failure
