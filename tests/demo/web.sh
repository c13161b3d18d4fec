# Makes the page of demo/web, calls its module in Node on the samples, and draws digits on it in a headless Chromium.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
for tool in clang-22 wasm-ld "$NODE"; do
  command -v "$tool" >/dev/null || { echo "skipped: no $(basename "$tool")" && exit 77; }
done
rm -rf "$WORK"
mkdir -p "$WORK"
KGEN_BUILD_DIR=$WORK KGEN_NO_INSTALL=1 OUTPUT=$WORK/digits.html sh "$KGEN_SOURCE/demo/web/run.sh"
"$NODE" "$here/web_samples.mjs" "$WORK/web/digits.wasm" "$KGEN_SOURCE/demo/samples"
command -v "$CHROMIUM" >/dev/null || { echo "skipped: no Chromium" && exit 77; }
"$NODE" "$here/web.mjs" "$CHROMIUM" "$WORK/digits.html" "$WORK/screenshots"
