# What a user gets wrong first: each message says what it is about, and what to write instead. Old keys are accepted.
. "$(dirname -- "$0")/common.sh"
says() { tr -s ' \n' '  ' <messages.txt | grep -q -e "$1" || { cat messages.txt >&2 && fail "no '$1' in the message above"; }; }
mkdir specs here
cp "$here/consumer/shift.yaml" specs/shift.yaml
cp "$KGEN_SOURCE/specs/targets/x86-64-v3.yaml" here/mine.yaml
sed 's/^name: .*/name: mine/' "$KGEN_SOURCE/specs/targets/x86-64-v3.yaml" >here/mine.yaml
spec=$WORK/specs/shift.yaml

# The path of --target is relative to the current folder, a spec's is relative to the spec.
(cd here && "$KGEN" generate "$spec" --target ./mine.yaml -o out --quiet) || fail "--target ./mine.yaml"
expect_failure 1 "$KGEN" generate "$spec" --target ./mine.yaml -o out
says "target file './mine.yaml' does not exist a path on the command line is relative to the current folder"

# Files that are no specs.
cp specs/shift.yaml specs/shift.onnx
expect_failure 1 "$KGEN" check specs/shift.onnx
says "specs/shift.onnx: error: \(expected an ONNX model, found bytes that are no protobuf of one\|this kgen was built without ONNX models\)"
echo "include: [shift.onnx]" | cat - specs/shift.yaml >specs/including.yaml
expect_failure 1 "$KGEN" check specs/including.yaml
says "specs/shift.onnx:1:1: error: this is an ONNX file, expected a spec in YAML"
expect_failure 1 "$KGEN" check specs/shift.yaml --library other --value sr=1
says "specs/shift.yaml: error: --library is for models, and this is a spec"
says "specs/shift.yaml: error: --value is for models, and this is a spec"
expect_failure 1 "$KGEN" check specs/shift.yaml --dim batch=1
says "specs/shift.yaml: error: the spec has no dimension 'batch' \`dims\` names sizes, such as dims: {batch: 64}"
iconv -f utf-8 -t utf-16 specs/shift.yaml >specs/wide.yaml
expect_failure 1 "$KGEN" check specs/wide.yaml
says "specs/wide.yaml:1:1: error: the file is in UTF-16, expected UTF-8"

# A wrong target file is the user's error, with a location, and LLVM says nothing by itself.
sed 's/^tune: .*/tune: zen3/' here/mine.yaml >here/tuned.yaml && sed -i 's/^name: .*/name: tuned/' here/tuned.yaml
expect_failure 1 "$KGEN" generate "$spec" --target here/tuned.yaml -o out
says "^here/tuned.yaml:[0-9]*:7: error: LLVM knows no CPU 'zen3' (did you mean 'znver3'?)"

# Old keys give the same library, with a warning each; so they do as JSON.
sed 's/^gemm_tiles:/blocks:/; s/^reciprocal_throughput:/costs:/' here/mine.yaml >here/mine-old.yaml
mkdir old && mv here/mine-old.yaml old/mine.yaml
"$KGEN" generate "$spec" --target here/mine.yaml -o new --quiet
"$KGEN" generate "$spec" --target old/mine.yaml -o renamed --quiet 2>messages.txt || fail "old keys are refused"
says "old/mine.yaml:[0-9]*:1: warning: 'blocks' is now called 'gemm_tiles'"
says "old/mine.yaml:[0-9]*:1: warning: 'costs' is now called 'reciprocal_throughput'"
diff -r -x shift.manifest.json new renamed || fail "old keys give another library"
expect_failure 1 "$KGEN" generate "$spec" --target old/mine.yaml --target nowhere -o out --json
python3 -B - <<'PYTHON' || fail "JSON with errors and warnings"
import json
result = json.load(open("messages.txt"))
assert len(result["errors"]) == 1 and len(result["warnings"]) == 2, result
PYTHON

# --confine: nothing outside of the folder is read, whether a spec names it by its path or by a link.
mkdir confined && cp specs/shift.yaml confined/ && cp here/mine.yaml confined/
"$KGEN" check confined/shift.yaml --confine confined || fail "a spec in the folder is refused"
expect_failure 1 "$KGEN" check specs/shift.yaml --confine confined
says "specs/shift.yaml: error: .*it is outside of '$WORK/confined', and --confine reads nothing else"
{ echo "include: [../specs/shift.yaml]" && cat specs/shift.yaml; } >confined/including.yaml
expect_failure 1 "$KGEN" generate confined/including.yaml --confine confined -o out
says "it is outside of '$WORK/confined'"
ln -s ../here/mine.yaml confined/linked.yaml
"$KGEN" generate confined/shift.yaml --target confined/mine.yaml --confine confined -o out --quiet || fail "a target in the folder is refused"
rm -r out
expect_failure 1 "$KGEN" generate confined/shift.yaml --target confined/linked.yaml --confine confined -o out
says "it is outside of '$WORK/confined'"
expect_failure 2 "$KGEN" check confined/shift.yaml --confine nowhere
says "'nowhere' is not a folder"

