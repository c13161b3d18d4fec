# generated/digits is what kgen would generate, and it builds and answers with a C compiler alone, from a copy of that folder.
. "$(dirname -- "$0")/common.sh"
committed=$KGEN_SOURCE/generated/digits
"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o "$committed" --emit asm --check ||
  fail "differs; to renew it: kgen generate specs/graphs/digits.yaml -o generated/digits --emit asm"
[ "$(cat "$committed"/* "$committed"/objects/* 2>/dev/null | wc -c)" -le 400000 ] || fail "more text than a reviewer reads"
if grep -rlP '[^\x00-\x7F]' "$committed"; then fail "not plain text"; fi

"$CC" -std=c11 -D_POSIX_C_SOURCE=200809L -I "$committed" -I "$KGEN_SOURCE/demo" "$committed"/digits.c "$committed"/objects/*.s \
  "$KGEN_SOURCE/demo/digits.c" -o digits
./digits "$KGEN_SOURCE/demo/samples/3.txt" >answer.txt
grep -q "x86-64-v2  *3  " answer.txt || { cat answer.txt >&2 && fail "the wrong answer"; }
