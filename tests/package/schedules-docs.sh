# docs/Schedules.md is true: what it says that commands print, they print; the scripts and schedules that it shows are right on this CPU, too.
. "$(dirname -- "$0")/common.sh"
python3 -c "pass" || exit 77
mkdir bin
ln -s "$KGEN" bin/kgen
cp "$KGEN_SOURCE/tests/schedules/seed-listing.mlir" .
PATH="$WORK/bin:$PATH" python3 -B "$here/onnx_docs.py" "$KGEN_SOURCE/docs/Schedules.md"
bin/kgen bench rows.yaml --time 0.0001 --hot --threads 1 --json bench.json >messages.txt || { cat messages.txt && fail "rows.yaml on this CPU"; }
bin/kgen simulate gemm.yaml --graph large --machine array-2x2 --data | grep -qx 'all results agree' || fail "gemm.yaml computes something else"
# The script that is printed is one to go on from: it needs the schedule's name, and no mark of kgen's.
bin/kgen explain gemm.yaml --schedule large_y | sed 's/@"__kgen_schedule_[^"]*"/@__kgen_schedule_mine/; s/attributes{kgen.schedule_root}/ops{["linalg.generic"]}/' >mine.mlir
cat >mine.yaml <<'END'
library: mine
targets: [array-2x2]
schedules:
  mine: {match: MatMul, script: mine.mlir}
graphs:
  - name: large
    inputs: {x: "i32[1024, 2048]", w: "i32[2048, 512]"}
    nodes: [{name: y, op: MatMul, inputs: [x, w]}]
    outputs: [y]
END
table() { bin/kgen simulate "$@" --machine array-2x2 | sed '/^In and out/,/^$/d'; } # without formulas, which scripts have none of
table gemm.yaml --graph large >shown.txt
table mine.yaml | diff shown.txt - || fail "the printed script does something else than the schedule"
