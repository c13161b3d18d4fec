#!/bin/sh
# Builds kgen-opt with assertions, in a folder of its own, and runs the tests of passes with it. LLVM's and MLIR's libraries are as they are installed,
# without assertions; those of their headers count.
#
#   sh cmake/assertions.sh
set -eu
KGEN_BUILD_DIR=${KGEN_BUILD_DIR:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/build/assertions}
. "$(dirname -- "$0")/setup.sh"

# shellcheck disable=SC2086
kgen_install $kgen_build_packages $kgen_test_packages
kgen_configure -DCMAKE_BUILD_TYPE=Debug -DKGEN_BUILD_TESTS=ON
say "Building"
cmake --build "$kgen_build" --parallel "$kgen_jobs" --target kgen-opt
cd "$kgen_build"
# Not run: what calls kgen, too.
exec ctest -R '^passes/' -E '^passes/fuse-elementwise-(large-bodies|long-chains)$' --parallel "$kgen_jobs" --output-on-failure
