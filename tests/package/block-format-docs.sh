# docs/Block-Format.md is true: what it says that commands print, they print.
. "$(dirname -- "$0")/common.sh"
python3 -c "pass" || exit 77
mkdir bin
ln -s "$KGEN" bin/kgen
ln -s "$(command -v "$CC")" bin/cc
PATH="$WORK/bin:$PATH" python3 -B "$here/onnx_docs.py" "$KGEN_SOURCE/docs/Block-Format.md"
