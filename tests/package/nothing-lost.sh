# Whatever of somebody else's is in the way of a command that writes: a file, a folder, a library, a spec. Nothing is lost.
. "$(dirname -- "$0")/common.sh"
cp "$here/consumer/shift.yaml" shift.yaml
cat >scale.yaml <<'END'
library: scale
targets: [x86-64-v2]
graphs:
  - name: apply
    inputs: {x: "f32[4, 8]"}
    weights: {w: {type: "f32[8, 8]", random: {seed: 1}}}
    nodes: [{name: y, op: MatMul, inputs: [x, w]}]
    outputs: [y]
END
says() { tr -s ' \n' '  ' <messages.txt | grep -q -e "$1" || { cat messages.txt >&2 && fail "no '$1' in the message above"; }; }

# kept STATUS TEXT COMMAND...: fails with the text, and all files here are as they were.
kept() {
  status=$1 text=$2
  shift 2
  find . -type f ! -name messages.txt ! -name sums.txt -exec sha256sum {} + | sort >sums.txt
  expect_failure "$status" "$@"
  says "$text"
  find . -type f ! -name messages.txt ! -name sums.txt -exec sha256sum {} + | sort | cmp - sums.txt || fail "something changed: $*"
}

# generate: folders of somebody, of another library, or with a file of somebody among those of the library; a file.
mkdir mine && echo precious >mine/notes.txt
kept 1 "is not empty and kgen did not write it" "$KGEN" generate shift.yaml -o mine
"$KGEN" generate scale.yaml -o scale -q
kept 1 "holds the library 'scale', which 'shift' does not replace" "$KGEN" generate shift.yaml -o scale
echo precious >scale/notes.txt
sed 's/seed: 1/seed: 2/' scale.yaml >scaled.yaml
kept 1 "notes.txt" "$KGEN" generate scaled.yaml -o scale
rm scale/notes.txt
kept 1 "shift.yaml" "$KGEN" generate shift.yaml -o shift.yaml

# Folders for single files: what else lies there stays.
"$KGEN" generate shift.yaml --dump-stages mine -q
[ "$(cat mine/notes.txt)" = precious ] || fail "--dump-stages and the notes"
kept 1 "cannot create the folder 'shift.yaml/stages'" "$KGEN" generate shift.yaml --dump-stages shift.yaml/stages
kept 1 "'shift.yaml' is read by this command" "$KGEN" generate shift.yaml -o fresh --depfile shift.yaml
sed 's/{name: y, op: MatMul, inputs: \[x, w\]}/{op: extern, symbol: mine, inputs: [x, w], outputs: {y: "f32[4, 8]"}}/' scale.yaml >called.yaml
echo precious >scale_stubs.c
kept 1 "'scale_stubs.c' is there already, and --stubs never overwrites it" "$KGEN" generate called.yaml --stubs

# Pages, drawings, results and reports replace their own kind only, and say so before they do anything else.
echo "<!DOCTYPE html><title>my page</title>" >page.html
echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >drawing.svg
echo '{"name": "mine"}' >package.json
for file in page.html shift.yaml; do
  kept 2 "'$file' is there, and is no page of kgen's" "$KGEN" explain shift.yaml --html $file
  kept 2 "'$file' is there, and is no page of kgen's" "$KGEN" simulate shift.yaml --machine array-2x2 --html $file
done
kept 2 "'drawing.svg' is there, and is no drawing of kgen's" "$KGEN" bench shift.yaml --plot drawing.svg
for file in package.json shift.yaml; do
  kept 2 "'$file' is there, and is no JSON of kgen's" "$KGEN" bench shift.yaml --json $file
  kept 2 "'$file' is there, and is no JSON of kgen's" "$KGEN" tune shift.yaml --json $file
  kept 2 "'$file' is there, and is no JSON of kgen's" "$KGEN" verify shift.yaml --against none.npz --json $file
done
for command in generate explain "bench --time 0.01" tune "verify --against none.npz" "simulate --machine array-2x2"; do
  # shellcheck disable=SC2086
  kept 2 "'shift.yaml' is there, and is no report of kgen's" "$KGEN" $command shift.yaml --report shift.yaml
done

# What kgen wrote it replaces.
for _ in once again; do
  "$KGEN" explain scale.yaml --target x86-64-v2 --html explained.html || fail "a page of kgen's own"
  "$KGEN" bench scale.yaml --target x86-64-v2 --time 0.01 --hot --threads 1 --json bench.json --plot bench.svg >bench.txt || fail "results of kgen's own"
done
: >empty.html
"$KGEN" explain scale.yaml --target x86-64-v2 --html empty.html || fail "an empty file"

# tune: a target that is there.
cp "$KGEN_SOURCE/specs/targets/x86-64-v2.yaml" x86-64-v2.yaml
kept 1 "x86-64-v2.yaml: error: the file is there already" "$KGEN" tune scale.yaml --target x86-64-v2 --time 1 --output .
