# docs/ONNX.md is true: what it says that commands print, they print. README.md's commands for a model work, and make a library.
. "$(dirname -- "$0")/common.sh"
/usr/bin/python3 -c "import onnx" || exit 77
/usr/bin/python3 -B "$here/onnx_models.py" "$WORK"
mkdir bin
ln -s "$KGEN" bin/kgen
ln -s "$(command -v "$CC")" bin/cc
grep '^    kgen .*net' "$KGEN_SOURCE/README.md" >commands.sh
[ "$(wc -l <commands.sh)" = 4 ] || fail "README.md has other commands: $(cat commands.sh)"
(cd net && PATH="$WORK/bin:$PATH" sh -eux ../commands.sh && [ -e lib/net.h ] && [ -e lib/net.c ] && [ -e lib/CMakeLists.txt ]) ||
  fail "the commands of README.md"
sed -n '/^```c net.c$/,/^```$/p' "$KGEN_SOURCE/README.md" | sed '/^```/d' >net/net.c
grep '^    cc .*net-demo' "$KGEN_SOURCE/README.md" >compile.sh
(cd net && PATH="$WORK/bin:$PATH" sh -eu ../compile.sh) >result.txt || fail "the program of README.md"
grep -qE '^[-0-9.e]+( [-0-9.e]+){3}$' result.txt || fail "the program of README.md printed: $(cat result.txt)"
PATH="$WORK/bin:$PATH" /usr/bin/python3 -B "$here/onnx_docs.py" "$KGEN_SOURCE/docs/ONNX.md"
