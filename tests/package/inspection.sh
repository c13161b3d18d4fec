# The code after each stage is written out, and the remaining stages lead from any of them to the same end; what kgen explains
# is what it generates.
. "$(dirname -- "$0")/common.sh"
opt="$(dirname -- "$KGEN")/kgen-opt"
attention="$KGEN_SOURCE/tests/unit/explain/attention.yaml"

# replay DIRECTORY PREFIX STAGE...: the stages that follow each file give what the last file has.
replay() {
  directory=$1
  prefix=$2
  shift 2
  [ "$(find "$directory" -type f | wc -l)" = $(($# + 1)) ] || fail "$directory: $(ls "$directory")"
  last=$(find "$directory" -type f | sort | tail -n 1)
  "$opt" "$last" -o last.mlir
  for file in $(find "$directory" -type f | sort); do
    flags=""
    for stage in "$@"; do
      flags="$flags --kgen-$stage-stage=weight-prefix=$prefix"
    done
    # shellcheck disable=SC2086 # a list of flags
    "$opt" "$file" $flags -o replayed.mlir || fail "kgen-opt refuses $file $flags"
    cmp last.mlir replayed.mlir || fail "$file $flags"
    [ $# = 0 ] || shift
  done
}

# some PATTERN FILE, none PATTERN FILE
some() { grep -q -e "$1" "$2" || fail "no '$1' in $2"; }
none() { ! grep -n -e "$1" "$2" || fail "'$1' in $2"; }

"$KGEN" generate "$attention" -o attention --quiet --dump-stages dump
"$KGEN" generate "$attention" -o plain --quiet
"$KGEN" generate "$attention" -o plain --quiet --dump-stages short --no-dump-weights
some 'tpp\.gemm' short/block.x86-64-v3/04-pack.mlir
some '"0x' dump/block.x86-64-v3/04-pack.mlir
none '"0x' short/block.x86-64-v3/04-pack.mlir
diff -r attention plain || fail "--dump-stages changes the library"
for target in x86-64-v2 x86-64-v3; do
  d=dump/block.$target
  for stage in 04-pack 06-vectorize 07-bufferize; do # contractions are tile operations
    [ "$(grep -c 'tpp\.gemm' $d/$stage.mlir)" = 6 ] || fail "$d/$stage.mlir: contractions"
    none 'ukernel\.call' $d/$stage.mlir
  done
  none 'tensor<.*->' $d/07-bufferize.mlir
  some 'ukernel\.call' $d/08-macro-kernel.mlir # then calls, of kernels that nobody has written yet
  some 'ukernel\.gemm' $d/08-macro-kernel.mlir
  none 'tpp\.' $d/08-macro-kernel.mlir
  some 'ukernel\.call' $d/09-micro-kernel.mlir
  none 'ukernel\.gemm' $d/09-micro-kernel.mlir
  none ' \(func\|scf\|memref\|ukernel\)\.' $d/11-llvm.mlir
  replay $d attention_weights_ raise fuse pack tiling vectorize bufferize macro-kernel micro-kernel parallel llvm
done

"$KGEN" generate "$attention" --reference -o reference --quiet --dump-stages dump-reference --target x86-64-v3
replay dump-reference/block.x86-64-v3 attention_weights_ reference-bufferize parallel llvm

# Recording decisions changes nothing but the attributes that hold them.
sed 's/^module attributes {/&kgen.decisions = [], /' dump/block.x86-64-v3/01-ingress.mlir >recorded.mlir
flags=""
for stage in raise fuse pack tiling vectorize bufferize macro-kernel; do
  flags="$flags --kgen-$stage-stage"
done
# shellcheck disable=SC2086 # a list of flags
"$opt" dump/block.x86-64-v3/01-ingress.mlir $flags -o silent.mlir
# shellcheck disable=SC2086 # a list of flags
"$opt" recorded.mlir $flags -o recorded-end.mlir
some 'kind = "tiled"' recorded-end.mlir
grep -v 'kgen.decisions\|kgen.target\|func.func @' recorded-end.mlir >a.txt
grep -v 'kgen.decisions\|kgen.target\|func.func @' silent.mlir >b.txt
cmp a.txt b.txt || fail "recording changes the code"

"$KGEN" generate "$attention" -o attention --always --json >generated.json
"$KGEN" explain "$attention" --json --html page.html >explained.json
"$KGEN" explain "$attention" >explained.txt
"$KGEN" explain "$attention" | cmp - explained.txt || fail "kgen explain says something else every time"
python3 -B - <<'PYTHON' || fail "what is explained is not what was generated"
import json, xml.dom.minidom
generated, explained = json.load(open("generated.json")), json.load(open("explained.json"))
sizes = {(p["function"], p["variant"]): p["workspace_bytes"] for p in generated["parts"]}
assert sizes == {(p["graph"], p["target"]): p["workspace_bytes"] for p in explained["parts"]}, sizes
assert generated["weight_bytes"] == explained["weight_bytes"]
manifest = json.load(open("attention/attention.manifest.json"))
for part in explained["parts"]:
    assert manifest["graphs"][0]["workspace_bytes"][part["target"]] == part["workspace_bytes"]
    names = [node["name"] for node in part["nodes"]]
    assert len(names) == len(set(names)) == 17, names
page = xml.dom.minidom.parse("page.html")
graphs = [svg for svg in page.getElementsByTagName("svg") if svg.getAttribute("class") == "graph"]
assert len(graphs) == 2
for svg in graphs:
    texts = [text.firstChild.data for text in svg.getElementsByTagName("text")]
    for name in names:
        assert name in texts, name
PYTHON
expect_failure 1 "$KGEN" explain "$attention" --target nowhere
expect_failure 1 "$KGEN" explain "$attention" --html page.html/inside.html

# Variants share one copy of the packed weights.
mlp=$KGEN_SOURCE/specs/graphs/mlp-3x1024.yaml
"$KGEN" generate "$mlp" -o mlp --target x86-64-v2 --target x86-64-v3 --target x86-64-v4 --json >mlp.json
python3 -B - <<'PYTHON' || fail "the library is larger than 1.05 times its weights"
import json
generated, plain = json.load(open("mlp.json")), 3 * 4 * (1024 * 1024 + 1024)
assert plain <= generated["weight_bytes"] and generated["bytes"] <= 1.05 * plain, generated
PYTHON
