# Every spec of tests/errors fails with exit status 1, a located message, and nothing left behind.
. "$(dirname -- "$0")/common.sh"
count=0
failed=0
for spec in "$KGEN_SOURCE"/tests/errors/*.yaml; do
  count=$((count + 1))
  status=0
  "$KGEN" generate "$spec" -o output --quiet >messages.txt 2>&1 || status=$?
  if [ "$status" != 1 ] || ! grep -q "$(basename "$spec"):[0-9]*:[0-9]*: error: " messages.txt; then
    echo "$spec: exit status $status, expected 1 and a located message:"
    cat messages.txt
    failed=1
  fi
  [ "$(ls -A)" = messages.txt ] || fail "$spec: left behind: $(ls -A)"
done
[ "$count" -ge 20 ] || fail "only $count specs in tests/errors"
[ "$failed" = 0 ] || fail "see above"
