# What readelf says of programs and libraries: of kgen, which reads files of strangers, and of what it writes.
. "$(dirname -- "$0")/common.sh"

# No program or shared library of the build folder looks into the current folder: no empty entry, none that is relative.
find "$KGEN_BUILD" -type f \( -perm -u+x -o -name '*.so*' \) ! -name '*.sh' ! -name '*.py' >files.txt
count=0
while read -r file; do
  path=$(readelf -d "$file" 2>/dev/null | sed -n 's/.*(R[UN]*PATH).*\[\(.*\)\]/\1/p') || continue
  [ -n "$path" ] || continue
  count=$((count + 1))
  for entry in $(printf '%s' "$path" | sed 's/^:/EMPTY:/; s/:$/:EMPTY/; s/::/:EMPTY:/g' | tr ':' ' '); do
    case $entry in
    /* | '$ORIGIN'*) ;;
    *) fail "$file looks for libraries in '$path'" ;;
    esac
  done
done <files.txt
[ "$count" -gt 2 ] || fail "only $count files with a path of their own in $KGEN_BUILD"

# Position-independent, read-only after its relocation, checked stack and copies.
for program in kgen kgen-opt kgen-run; do
  file=$KGEN_BUILD/bin/$program
  readelf -hldW "$file" >headers.txt
  grep -q 'Type: *DYN' headers.txt || fail "$program is not position-independent"
  grep -q 'GNU_RELRO' headers.txt || fail "$program has no relro"
  grep -q 'FLAGS.*NOW' headers.txt || fail "$program binds lazily"
  grep 'GNU_STACK' headers.txt | grep -q 'RW ' || fail "$program has an executable stack"
  readelf --dyn-syms -W "$file" >symbols.txt
  grep -q '__stack_chk_fail' symbols.txt || fail "$program has no stack protector"
done
if grep -q '^CMAKE_BUILD_TYPE:STRING=Rel' "$KGEN_BUILD/CMakeCache.txt"; then
  readelf --dyn-syms -W "$KGEN_BUILD/bin/kgen" | grep -q '_chk@' || fail "kgen has no checked functions of the C library"
fi

# Generated objects: indirect branch tracking and shadow stacks stay on in programs that link them; debuggers and exceptions find the way
# through entries and tasks; nothing of them can be written.
check_object() {
  readelf -n "$1" | grep -q 'x86 feature: IBT, SHSTK' || fail "$1 has no note of IBT and SHSTK"
  readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' | awk '$7 == "WA" && $5 !~ /^0+$/ && $1 !~ /^\.data\.rel\.ro/ { exit 1 }' || fail "$1 has writable data"
}
spec=$KGEN_SOURCE/specs/graphs/digits.yaml
"$KGEN" generate "$spec" -o digits --quiet --target x86-64-v2 --target x86-64-v3
for object in digits/objects/*.o; do check_object "$object"; done
for object in digits/objects/*.x86-64-v3.o; do
  readelf -SW "$object" | grep -q '\.eh_frame' || fail "$object has no .eh_frame"
  objdump -d "$object" >code.txt
  grep -q 'endbr64' code.txt || fail "$object has no endbr64"
done
"$CC" -shared -nostdlib -nostartfiles -Wl,-z,cet-report=error -o digits.so digits/objects/*.o || fail "the objects switch CET off"
"$KGEN" generate "$spec" -o text --quiet --target x86-64-v3 --emit asm
for source in text/objects/*.s; do
  "$CC" -c "$source" -o text.o
  check_object text.o
done
cat >product.yaml <<'SPEC'
library: product
targets: [x86-64-v3]
graphs:
  - name: f
    inputs: {x: "f32[32, 64]"}
    weights: {w: {type: "f32[64, 64]", random: {seed: 1}}}
    nodes: [{name: y, op: MatMul, inputs: [x, w]}]
    outputs: [y]
SPEC
"$KGEN" generate product.yaml -o xsmm --quiet --provider xsmm
for object in xsmm/objects/*.o; do check_object "$object"; done
