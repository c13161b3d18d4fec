# Generated folders alone: a project in C, with nothing of LLVM on its path, by add_subdirectory and installed.
. "$(dirname -- "$0")/common.sh"
mkdir tools
for tool in cmake ninja ar ranlib ld as nm objdump uname sh strip readelf objcopy; do
  ln -s "$(command -v $tool)" "tools/$tool"
done
ln -s "$(command -v "$CC")" tools/cc
alone() { env -i PATH="$WORK/tools" HOME="$WORK" "$@"; }

for library in scale shift; do
  "$KGEN" generate "$here/consumer/$library.yaml" -o "folders/$library" ${1:+--emit "$1"} --quiet
done
alone cmake -G Ninja -S "$here/folder-consumer" -B build -DFOLDERS="$WORK/folders"
alone cmake --build build
expect_output "$consumer_answer" build/consumer
if grep -i "llvm\|mlir" build/CMakeCache.txt; then fail "LLVM is used"; fi

again() { # -S SOURCE -B BUILD OPTION...
  know_compilers build "$4"
  alone cmake -G Ninja -DCMAKE_PLATFORM_INFO_INITIALIZED=1 "$@"
}

for kind in OFF ON; do # static, shared
  for library in scale shift; do
    again -S "folders/$library" -B "build-$library-$kind" -DCMAKE_INSTALL_PREFIX="$WORK/prefix-$kind" -DBUILD_SHARED_LIBS=$kind
    alone cmake --build "build-$library-$kind"
    alone cmake --install "build-$library-$kind"
  done
  again -S "$here/folder-consumer" -B "build-installed-$kind" -DCMAKE_PREFIX_PATH="$WORK/prefix-$kind"
  alone cmake --build "build-installed-$kind"
  expect_output "$consumer_answer" "build-installed-$kind/consumer"
done
[ -n "$(find prefix-ON -name 'libscale.so')" ] || fail "BUILD_SHARED_LIBS is not heard"

if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find prefix-OFF -name scale.pc)")
  export PKG_CONFIG_PATH
  eval '"$CC" "$here/consumer/main.c"' "$(pkg-config --cflags --libs scale shift)" -o by-pkg-config # it escapes spaces
  expect_output "$consumer_answer" ./by-pkg-config
fi
