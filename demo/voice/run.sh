#!/bin/sh
# A network that hears when somebody speaks: fetches silero VAD, imports it with kgen, generates its library, builds voice.c
# with it, makes a recording with pauses and noises, and checks that speech is found where it is.
#   KGEN=<file>   take this kgen instead of building one
set -eu
kgen_source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
. "$kgen_source/cmake/setup.sh"
here=$kgen_source/demo/voice
work=$kgen_build/voice

# npm is Debian's, or whichever is there.
npm=
command -v npm >/dev/null || npm=npm
kgen_for_demo cmake ninja-build espeak-ng python3 python3-numpy $npm

quietly "Fetching the model" sh "$here/model.sh" "$work/models"
say "Importing silero_vad_v5.onnx for one window of 512 samples after 64, at 16 kHz"
"$KGEN" import "$work/models/silero_vad_v5.onnx" -o "$work/model" --library vad \
  --dim input:0=1 --dim input:1=576 --dim state:1=1 --value sr=16000 --state state=stateN
"$KGEN" generate "$work/model/vad.yaml" -o "$work/library"
quietly "Building demo/voice/voice.c with a C compiler" sh -c '
  cmake -S "$1" -B "$3" -G Ninja -DCMAKE_BUILD_TYPE=Release -DVAD_LIBRARY="$2" && cmake --build "$3"
' sh "$here" "$work/library" "$work/program"

cd "$work"
# Debian's, which has Debian's NumPy.
python=/usr/bin/python3
[ -x "$python" ] || python=python3
say "Making a recording: four sentences of espeak-ng, pauses, a hiss, a tone and knocks"
"$python" -B "$here/recording.py" make recording.wav truth.txt
say ""
program/voice recording.wav voice.svg >found.txt
cat found.txt
say ""
"$python" -B "$here/recording.py" check truth.txt found.txt
say ""
say "The program is demo/voice/voice.c. To hear and to see: $work/recording.wav, $work/voice.svg"
