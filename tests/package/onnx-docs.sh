# docs/ONNX.md is true: what it says that commands print, they print.
. "$(dirname -- "$0")/common.sh"
/usr/bin/python3 -c "import onnx" || exit 77
/usr/bin/python3 -B "$here/onnx_models.py" "$WORK"
mkdir bin
ln -s "$KGEN" bin/kgen
ln -s "$(command -v "$CC")" bin/cc
PATH="$WORK/bin:$PATH" /usr/bin/python3 -B "$here/onnx_docs.py" "$KGEN_SOURCE/docs/ONNX.md"
