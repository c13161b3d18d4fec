# `sh cmake/develop.sh` compiles each source by itself: one that lacks an include, which a source
# before it has in a build of forty at a time, is an error here.
. "$(dirname -- "$0")/common.sh"
KGEN_NO_INSTALL=1 KGEN_BUILD_DIR="$WORK/build" sh "$KGEN_SOURCE/cmake/develop.sh" >said.txt 2>&1 || {
  grep -E -A3 'FAILED|error' said.txt >&2
  fail "develop.sh"
}
rm -rf build
