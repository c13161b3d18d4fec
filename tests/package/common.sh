# Sourced by the tests of this folder. The environment gives KGEN (the executable), KGEN_SOURCE, KGEN_BUILD, WORK (an own
# folder, emptied here), CC and CXX.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
rm -rf "$WORK"
mkdir -p "$WORK"
cd "$WORK"

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# expect_output "TEXT" COMMAND...: standard output must be exactly TEXT.
expect_output() {
  wanted=$1
  shift
  got=$("$@") || fail "exit status $? of: $*"
  [ "$got" = "$wanted" ] || fail "$* printed '$got', expected '$wanted'"
}

# expect_failure STATUS COMMAND...: output goes to messages.txt.
expect_failure() {
  wanted=$1
  shift
  status=0
  "$@" >messages.txt 2>&1 || status=$?
  [ "$status" = "$wanted" ] || { cat messages.txt >&2 && fail "exit status $status, expected $wanted: $*"; }
}

configure() { cmake -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" "$@"; }

consumer_answer="scale 7.5 0 up 11 12 13 down -9 -8 -7"
