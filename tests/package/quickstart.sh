# The quick start from nothing, in a folder with a space in its name, and again; the source tree stays as it was (long).
. "$(dirname -- "$0")/common.sh"
state() { git -C "$KGEN_SOURCE" status --porcelain 2>/dev/null || true; }
before=$(state)
for time in first second; do
  KGEN_NO_INSTALL=1 KGEN_BUILD_DIR="$WORK/bu ild" sh "$KGEN_SOURCE/cmake/quickstart.sh" </dev/null >"$time.txt"
  for digit in 0 1 2 3 4 5 6 7 8 9; do
    awk -v sample="demo/samples/$digit.txt" '$0 == sample {on = 1} /samples/ && $0 != sample {on = 0} on' "$time.txt" |
      grep -q "x86-64-v2  *$digit  (" || fail "$time run: the wrong answer for $digit"
  done
done
[ "$before" = "$(state)" ] || fail "git status has changed: $(state)"
