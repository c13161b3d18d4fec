#!/bin/sh
# Builds kgen and runs its tests; installs what is missing first (see setup.sh for the environment variables).
#
#   sh cmake/test.sh           everything but the long tests
#   sh cmake/test.sh --full    the long tests too
set -eu
. "$(dirname -- "$0")/setup.sh"

case "${1-}" in
"") configurations=Release ;;
--full)
  configurations=Full
  kgen_test_packages="$kgen_test_packages $kgen_full_packages"
  export KGEN_LONG_TESTS=1
  ;;
*)
  say "usage: sh cmake/test.sh [--full]" >&2
  exit 2
  ;;
esac

# shellcheck disable=SC2086
kgen_install $kgen_build_packages $kgen_test_packages
# Thousands of calls of kgen: in a new folder it is linked so that it starts fast.
if $kgen_new; then kgen_configure -DKGEN_BUILD_TESTS=ON -DKGEN_STATIC_LLVM=ON; else kgen_configure -DKGEN_BUILD_TESTS=ON; fi
say "Building"
cmake --build "$kgen_build" --parallel "$kgen_jobs"
say "Testing"
cd "$kgen_build"
exec ctest --build-config "$configurations" --parallel "$kgen_jobs" --output-on-failure
