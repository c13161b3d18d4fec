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

# has machines, has templates: whether this kgen has the component.
has() { ! "$KGEN" --version | grep -q "without $1"; }

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

# know_compilers FROM TO: the build folder TO begins with what CMake found out about the compilers in the build folder FROM, which takes it longer than
# all the rest.
know_compilers() {
  for found in "$1"/CMakeFiles/[0-9]*; do
    mkdir -p "$2/CMakeFiles/$(basename "$found")"
    cp "$found"/CMake*.cmake "$2/CMakeFiles/$(basename "$found")"
  done
}

# configure -S SOURCE -B BUILD OPTION...
configure() {
  if ! [ -e "$4/CMakeCache.txt" ] && grep -qsF "set(CMAKE_CXX_COMPILER \"$CXX\")" "$KGEN_BUILD"/CMakeFiles/*/CMakeCXXCompiler.cmake; then
    know_compilers "$KGEN_BUILD" "$4"
    set -- "$@" -DCMAKE_PLATFORM_INFO_INITIALIZED=1
  fi
  cmake -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" "$@"
}

consumer_answer="scale 7.5 0 up 11 12 13 down -9 -8 -7"
