# docs/Audio.md is true: its commands print what it says, its streams in blocks are what one call gives.
. "$(dirname -- "$0")/common.sh"
/usr/bin/python3 -c "import numpy" || exit 77
mkdir bin
ln -s "$KGEN" bin/kgen
ln -s "$(command -v "$CC")" bin/cc
PATH="$WORK/bin:$PATH" /usr/bin/python3 -B "$here/onnx_docs.py" "$KGEN_SOURCE/docs/Audio.md"

cat >tcn_whole.yaml <<'END'
library: tcn_whole
targets: [x86-64-v2, x86-64-v3, x86-64-v4]
graphs:
  - name: whole
    inputs: {padded: "f32[1, 16, 648]"}
    weights: {w: {type: "f32[16, 16, 3]", random: {seed: 1}}}
    nodes:
      - {name: conv, op: Conv, inputs: [padded, w], attributes: {dilations: [4]}}
      - {name: y, op: Tanh, inputs: [conv]}
    outputs: [y]
END
for library in any tcn tcn_whole; do
  "$KGEN" generate $library.yaml --python --quiet -o modules/$library
  "$CC" -shared -fPIC -o modules/lib$library.so -Imodules/$library modules/$library/$library.c modules/$library/objects/*.o
  cp modules/$library/$library.py modules
done
expect_output "blocks are one stream" /usr/bin/python3 -B "$here/audio.py" modules
