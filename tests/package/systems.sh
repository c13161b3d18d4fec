# One spec for several operating systems: folders, their choice, options, tables of frames, and what is refused. Nothing is run.
. "$(dirname -- "$0")/common.sh"
"$KGEN" check "$here/systems.yaml" | grep -q "ok (3 graphs, 5 nodes, 2 targets)" || fail "check"
"$KGEN" generate "$here/systems.yaml" -o net --quiet
for system in linux windows macos; do
  "$KGEN" generate "$here/systems.yaml" --system $system -o alone --quiet
  diff -r alone net/x86_64-$system || fail "the folder of $system is another one"
done
"$KGEN" generate "$here/systems.yaml" -o net --check --quiet
"$KGEN" generate "$here/systems.yaml" -o net | grep -q "up to date" || fail "the folder is generated again"
# The linker's formats, and objects that need nothing else.
for file in net/x86_64-windows/objects/scale.x86-64-v3.o:coff-x86-64 net/x86_64-macos/objects/scale.x86-64-v3.o:mach-o; do
  llvm-objdump -h "${file%:*}" | grep -qi "${file#*:}" || fail "${file%:*} has another format"
done
llvm-nm -u net/x86_64-windows/objects/*.o | awk '$1 == "U" {print $2}' | grep -v '^net_' | sort -u >needed.txt || true
if grep -vx 'memcpy\|memset\|my_halve' needed.txt; then fail "symbols that are not on the list"; fi
# Every function that moves the stack pointer has a row in the table of frames.
cat >frames.py <<'END'
import re, subprocess, sys
for path in sys.argv[1:]:
    code = subprocess.run(["llvm-objdump", "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout
    table = subprocess.run(["llvm-objdump", "--unwind-info", path], capture_output=True, text=True, check=True).stdout
    starts = {int(at or "0", 16) for at in re.findall(r"Start Address: \.text(?: \+ 0x([0-9a-f]+))?", table)}
    functions = re.findall(r"^0*([0-9a-f]*) <([^>]+)>:\n((?:.+\n)*)", code, re.M)
    frames = {int(at or "0", 16): name for at, name, body in functions if re.search(r"push|sub[ql]?\s.*%rsp", body)}
    missing = [name for at, name in frames.items() if at not in starts]
    assert frames and not missing, f"{path}: no frames of {missing}"
END
"${PYTHON:-/usr/bin/python3}" -B frames.py net/x86_64-windows/objects/scale.*.o

# Text, one system of several, parts of one system.
"$KGEN" generate "$here/systems.yaml" --system windows --emit asm -o text --quiet
grep -q "seh_proc" text/objects/scale.x86-64-v3.s || fail "no frames in the text"
for part in $("$KGEN" generate "$here/systems.yaml" --system windows --list-parts); do
  "$KGEN" generate "$here/systems.yaml" --system windows --only "$part" -o parts --quiet
done
"$KGEN" generate "$here/systems.yaml" --system windows --parts parts -o assembled --quiet
diff -r assembled net/x86_64-windows || fail "the folder from parts is another one"
expect_failure 1 "$KGEN" generate "$here/systems.yaml" --only scale:x86-64-v3 -o parts
grep -q "parts are for one system each, and the library is for several" messages.txt || fail "$(cat messages.txt)"
expect_failure 2 "$KGEN" generate "$here/systems.yaml" --system beos
grep -q "beos not in {linux,windows,macos}" messages.txt || fail "$(cat messages.txt)"

# Commands that run code take that of this system.
if /usr/bin/python3 -c "import numpy" 2>/dev/null; then
  cp "$here/consumer/w.npy" .
  sed 's/^targets: .*/targets: [x86-64-v2]\nsystems: [linux, windows]/' "$here/consumer/scale.yaml" >scale.yaml
  "$KGEN" generate scale.yaml -o scale --quiet
  /usr/bin/python3 -c 'import numpy as np
np.savez("given.npz", x=np.array([[1, 2]], np.float32), y=np.array([[7.5, 0]], np.float32))'
  "$KGEN" generate scale.yaml -o scale --check-results >messages.txt
  grep -q "the objects were compared by their bytes: they are for another system" messages.txt || fail "$(cat messages.txt)"
  "$KGEN" verify scale --against given.npz 2>messages.txt | grep -q "all results agree" || fail "verify: $(cat messages.txt)"
  grep -q "scale: note: of its architectures, x86_64-linux is taken" messages.txt || fail "$(cat messages.txt)"
  expect_failure 1 "$KGEN" verify scale/x86_64-windows --against given.npz
  grep -q "the library is for windows, and nothing of it runs here" messages.txt || fail "$(cat messages.txt)"
fi

# What is refused.
sed '/^systems/d' "$here/systems.yaml" >plain.yaml
refused() { # MESSAGE OPTION...
  reason=$1
  shift
  expect_failure 1 "$KGEN" generate plain.yaml -o none "$@"
  grep -q -- "$reason" messages.txt || fail "no '$reason' in: $(cat messages.txt)"
}
refused "--system windows: error: not supported yet: windows on aarch64, which target 'aarch64' is for" --system windows --target aarch64
refused "provider 'xsmm' makes no kernels for target 'x86-64-v3' on windows: libxsmm's machine code follows the calling convention of Linux" \
  --system windows --provider xsmm
refused "a Python module calls a shared library of Linux, and the library is for macos" --system macos --python
