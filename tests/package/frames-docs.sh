# docs/Frame-By-Frame.md is true: its programs and commands, with a C and a C++ compiler and NumPy.
. "$(dirname -- "$0")/common.sh"
/usr/bin/python3 -c "import numpy" 2>/dev/null || exit 77
mkdir bin docs
ln -s "$KGEN" bin/kgen
ln -s "$(command -v "$CC")" bin/cc
ln -s "$(command -v "$CXX")" bin/c++
ln -s /usr/bin/python3 bin/python3
cd docs
PATH="$WORK/bin:$PATH" /usr/bin/python3 -B "$here/onnx_docs.py" "$KGEN_SOURCE/docs/Frame-By-Frame.md" 9
