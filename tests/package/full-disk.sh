# Where results cannot be written: exit status 1, a message that says so, and nothing half-written.
. "$(dirname -- "$0")/common.sh"
spec="$here/consumer/shift.yaml"
[ -c /dev/full ] || fail "no /dev/full"

full() {
  status=0
  "$KGEN" "$@" 2>messages.txt >/dev/full || status=$?
  [ "$status" = 1 ] || fail "exit status $status: $*"
  grep -q "^kgen: error: cannot write to " messages.txt || { cat messages.txt >&2 && fail "no message: $*"; }
}
full targets
full targets --json
full ops
full ops --json
full --help
full check "$spec"
full explain "$spec"
full explain "$spec" --json
full generate "$spec" -o library
rm -r library # which is complete

# A file where a folder is wanted, and a folder where a file is.
touch file
expect_failure 1 "$KGEN" generate "$spec" -o file/library --quiet
expect_failure 1 "$KGEN" generate "$spec" -o file --quiet
mkdir folder
expect_failure 1 "$KGEN" explain "$spec" --html folder
rmdir folder
rm file messages.txt
[ -z "$(ls -A)" ] || fail "left behind: $(ls -A)"
