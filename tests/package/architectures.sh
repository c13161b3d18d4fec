# A folder with code for x86-64 and for AArch64: what is in it, and what this machine's compiler makes of it; with an argument
# "aarch64", what a cross compiler makes of it, which an emulator runs.
. "$(dirname -- "$0")/common.sh"
cross=${1-}
if [ -n "$cross" ]; then
  for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $tool >/dev/null || { echo "skipped: no $tool" && exit 77; }
  done
fi
emulate() { qemu-aarch64 -L /usr/aarch64-linux-gnu -cpu max "$@"; }

# The consumer's two libraries for both architectures, and one with a kernel of several tiles.
mkdir specs folders references
cp "$here/consumer/w.npy" specs
sed 's/^targets: .*/targets: [aarch64, x86-64-v2, armv8.2-dotprod-fp16, x86-64-v3]/' "$here/consumer/scale.yaml" >specs/scale.yaml
sed 's/^targets: .*/targets: [x86-64-v2, aarch64]/' "$here/consumer/shift.yaml" >specs/shift.yaml
cat >specs/layer.yaml <<END
library: layer
targets: [x86-64-v2, x86-64-v3, aarch64, armv8.2-dotprod-fp16]
graphs:
  - name: forward
    inputs: {x: "f32[17, 70]", q: "u8[9, 33]"}
    weights:
      w: {type: "f32[70, 45]", random: {seed: 1}}
      v: {type: "i8[33, 21]", random: {seed: 2}}
    nodes:
      - {name: m, op: MatMul, inputs: [x, w]}
      - {name: y, op: Softmax, inputs: [m]}
      - {name: z, op: MatMulInteger, inputs: [q, v]}
    outputs: [y, z]
END
for library in scale shift layer; do
  "$KGEN" generate "specs/$library.yaml" -o "folders/$library" --python --quiet
done
"$KGEN" generate specs/layer.yaml -o references/layer --reference --quiet

