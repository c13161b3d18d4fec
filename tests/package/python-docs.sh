# docs/Python.md is true: what it says that commands print, they print.
. "$(dirname -- "$0")/common.sh"
/usr/bin/python3 -c "import numpy, onnx" || exit 77
mkdir bin
ln -s "$KGEN" bin/kgen
ln -s "$(command -v "$CC")" bin/cc
ln -s /usr/bin/python3 bin/python3
cp -r "$KGEN_SOURCE/python" "$KGEN_SOURCE/specs/graphs/digits.yaml" "$KGEN_SOURCE/specs/graphs/digits" .
PATH="$WORK/bin:$PATH" PYTHONDONTWRITEBYTECODE=1 python3 -B "$here/onnx_docs.py" "$KGEN_SOURCE/docs/Python.md"
