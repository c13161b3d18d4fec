#!/bin/sh
# The networks of the demonstration, from npm's package of a voice activity detector: sh model.sh FOLDER
# Leaves silero_vad_v5.onnx and silero_vad_legacy.onnx there; downloads nothing if they are there already.
set -eu
package=@ricky0123/vad-web@0.0.31
folder=$1
check() {
  printf '%s\n' \
    "2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f  silero_vad_v5.onnx" \
    "a35ebf52fd3ce5f1469b2a36158dba761bc47b973ea3382b3186ca15b1f5af28  silero_vad_legacy.onnx" |
    (cd "$folder" && sha256sum --check --status)
}
mkdir -p "$folder"
if check 2>/dev/null; then exit 0; fi
command -v npm >/dev/null || { printf 'npm is missing (Debian: npm); it brings %s\n' "$package" >&2 && exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$scratch" && npm pack --silent "$package" >/dev/null && tar -xzf ./*.tgz)
cp "$scratch/package/dist/silero_vad_v5.onnx" "$scratch/package/dist/silero_vad_legacy.onnx" "$folder"
check || { printf '%s: expected other models in %s (their sha256 differs)\n' "$folder" "$package" >&2 && exit 1; }