look_at_folder() {
  # Each architecture's folder is what kgen generates for it alone.
  for architecture in x86_64 aarch64; do
    "$KGEN" generate specs/layer.yaml --architecture $architecture -o alone --python --quiet
    diff -r alone "folders/layer/$architecture" || fail "the folder of $architecture is another one"
  done
  # Sizes are the largest of all.
  size_in() { sed -n "s/^#define LAYER_FORWARD_WORKSPACE_SIZE //p" "folders/layer/$1layer.h"; }
  largest=$(printf '%s\n' "$(size_in x86_64/)" "$(size_in aarch64/)" | sort -n | tail -1)
  [ "$(size_in "")" = "$largest" ] || fail "the workspace is $(size_in ""), expected $largest"

  # The folder is compared, replaced, assembled from parts, and left as it is without a change.
  check() { "$KGEN" generate specs/layer.yaml -o folders/layer --python "$@"; }
  check --check --quiet
  check --check-results --quiet
  check | grep -q "up to date" || fail "the folder is generated again"
  echo >>folders/layer/aarch64/layer.h
  expect_failure 4 check --check --quiet
  grep -q "layer/aarch64/layer.h: differs" messages.txt || fail "no aarch64/layer.h in: $(cat messages.txt)"
  expect_failure 4 check --check-results --quiet
  grep -q "layer/aarch64/layer.h: " messages.txt || fail "no aarch64/layer.h in: $(cat messages.txt)"
  check --quiet
  check --check --quiet
  for part in $("$KGEN" generate specs/layer.yaml --list-parts); do
    "$KGEN" generate specs/layer.yaml --only "$part" -o parts --depfile "parts/$part.d" --quiet
  done
  grep -q "^parts/aarch64/objects/forward.aarch64.json:" parts/forward:aarch64.d || fail "the depfile names another file"
  "$KGEN" generate specs/layer.yaml --parts parts -o assembled --python --quiet
  diff -r folders/layer assembled || fail "the folder from parts is another one"
  "$KGEN" generate specs/layer.yaml --architecture aarch64 -o assembled --quiet
  [ ! -e assembled/x86_64 ] || fail "files of the other architecture are left"

  # Sizes known at run time, versions, a budget for each architecture, and a machine's file above the folders.
  machine=
  if has machines; then machine=", array-2x2"; fi
  cat >specs/sized.yaml <<END
library: sized
targets: [x86-64-v3, aarch64$machine]
dims: {batch: {min: 1, max: 16}}
versions: {batch: [4]}
budgets: {text: 100}
graphs:
  - name: forward
    inputs: {x: "f32[batch, 30]"}
    weights: {w: {type: "f32[30, 40]", random: {seed: 1}}}
    nodes: [{name: y, op: MatMul, inputs: [x, w]}]
    outputs: [y]
END
  expect_failure 1 "$KGEN" generate specs/sized.yaml -o sized
  for symbol in sized_forward_kernel_x86_64_v3 sized_forward_kernel_aarch64; do
    grep -q "most of it: .*$symbol" messages.txt || fail "no budget of $symbol: $(cat messages.txt)"
  done
  sed -i '/^budgets/d' specs/sized.yaml
  "$KGEN" generate specs/sized.yaml -o sized --quiet
  "$KGEN" generate specs/sized.yaml -o sized --check --quiet
  [ -z "$machine" ] || [ -e sized/forward.array-2x2.mlir ] || fail "no file for the machine"
  "$CC" -std=c11 -Wall -Werror -fsyntax-only -Isized sized/sized.c
  "$KGEN" generate specs/sized.yaml --emit llvm -o text --quiet
  [ -e text/forward.aarch64.ll ] && [ -e text/forward.x86-64-v3.ll ] || fail "no text for each target: $(ls text)"
  expect_failure 2 "$KGEN" generate specs/sized.yaml --architecture mips64
  grep -q "mips64 not in {x86_64,aarch64,wasm32,riscv64}" messages.txt || fail "$(cat messages.txt)"

  # Commands that look at one architecture say which.
  "$KGEN" explain specs/layer.yaml >explained.txt 2>messages.txt
  grep -q "note: targets of x86_64 only; --target says others: armv8.2-dotprod-fp16, aarch64" messages.txt ||
    fail "no note: $(cat messages.txt)"
  if grep -q aarch64 explained.txt; then fail "explain shows AArch64"; fi
  "$KGEN" explain specs/layer.yaml --target aarch64 | grep -q aarch64 || fail "explain does not show --target aarch64"
  /usr/bin/python3 -c "import numpy" || return 0
  /usr/bin/python3 -c 'import numpy as np
np.savez("given.npz", x=np.array([[1, 2]], np.float32), y=np.array([[7.5, 0]], np.float32))'
  "$KGEN" verify specs/scale.yaml --against given.npz >verified.txt
  grep -q "all results agree" verified.txt || fail "verify: $(cat verified.txt)"
  grep -q "aarch64: it is for another architecture, aarch64" verified.txt || fail "verify leaves out a target without a word"
  "$KGEN" verify folders/scale --against given.npz >verified.txt 2>messages.txt
  grep -q "all results agree" verified.txt || fail "verify: $(cat verified.txt)"
  grep -q "folders/scale: note: of its architectures, x86_64 is taken" messages.txt || fail "$(cat messages.txt)"
  cp -r folders/scale foreign
  sed -i 's/"folder": "x86_64"/"folder": "riscv64"/' foreign/scale.manifest.json
  expect_failure 1 "$KGEN" verify foreign --against given.npz
  grep -q "foreign: error: the library has no code for the architecture that runs it, 'x86_64'" messages.txt || fail "$(cat messages.txt)"
  grep -q "it has folders for riscv64, aarch64" messages.txt || fail "$(cat messages.txt)"
  PYTHONPATH=native-shared /usr/bin/python3 -B -c "import numpy as np, scale
print(scale.load().apply(np.array([[1, 2]], np.float32)))" | grep -q '\[\[7.5 0. \]\]' || fail "the module's result"
}

