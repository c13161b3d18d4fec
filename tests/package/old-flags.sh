# kgen-opt accepts each old flag of RenamedFlags.def, by itself and in --pass-pipeline, with a warning that names the new one,
# and knows the new one.
. "$(dirname -- "$0")/common.sh"
opt="$(dirname -- "$KGEN")/kgen-opt"
echo "module {}" >empty.mlir # gets a target, which some passes want
sed -n 's/^KGEN_RENAMED_FLAG("\(.*\)", "\(.*\)")$/\1 \2/p' "$KGEN_SOURCE/generator/tools/RenamedFlags.def" >flags.txt
[ "$(grep -c . flags.txt)" -ge 30 ] || fail "no flags in RenamedFlags.def"
"$opt" --help >help.txt
while read -r old new; do
  pass="${new%%=*}" # a name may bring options
  grep -q -- "--$pass " help.txt || fail "kgen-opt has no --$pass: correct its row in RenamedFlags.def"
  if grep -q -- "--$old " help.txt; then fail "--$old is a flag again: remove its row from RenamedFlags.def"; fi
  set -- "$@" "--$old"
done <flags.txt
"$opt" empty.mlir --kgen-target=x86-64-v3 "$@" -o out.mlir 2>warnings.txt || { cat warnings.txt >&2 && fail "an old flag is refused"; }
while read -r old new; do
  grep -qx "kgen-opt: warning: '$old' is now called '$new'" warnings.txt || fail "no warning for --$old"
done <flags.txt
[ "$(grep -c . warnings.txt)" = "$(grep -c . flags.txt)" ] || { cat warnings.txt >&2 && fail "more than the warnings"; }
"$opt" empty.mlir --pass-pipeline='builtin.module(func.func(kgen-block-rows,cse))' -o out.mlir 2>warnings.txt
grep -q "'kgen-block-rows' is now called 'kgen-cache-tiling'" warnings.txt || fail "no warning inside of --pass-pipeline"
"$opt" empty.mlir --pass-pipeline='builtin.module(func.func(kgen-raise-softmax,cse))' -o out.mlir 2>warnings.txt ||
  fail "options of a new name are not understood inside of --pass-pipeline"
"$opt" empty.mlir --kgen-cache-tiling -o out.mlir 2>warnings.txt
[ ! -s warnings.txt ] || fail "a warning without an old flag: $(cat warnings.txt)"
