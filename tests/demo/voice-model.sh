# demo/voice/run.sh with the model that an earlier run has left in the build folder; nothing is installed or downloaded.
set -eu
models=$KGEN_BUILD/voice/models
[ -f "$models/silero_vad_v5.onnx" ] || { echo "no $models/silero_vad_v5.onnx: sh demo/voice/run.sh fetches it" && exit 77; }
command -v espeak-ng >/dev/null || { echo "no espeak-ng" && exit 77; }
rm -rf "$WORK"
mkdir -p "$WORK/voice"
cp -R "$models" "$WORK/voice/models"
KGEN_NO_INSTALL=1 KGEN_BUILD_DIR=$WORK sh "$KGEN_SOURCE/demo/voice/run.sh" </dev/null >"$WORK/output.txt" || { cat "$WORK/output.txt" && exit 1; }
[ "$(grep -c '^speech ' "$WORK/output.txt")" = 4 ] || { cat "$WORK/output.txt" && exit 1; }
# A damaged model is noticed.
printf 'x' >>"$WORK/voice/models/silero_vad_v5.onnx"
mkdir "$WORK/bin"
printf '#!/bin/sh\nexit 1\n' >"$WORK/bin/npm"
chmod +x "$WORK/bin/npm"
if PATH="$WORK/bin:$PATH" sh "$KGEN_SOURCE/demo/voice/model.sh" "$WORK/voice/models"; then echo "a damaged model is taken" && exit 1; fi