program="$here/consumer/main.c"
sed "s/@name@/layer/g; s/@NAME@/LAYER/g" "$KGEN_SOURCE/cmake/KgenVariantTest.c.in" >compare.c
# compile COMPILER ARCHITECTURE: by hand, without a build system.
compile() {
  "$1" -std=c11 -Wall -Wextra -Werror -Ifolders/scale -Ifolders/shift "$program" folders/scale/scale.c folders/shift/shift.c \
    folders/scale/"$2"/objects/*.o folders/shift/"$2"/objects/*.o -o "consumer.$2"
  for kind in folders references; do
    "$1" -std=c11 -I$kind/layer compare.c $kind/layer/layer.c $kind/layer/"$2"/objects/*.o -lm -o "$kind.$2"
  done
}
compile "$CC" x86_64
./references.x86_64 write results.bin

# project NAME RUN OPTION...: the folders by add_subdirectory, installed, by pkg-config and as a shared library.
project() {
  name=$1 run=$2
  shift 2
  cmake -G Ninja -S "$here/folder-consumer" -B "$name" -DFOLDERS="$WORK/folders" "$@"
  cmake --build "$name"
  expect_output "$consumer_answer" $run "$name/consumer"
  for library in scale shift; do
    cmake -G Ninja -S "folders/$library" -B "$name-$library" -DCMAKE_INSTALL_PREFIX="$WORK/$name-prefix" "$@"
    cmake --build "$name-$library"
    cmake --install "$name-$library"
  done
  cmake -G Ninja -S "$here/folder-consumer" -B "$name-installed" -DCMAKE_PREFIX_PATH="$WORK/$name-prefix" "$@"
  cmake --build "$name-installed"
  expect_output "$consumer_answer" $run "$name-installed/consumer"
  cmake -G Ninja -S folders/scale -B "$name-shared" -DBUILD_SHARED_LIBS=ON "$@"
  cmake --build "$name-shared"
}
# packaged COMPILER NAME RUN
packaged() {
  command -v pkg-config >/dev/null || return 0
  PKG_CONFIG_PATH=$(dirname "$(find "$2-prefix" -name scale.pc)")
  export PKG_CONFIG_PATH
  eval '"$1" "$program"' "$(pkg-config --cflags --libs scale shift)" -o "$2-packaged"
  expect_output "$consumer_answer" $3 "./$2-packaged"
}
if [ -z "$cross" ]; then
  expect_output "$consumer_answer" ./consumer.x86_64
  ./folders.x86_64 compare results.bin
  if "$CC" -m32 -fsyntax-only -Ifolders/scale -xc - 2>messages.txt <folders/scale/scale.c; then fail "32 bits are accepted"; fi
  grep -q "scale: the compiler compiles for none of the library's architectures: x86_64, aarch64" messages.txt ||
    fail "another message: $(cat messages.txt)"
  project native "" -DCMAKE_C_COMPILER="$CC"
  packaged "$CC" native ""
  cmp native-shared/scale.py folders/scale/x86_64/scale.py || fail "the module is of another architecture"
  cmake -S folders/scale -B none -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS=-m32 \
    -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY >messages.txt 2>&1 && fail "32 bits are accepted"
  tr -s ' \n' '  ' <messages.txt | grep -q "compiles for none of the library's architectures: x86_64, aarch64" ||
    fail "another message: $(cat messages.txt)"
  look_at_folder
  exit 0
fi

compile aarch64-linux-gnu-gcc aarch64
expect_output "$consumer_answer" emulate ./consumer.aarch64
emulate ./folders.aarch64 compare results.bin
emulate ./references.aarch64 compare results.bin

# CMAKE_SYSTEM_PROCESSOR lies: the compiler is asked.
cat >toolchain.cmake <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;/usr/aarch64-linux-gnu;-cpu;max")
END
project crossed emulate -DCMAKE_TOOLCHAIN_FILE="$WORK/toolchain.cmake"
packaged aarch64-linux-gnu-gcc crossed emulate
cmp crossed-shared/scale.py folders/scale/aarch64/scale.py || fail "the module is of another architecture"
readelf -h crossed-shared/libscale.so | grep -q AArch64 || fail "the shared library is of another architecture"
