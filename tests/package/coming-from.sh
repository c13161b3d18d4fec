# docs/Coming-From.md is true: its commands run, and passes are in the stages that it names.
. "$(dirname -- "$0")/common.sh"
python3 -c "pass" || exit 77
ln -s "$KGEN_SOURCE/tests" "$KGEN_SOURCE/specs" .
PATH="$(dirname -- "$KGEN"):$PATH" python3 -B "$here/coming_from.py" "$KGEN_SOURCE/docs/Coming-From.md"
