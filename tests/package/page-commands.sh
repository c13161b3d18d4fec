# Pages are true: what they say that commands print, they print. Commands run in a folder with `specs` and `tests` of the source tree. Arguments: pages
# below docs.
. "$(dirname -- "$0")/common.sh"
python3 -c "pass" || exit 77
mkdir bin
for program in kgen kgen-opt kgen-run; do
  ln -s "$(dirname -- "$KGEN")/$program" "bin/$program"
done
ln -s "$KGEN_SOURCE/tests" "$KGEN_SOURCE/specs" .
for page; do
  echo "$page"
  PATH="$WORK/bin:$PATH" python3 -B "$here/onnx_docs.py" "$KGEN_SOURCE/docs/$page.md" 1
done
