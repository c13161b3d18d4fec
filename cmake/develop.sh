#!/bin/sh
# For whoever changes kgen: from a bare machine to a build with all tests, in the preset `default`. Installs what is missing (see
# setup.sh for the environment variables) and compiles each source by itself, so that a change compiles little.
#
#   sh cmake/develop.sh                 installs, configures, builds; run it again after a change of the packages
#   sh cmake/develop.sh --configure     the same without the build
set -eu
. "$(dirname -- "$0")/setup.sh"

build=true
case "${1-}" in
"") ;;
--configure) build=false ;;
*)
  say "usage: sh cmake/develop.sh [--configure]" >&2
  exit 2
  ;;
esac

# shellcheck disable=SC2086
kgen_install $kgen_build_packages $kgen_test_packages
# As `cmake --preset default`, with the compiler of setup.sh in a new folder, and in the folder of KGEN_BUILD_DIR.
quietly "Configuring in $kgen_build" \
  env CXX="$(kgen_compiler)" cmake -S "$kgen_source" --preset default -B "$kgen_build"
if $build; then
  say "Building with $(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$kgen_build/CMakeCache.txt") (the first time takes about 20 minutes of CPU time)"
  cmake --build "$kgen_build" --parallel "$kgen_jobs"
fi
say ""
say "All tests:          cd $kgen_build && ctest -j $kgen_jobs"
say "One test, and more: generator/README.md, \"To test\""
