# The same spec gives the same bytes with any -j, from any folder, and part by part.
. "$(dirname -- "$0")/common.sh"
mkdir -p "an other/folder"
cp -r "$KGEN_SOURCE/specs/graphs/digits.yaml" "$KGEN_SOURCE/specs/graphs/digits" "an other/folder"
"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o one -j 1 --quiet
(cd "an other" && "$KGEN" generate folder/digits.yaml -o "$WORK/two" -j 2 --quiet)
diff -r one two || fail "-j 1 and -j 2 differ"

"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" --list-parts >parts.txt
[ "$(wc -l <parts.txt)" = 3 ] || fail "--list-parts printed $(cat parts.txt)"
while read -r part; do
  "$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" --only "$part" -o parts --quiet
done <parts.txt
"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o three --parts parts --quiet
diff -r one three || fail "the whole and its parts differ"
first=$(sed -n 1p parts.txt) second=$(sed -n 2p parts.txt)
"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" --only "$(sed -n 3p parts.txt)" -o few --quiet
expect_failure 1 "$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o four --parts few
for part in "$first" "$second"; do # all that are missing, and the way out
  grep -q "few: has no part $part; make it with --only $part, or add it to GRAPHS and TARGETS" messages.txt ||
    fail "no word of $part"
done
[ ! -e four ] || fail "a library without parts is written"
cat >versions.yaml <<END
library: versions
targets: [x86-64-v3]
dims: {rows: {max: 64}}
versions: {rows: [8, 16]}
graphs:
  - name: forward
    inputs: {x: "f32[rows, 64]"}
    nodes:
      - {name: y, op: Exp, inputs: [x]}
    outputs: [y]
END
expect_failure 1 "$KGEN" generate versions.yaml -o four --parts few
[ "$(grep -c "has no part forward:x86-64-v3" messages.txt)" = 1 ] || fail "a part is named more than once: $(cat messages.txt)"

"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o one --check --quiet || fail "--check of an equal folder"
echo "/* edited */" >>one/digits.h
expect_failure 4 "$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o one --check
grep -q "digits.h" messages.txt || fail "--check does not name the file that differs"
"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o one --quiet
diff -r one two || fail "generating again does not restore the folder"

# What is up to date is left alone: its time stamps stay. Anything else is generated again.
again() { "$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o one "$@"; }
touch -d "1 hour" one/digits.manifest.json # newer than any kgen
touch -d "2000-01-01" one/digits.h
again | grep -q "one: up to date" || fail "an unchanged folder is generated again"
[ one/digits.h -ot two/digits.h ] || fail "an unchanged folder is touched"
again --json | grep -q '"up_to_date": true' || fail "--json does not say that the folder is up to date"
again --always | grep -q "3 variants" || fail "--always generates nothing"
touch -d "1 hour" one/digits.manifest.json
again --provider vector | grep -q "3 variants" || fail "another provider is no change"
touch -d "1 hour" one/digits.manifest.json
again | grep -q "3 variants" || fail "another provider is no change"
for change in "rm one/digits.c" "cp one/digits.c one/digits.h"; do
  touch -d "1 hour" one/digits.manifest.json
  $change
  again | grep -q "3 variants" || fail "not generated again after: $change"
done
touch -d "2000-01-01" one/digits.manifest.json
again | grep -q "3 variants" || fail "a folder older than kgen counts as up to date"
diff -r one two || fail "generating again does not restore the folder"
