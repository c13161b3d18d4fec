# kgen-opt accepts each old flag of RenamedFlags.def, by itself and in --pass-pipeline, with a warning that names the new one,
# and knows the new one. The same of old names of stages (RenamedStages.def), in flags and in dumps.
. "$(dirname -- "$0")/common.sh"
opt="$(dirname -- "$KGEN")/kgen-opt"
echo "module {}" >empty.mlir # gets a target, which some passes want
sed -n 's/^KGEN_RENAMED_FLAG("\(.*\)", "\(.*\)")$/\1 \2/p' "$KGEN_SOURCE"/generator/tools/RenamedFlags.def "$KGEN_SOURCE"/generator/backend/*/RenamedFlags.def >flags.txt
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

sed -n 's/^KGEN_RENAMED_STAGE("\(.*\)")$/\1/p' "$KGEN_SOURCE/generator/pipeline/RenamedStages.def" | sed 's/", "/ /g' >stages.txt
[ "$(grep -c . stages.txt)" -ge 5 ] || fail "no stages in RenamedStages.def"
"$KGEN" generate "$KGEN_SOURCE/specs/graphs/digits.yaml" -o digits --target x86-64-v3 --dump-stages dump >out.txt 2>dump-warnings.txt
code="$(find dump -name 01-ingress.mlir)"
while read -r old new; do
  flags="" names=""
  for stage in $new; do
    grep -q -- "--kgen-$stage-stage " help.txt || fail "kgen-opt has no --kgen-$stage-stage: correct its row in RenamedStages.def"
    flags="$flags --kgen-$stage-stage" names="$names, '$stage'" last=$stage
  done
  warning="the stage '$old' is now called ${names#, }"
  # Each reads what the stage before it leaves.
  case $old in
  reference-*) from="$code" ;;
  *) from="$(ls "$(dirname "$code")"/*-"$old.mlir")" && from="$(find "$(dirname "$code")" -type f | sort | grep -B1 -- "-${new%% *}.mlir" | head -n 1)" ;;
  esac
  "$opt" "$from" "--kgen-$old-stage" -o old.mlir 2>warnings.txt || fail "--kgen-$old-stage is refused: $(cat warnings.txt)"
  grep -qx "kgen-opt: warning: $warning" warnings.txt || fail "no warning for --kgen-$old-stage"
  # shellcheck disable=SC2086 # a list of flags
  "$opt" "$from" $flags -o new.mlir 2>warnings.txt || fail "$flags is refused: $(cat warnings.txt)"
  [ ! -s warnings.txt ] || fail "$flags gives a warning"
  cmp old.mlir new.mlir || fail "--kgen-$old-stage is not $flags"
  "$opt" new.mlir "--kgen-verify-stage=$old" -o out.mlir 2>warnings.txt || fail "--kgen-verify-stage=$old fails: $(cat warnings.txt)"
  grep -qx "kgen-opt: warning: $warning" warnings.txt || fail "no warning for --kgen-verify-stage=$old"
  case $old in reference-*) continue ;; esac
  cmp "$(ls "$(dirname "$code")"/*-"$old.mlir")" "$(ls "$(dirname "$code")"/*-"$last.mlir")" || fail "the dump of $old is not that of $last"
  grep -q "kgen: warning: --dump-stages: $warning" dump-warnings.txt || fail "no warning for the dump of $old"
done <stages.txt
[ "$(find dump -name '0*-*.mlir' -type l | sed 's/.*\///' | sort | tr '\n' ' ')" = \
  "02-layout.mlir 03-vector.mlir 04-buffer.mlir 05-tile.mlir 06-micro-kernel.mlir 07-parallel.mlir 08-llvm.mlir " ] || fail "links: $(ls -l dump/*)"
