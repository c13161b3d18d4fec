# Sourced by quickstart.sh, develop.sh and test.sh: installs missing Debian packages and configures the build.
#
#   KGEN_NO_INSTALL=1   install nothing; say what is missing and stop
#   KGEN_BUILD_DIR      build folder, default build/ in the source tree
#   KGEN_JOBS           parallel jobs, default the number of processors
#   CXX                 C++ compiler, default clang++-22 if it is there, else c++; GCC works, too, but with Clang's
#                       precompiled header MLIR's sources compile ten times faster

# Scripts outside of cmake/ set it before.
kgen_source=${kgen_source:-$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)}
kgen_build=${KGEN_BUILD_DIR:-$kgen_source/build}
kgen_jobs=${KGEN_JOBS:-$(getconf _NPROCESSORS_ONLN)}
kgen_new=true
[ ! -e "$kgen_build/CMakeCache.txt" ] || kgen_new=false

kgen_build_packages="g++ clang-22 cmake ninja-build ccache llvm-22-dev libmlir-22-dev mlir-22-tools zlib1g-dev libzstd-dev
  libyaml-cpp-dev libfmt-dev libcli11-dev libzydis-dev nlohmann-json3-dev libssl-dev libxsmm-dev libpthreadpool-dev libprotobuf-dev protobuf-compiler"
kgen_test_packages="catch2 qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross binutils libclang-rt-22-dev lld nodejs llvm-22-tools pkg-config
  python3 python3-numpy python3-onnx python3-yaml libonnx-testdata libvulkan1 mesa-vulkan-drivers"
# Besides, with --full: other systems and architectures, Vulkan's own checks.
kgen_full_packages="gcc-riscv64-linux-gnu libc6-dev-riscv64-cross wasi-libc libclang-rt-22-dev-wasm32
  gcc-mingw-w64-x86-64 wine64 lld-22 vulkan-validationlayers libvulkan-dev"

say() { printf '%s\n' "$*"; }

# Prints those of its arguments that are not installed.
kgen_missing_packages() {
  for package in "$@"; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) || status=
    case $status in
    *" installed") ;;
    *) printf '%s ' "$package" ;;
    esac
  done
}

# kgen_install PACKAGE...: what is missing, by name; LLVM 22 comes from Debian's security updates.
kgen_install() {
  if ! command -v dpkg-query >/dev/null; then
    say "This is not a Debian system; expecting these to be installed: $*"
    return 0
  fi
  missing=$(kgen_missing_packages "$@")
  [ -n "$missing" ] || return 0
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  if [ "${KGEN_NO_INSTALL:-0}" = 1 ]; then
    say "Missing packages, not installed because of KGEN_NO_INSTALL=1. To install them:" >&2
    kgen_say_how_to_install
    return 1
  fi
  if [ -n "$as_root" ] && ! command -v sudo >/dev/null; then
    say "Packages are missing, and only root can install them (there is no sudo). As root:" >&2
    kgen_say_how_to_install
    return 1
  fi
  say "Installing $missing(the first time takes some minutes)"
  kgen_apt_get "$(mktemp)" || return 1
}

# kgen_for_demo PACKAGE...: installs these, and sets KGEN: to a kgen that is built now, unless it names one.
kgen_for_demo() {
  if [ -n "${KGEN:-}" ]; then
    kgen_install "$@"
    return
  fi
  # shellcheck disable=SC2086
  kgen_install $kgen_build_packages "$@"
  if $kgen_new; then kgen_configure -DKGEN_BUILD_TESTS=OFF; else kgen_configure; fi
  say "Building kgen (the first time takes some minutes)"
  cmake --build "$kgen_build" --parallel "$kgen_jobs" --target kgen
  KGEN=$kgen_build/bin/kgen
}

# Prints the C++ compiler for a new build folder.
kgen_compiler() { printf '%s' "${CXX-$(command -v clang++-22 || echo c++)}"; }

kgen_say_how_to_install() {
  say "  ${as_root:+$as_root }apt-get update && ${as_root:+$as_root }apt-get install --no-install-recommends $missing" >&2
}

# kgen_apt_get LOG: installs $missing; shows the end of the log only if that fails.
kgen_apt_get() {
  # Words of $missing and of an empty $as_root are meant to split.
  # shellcheck disable=SC2086
  if ! { $as_root apt-get update &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$1" 2>&1; then
    tail -n 30 "$1" >&2
    say "Packages could not be installed; the whole log is in $1. To install them by hand:" >&2
    kgen_say_how_to_install
    return 1
  fi
  rm -f "$1"
}

# quietly WHAT COMMAND...: runs a command, shows its output only if it fails.
quietly() {
  say "$1"
  shift
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

# kgen_configure [-DNAME=VALUE]...: Release with Ninja in the build folder. A new one is for building once: for it, sources are
# compiled forty at a time. CMake keeps the compiler of a folder that exists.
kgen_configure() {
  if $kgen_new; then set -- -DKGEN_UNITY=ON "$@"; fi
  quietly "Configuring in $kgen_build" \
    env CXX="$(kgen_compiler)" cmake -S "$kgen_source" -B "$kgen_build" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@"
}
