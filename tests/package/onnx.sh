# kgen_add_library() of a model: edits of it, of its external data and of a file with an input's value reach the program, and nothing
# is done without an edit. The call is that of docs/ONNX.md.
. "$(dirname -- "$0")/common.sh"
/usr/bin/python3 -c "import onnx" || exit 77
says() { tr -s ' \n' '  ' <messages.txt | grep -q -e "$1" || { cat messages.txt >&2 && fail "no '$1' in the message above"; }; }
build_says() { cmake --build "bu ild" >output.txt && grep -q "$1" output.txt; }
models() { /usr/bin/python3 -B "$here/onnx_models.py" "con sumer" "$@"; }
models
rate() { /usr/bin/python3 -B -c "import numpy; numpy.save('con sumer/rate.npy', numpy.array($1))"; }
rate 16000
cat >"con sumer/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES C)
enable_testing()
find_package(kgen REQUIRED)
$(grep -o 'kgen_add_library(vad .*' "$KGEN_SOURCE/docs/ONNX.md" | sed 's/)$/ TARGETS x86-64-v3 x86-64-v2 TESTS)/')
kgen_add_library(two ONNX vad.onnx DIMS input:0=2 samples=512 VALUES sr=rate.npy)
add_executable(app app.c)
$(grep -o 'target_link_libraries(app .*vad)' "$KGEN_SOURCE/docs/ONNX.md")
target_link_libraries(app PRIVATE two::two m)
END
cat >"con sumer/app.c" <<'END'
#include "two.h"
#include "vad.h"

#include <math.h>
#include <stdio.h>

int main(void) {
  static float sound[2 * 512], voice[3];
  static unsigned char workspace[VAD_RUN_WORKSPACE_SIZE + TWO_RUN_WORKSPACE_SIZE + 1];
  vad_context vad;
  two_context two;
  for (int i = 0; i < 2 * 512; ++i)
    sound[i] = (float)(i % 23) / 23 - 0.5f;
  if (vad_init(&vad, NULL) != VAD_OK || vad_run(&vad, sound, voice, workspace, sizeof workspace) != VAD_OK)
    return 1;
  if (two_init(&two, NULL) != TWO_OK || two_run(&two, sound, voice + 1, workspace, sizeof workspace) != TWO_OK)
    return 2;
  printf("%.4f %.4f %s\n", voice[0], voice[1], voice[0] == voice[2] ? "equal" : "two frames");
  return 0;
}
END
cmake --install "$KGEN_BUILD" --prefix "$WORK/prefix" >/dev/null
configure -S "con sumer" -B "bu ild" -DCMAKE_PREFIX_PATH="$WORK/prefix"
cmake --build "bu ild"
build_says "no work to do" || fail "a second build does something"
(cd "bu ild" && ctest --output-on-failure) || fail "the tests of the library"
"bu ild/app" >before.txt || fail "exit status $? of the program"

# Each edit is of one file: the model stays as it is where its external data change.
cp "con sumer/vad.onnx" model.onnx
models 2
cmp -s model.onnx "con sumer/vad.onnx" || fail "the models differ in more than their external data"
cp -p model.onnx "con sumer/vad.onnx"
touch -r "bu ild/build.ninja" "con sumer/vad.onnx"
cmake --build "bu ild"
"bu ild/app" >data.txt
cut -d ' ' -f 1,2 before.txt >a && cut -d ' ' -f 1,2 data.txt >b
if cmp -s a b; then fail "an edit of external data does not reach the program"; fi
rate 8000
cmake --build "bu ild"
"bu ild/app" >value.txt
[ "$(cut -d ' ' -f 1 data.txt)" = "$(cut -d ' ' -f 1 value.txt)" ] || fail "a value that the first library does not have changes it"
[ "$(cut -d ' ' -f 2 data.txt)" != "$(cut -d ' ' -f 2 value.txt)" ] || fail "an edit of a value's file does not reach the program"
cp "con sumer/mixed.onnx" "con sumer/vad.onnx"
expect_failure 1 cmake --build "bu ild"
says "vad.onnx: error: "

# Errors of a model stop CMake.
models
sed -i 's/VALUES sr=16000/VALUES s=16000/' "con sumer/CMakeLists.txt"
expect_failure 1 configure -S "con sumer" -B again -DCMAKE_PREFIX_PATH="$WORK/prefix"
says "vad.onnx has errors: .*the model has no input 's' there are input, sr"

# A model and the spec that it becomes are the same code; the hash of the spec, and what contains it, is of the text.
set -- --dim batch=1 --dim samples=512 --value sr=16000
"$KGEN" import "con sumer/vad.onnx" "$@" -o imported --quiet
"$KGEN" generate imported/vad.yaml -o of-spec --quiet
"$KGEN" generate "con sumer/vad.onnx" "$@" -o of-model --quiet
diff -r of-spec/objects of-model/objects || fail "the objects differ"
for folder in of-model of-spec; do
  sed '/"inputs": \[/,/^  \]/d; /"model_inputs": \[/,/\]/d; /"spec_hash"/d; /"sha256"/d; s/},$/}/' $folder/vad.manifest.json >$folder.txt
done
diff of-model.txt of-spec.txt || fail "the manifests differ in more than the inputs of the model"
for file in vad.h vad.c CMakeLists.txt; do
  sed 's/[0-9a-f]\{64\}//; s/kgenrt_mark = .*//' of-spec/$file >of-spec.txt
  sed 's/[0-9a-f]\{64\}//; s/kgenrt_mark = .*//' of-model/$file >of-model.txt
  diff of-spec.txt of-model.txt || fail "a model gives another $file than its spec"
done

# The name of a library goes into its C names; a name that cannot be one is said.
expect_failure 1 "$KGEN" check "con sumer/vad.onnx" --library math --dim batch=1 --dim samples=512 --value sr=16000
says "library: error: 'math' cannot be the name of a library"
expect_failure 1 "$KGEN" check "con sumer/vad.onnx" --library 2nd
says "library: error: '2nd' cannot be the name of a library"
"$KGEN" generate "con sumer/vad.onnx" --library voice --dim batch=1 --dim samples=512 --value sr=16000 -o voice --quiet --depfile voice.d
grep -q "voice_run(" voice/voice.h || fail "--library does not name the library"
for file in vad.onnx vad.data; do grep -q "con\\\\ sumer/$file" voice.d || { cat voice.d >&2 && fail "no $file in the depfile"; }; done