# The manifest has the hashes of what was read.
"$KGEN" generate confined/shift.yaml --target confined/mine.yaml -o hashed --quiet
for file in shift.yaml mine.yaml; do
  grep -A1 "\"path\": \"$file\"" hashed/shift.manifest.json | grep -q "$(sha256sum confined/$file | cut -d' ' -f1)" || fail "no hash of $file in the manifest"
done
echo "# a comment" >>confined/shift.yaml
"$KGEN" generate confined/shift.yaml --target confined/mine.yaml -o hashed | grep -q "up to date" && fail "the hash of another spec stays in the manifest"
rm -r confined hashed

# Folders that cannot be made are named, not what would lie in them.
touch file
expect_failure 1 "$KGEN" generate "$spec" -o out --dump-stages file/dump
says "dump-stages: cannot create the folder 'file/dump'"
expect_failure 1 "$KGEN" generate "$spec" -o file/library
if grep -q 'kgen-[0-9]' messages.txt; then cat messages.txt >&2 && fail "the message above names a temporary folder"; fi

# `kgen targets` shows for which CPUs a target is.
"$KGEN" targets >targets.txt
grep -q "^zen5 .* AuthenticAMD, family 0x1a " targets.txt || { cat targets.txt >&2 && fail "kgen targets does not show only_on"; }
sed 's/^name: .*/name: e-cores/' here/mine.yaml >here/e-cores.yaml
echo "only_on: {vendor: GenuineIntel, families: [6], models: [0xbe]}" >>here/e-cores.yaml
rm here/tuned.yaml
"$KGEN" targets --target-path here >targets.txt
grep -q "^e-cores .* GenuineIntel, family 0x6, model 0xbe " targets.txt || { cat targets.txt >&2 && fail "kgen targets does not show models"; }
"$KGEN" generate "$spec" --target x86-64-v2 --target here/e-cores.yaml -o models --quiet
grep -q '"models": \[' models/shift.manifest.json || fail "no models in the manifest"
grep -q "kgenrt_models_e_cores" models/shift.c || fail "no models in the dispatcher"
"$CC" -std=c11 -Wall -Wextra -Werror -Wno-unused-parameter -c models/shift.c -o models.o

# What is typed instead of a command, and arguments that a command does not take.
"$KGEN" import --help >help.txt && grep -q "^  kgen import net.onnx" help.txt || fail "no example of import in its help"
if grep -q "kgen tune mlp.yaml" help.txt; then fail "the help of import has the examples of others"; fi
for words in "net.onnx:kgen generate net.onnx" "help generate:kgen generate --help" "help:kgen --help" "version:kgen --version"; do
  # shellcheck disable=SC2086
  expect_failure 2 "$KGEN" ${words%%:*}
  says "there is no command '[a-z.]*': expected '${words#*:}'"
done
expect_failure 2 "$KGEN" check "$spec" twice --grap x
says "'check' does not take 'twice --grap x' (did you mean '--graph'?)"
expect_failure 2 "$KGEN" bench "$spec" --plot roof.png
says "the drawing is SVG: expected a name that ends in .svg, found 'roof.png'"
expect_failure 1 "$KGEN" check "$spec" --graph shif
says "the library has no graph 'shif'"
[ -z "$("$KGEN" check "$spec" -q)" ] || fail "kgen check -q prints something"
"$KGEN" explain "$KGEN_SOURCE/specs/graphs/digits.yaml" --graph 'class*' --provider vector --target x86-64-v2 >explained.txt
grep -q "^classify on x86-64-v2" explained.txt || fail "explain --graph"

# Files of other programs are called by their names, and so are other CPUs.
printf 'PK\003\004zip' >specs/net.pt
printf '\034\0\0\0TFL3\0\0' >specs/net.tflite
cp specs/net.pt specs/zip.onnx
expect_failure 1 "$KGEN" check specs/net.pt
says "this is a zip archive, as PyTorch writes models: torch.onnx.export"
expect_failure 1 "$KGEN" check specs/net.tflite
says "this is a TensorFlow Lite model"
expect_failure 1 "$KGEN" check specs/zip.onnx
says "\(this is a zip archive\|this kgen was built without ONNX models\)"
expect_failure 1 "$KGEN" generate "$spec" --target loongarch64 -o out
says "'loongarch64' is a kind of CPU: this kgen has targets for x86_64-[a-z-]*, aarch64-[a-z-]*, wasm32-[a-z-]*, riscv64-[a-z-]* only"

# Names of outputs that cannot be, and modes of folders.
expect_failure 1 "$KGEN" generate "$spec" -o "$(printf 'a%.0s' $(seq 300))"
says "cannot use '.*aaa': File name too long"
mkdir page
expect_failure 1 "$KGEN" explain "$spec" --html page
says "'page' is a folder; expected the name of a file"
(umask 022 && "$KGEN" generate "$spec" -o moded --quiet --dump-stages dump)
for folder in dump dump/*; do [ "$(stat -c %a "$folder")" = 755 ] || fail "$folder has the mode $(stat -c %a "$folder")"; done
