# What a library may take: exceeded budgets name what takes most and leave no files; explain shows what is taken.
. "$(dirname -- "$0")/common.sh"
says() { tr -s ' \n' '  ' <messages.txt | grep -q -e "$1" || { cat messages.txt >&2 && fail "no '$1' in the message above"; }; }
# spec NAME BUDGETS-OF-LIBRARY BUDGETS-OF-GRAPH
spec() {
  cat >"$1.yaml" <<END
library: net
targets: [x86-64-v2, x86-64-v3]
budgets: {$2}
graphs:
  - name: forward
    budgets: {$3}
    inputs: {x: "f32[96, 256]"}
    weights:
      wide: {type: "f32[256, 512]", random: {seed: 1}}
      narrow: {type: "f32[512, 64]", random: {seed: 2}}
    nodes:
      - {name: h, op: MatMul, inputs: [x, wide]}
      - {name: p, op: Softmax, inputs: [h], attributes: {axis: 0}}
      - {name: y, op: MatMul, inputs: [p, narrow]}
    outputs: [y]
END
}
spec none "" ""
spec wide "text: 1MiB, weights: 16MiB, stack: 1MiB" "workspace: 16MiB, text: 1MiB"
spec tight "text: 1KiB, weights: 64KiB, workspace: 0" "workspace: 64KiB, stack: 7, weights: 600KiB, text: 2KiB"

# Budgets that are kept change nothing but the spec's hash.
"$KGEN" generate none.yaml -o none --quiet
"$KGEN" generate wide.yaml -o wide --quiet || fail "budgets that are kept"
for file in none/objects/*.o; do cmp "$file" "wide/objects/$(basename "$file")" || fail "budgets change the code"; done

# Each that is exceeded has its place and names what takes most; nothing is written.
expect_failure 1 "$KGEN" generate tight.yaml -o tight
says "tight.yaml:3:11: error: the machine code of the library: [0-9]* bytes, [0-9]* more than the budget of 1024 most of it: .* (forward on x86-64-v[23]) [0-9]*, "
says "tight.yaml:3:23: error: the packed weights of the library: [0-9]* bytes, [0-9]* more than the budget of 65536 most of it: wide 524288, narrow 131072"
says "tight.yaml:3:39: error: the workspace of forward on x86-64-v[23]: [0-9]* bytes, [0-9]* more than the budget of 0 most of it: [hp]"
says "tight.yaml:6:15: error: the workspace of forward on x86-64-v[23]: [0-9]* bytes, [0-9]* more than the budget of 65536 most of it: [hp]"
says "tight.yaml:6:33: error: the stack of forward on x86-64-v[23]: [0-9]* bytes, [0-9]* more than the budget of 7 most of it: [a-z_0-9]* [0-9]*, "
says "tight.yaml:6:43: error: the packed weights of graph 'forward': "
says "tight.yaml:6:60: error: the machine code of graph 'forward': "
[ ! -e tight ] || fail "there is a folder after an error"
cp tight.yaml none.yaml
expect_failure 1 "$KGEN" generate none.yaml -o none
[ "$(grep -c workspace none/net.h)" != 0 ] || fail "the folder that was there is gone"

# The same in parts.
for part in forward:x86-64-v2 forward:x86-64-v3; do "$KGEN" generate wide.yaml --only $part -o parts --quiet || fail "--only $part"; done
"$KGEN" generate wide.yaml --parts parts -o joined --quiet || fail "--parts"
diff -r wide joined || fail "parts with budgets give another library"
expect_failure 1 "$KGEN" generate tight.yaml --only forward:x86-64-v3 -o parts-of-tight
says "tight.yaml:6:15: error: the workspace of forward on x86-64-v3: "
[ ! -e parts-of-tight ] || fail "there is a part after an error"

# What is taken, also of exceeded ones.
"$KGEN" explain tight.yaml >explained.txt || fail "kgen explain with exceeded budgets"
grep -q "^  forward *workspace .* exceeded " explained.txt || { tail -9 explained.txt >&2 && fail "no exceeded budget in the table above"; }
"$KGEN" explain wide.yaml --json >explained.json
python3 -B - <<'PYTHON' || fail "budgets in the JSON of explain"
import json, re
budgets = json.load(open("explained.json"))["budgets"]
assert [(b.get("graph"), b["kind"]) for b in budgets] == [("forward", "workspace"), ("forward", "text"), (None, "text"),
                                                         (None, "weights"), (None, "stack")], budgets
assert all(0 < b["used"] <= b["budget"] and b["largest"] for b in budgets), budgets
macro = re.search("NET_FORWARD_WORKSPACE_SIZE ([0-9]+)", open("wide/net.h").read())
assert budgets[0]["used"] == int(macro.group(1)), (budgets[0], macro.group(1))
PYTHON
"$KGEN" explain wide.yaml --html explained.html && grep -q "<h3>Budgets</h3>" explained.html || fail "no budgets on the page"
