# Every spec of tests/errors (target-*.yaml and machine-*.yaml: used as the target of a good spec) fails with exit status 1 and as many messages as it has "# expect: line:col: text"
# lines, each at its place and with its text, and leaves no files: neither a folder nor part of one. One spec of eight, others each day
# (KGEN_TEST_DAY); all of them with the long tests.
. "$(dirname -- "$0")/common.sh"
count=0
parts=8
[ -z "${KGEN_LONG_TESTS:-}" ] || parts=1
day=$(python3 -B "$KGEN_SOURCE/tests/lib/share.py")
echo "one spec of $parts, KGEN_TEST_DAY=$day"
failed=0
for spec in "$KGEN_SOURCE"/tests/errors/*.yaml "$KGEN_SOURCE"/tests/errors/operators/*.yaml "$KGEN_SOURCE"/tests/errors/models/*.yaml "$KGEN_SOURCE"/tests/errors/schedules/*.yaml "$KGEN_SOURCE"/tests/errors/systems/*.yaml; do
  count=$((count + 1))
  [ $(((count + day) % parts)) = 0 ] || continue
  status=0
  case $(basename "$spec") in
  target-* | machine-*) set -- "$here/consumer/shift.yaml" --target "$spec" ;;
  *) set -- "$spec" ;;
  esac
  "$KGEN" generate "$@" -o output --quiet >messages.txt 2>&1 || status=$?
  sed -n 's/^# expect: \([0-9]*:[0-9]*\): */\1 /p' "$spec" >expected.txt
  problem=
  [ "$status" = 1 ] || problem="exit status $status, expected 1"
  [ -s expected.txt ] || problem="no '# expect:' line"
  while read -r place text; do
    grep -F "$(basename "$spec"):$place: error: " messages.txt | grep -qF -- "$text" || problem="no message $place: $text"
  done <expected.txt
  [ "$(grep -c ':[0-9]*:[0-9]*: error: ' messages.txt)" = "$(wc -l <expected.txt)" ] || problem=${problem:-"other messages than expected"}
  if [ -n "$problem" ]; then
    echo "$spec: $problem:"
    cat messages.txt
    failed=1
  fi
  rm expected.txt
  [ "$(ls -A)" = messages.txt ] || fail "$spec: left behind: $(ls -A)"
done
[ "$count" -ge 20 ] || fail "only $count specs in tests/errors"
[ "$failed" = 0 ] || fail "see above"
