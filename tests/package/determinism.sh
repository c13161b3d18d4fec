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

"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o one --check --quiet || fail "--check of an equal folder"
echo "/* edited */" >>one/digits.h
expect_failure 4 "$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o one --check
grep -q "digits.h" messages.txt || fail "--check does not name the file that differs"
"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o one --quiet
diff -r one two || fail "generating again does not restore the folder"
