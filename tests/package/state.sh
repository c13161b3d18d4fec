# State in a block of the caller's: docs/State.md is true, and what state.c and state_cases.c ask for
# holds in C11 and C++, with sanitizers, with open sizes and extern functions. The results are those
# of a graph with inputs and outputs, and a cache is written where its new rows are.
. "$(dirname -- "$0")/common.sh"
python3 -c "pass" || exit 77
warnings="-Wall -Wextra -Werror -pedantic"

"$KGEN" generate "$here/state.yaml" -o net --quiet
"$CC" -std=c11 -O1 $warnings -Inet -c net/net.c -o plain.o
"$CXX" -x c++ -O1 $warnings -Inet -c net/net.c -o cpp.o
for sanitizer in "" "-fsanitize=address,undefined -fno-sanitize-recover=all"; do
  # shellcheck disable=SC2086
  "$CC" -std=c11 -O1 $sanitizer $warnings -Inet "$here/state.c" net/net.c net/objects/*.o -o state || {
    [ -z "$sanitizer" ] && fail "state.c does not compile"
    continue # a compiler without sanitizers
  }
  expect_output "right" ./state
done

# Random graphs next to the same ones with inputs and outputs: the same bits, wherever states are updated.
if /usr/bin/python3 -c "import numpy" 2>/dev/null; then
  /usr/bin/python3 -B "$here/state_places.py" "$KGEN" places "$CC" "$(($(date +%s) / 86400 % 1000 * 6))" 6 || fail "a state that is updated where it lies"
  /usr/bin/python3 -B "$here/state_places.py" "$KGEN" plain-places "$CC" 0 2 --reference || fail "a state of plain loops"
  # Positions that are computed: full exactly where a row has no room.
  /usr/bin/python3 -B "$here/state_terms.py" "$KGEN" terms "$CC" "$(($(date +%s) / 86400 % 1000 * 4))" 4 || fail "positions of rows"
fi

# A decoder writes rows into its caches, and nothing else.
"$KGEN" generate "$here/state_cache.yaml" -o decoder --quiet
sed 's/^library: .*/library: plain/; /^state:/,/^  length:/d; s/inputs: {x: "f32\[1, 1, 128\]"}/inputs: {x: "f32[1, 1, 128]", keys: "f32[1, 2, 256, 64]", values: "f32[1, 2, 256, 64]", length: "i64[1]"}/;
     /updates:/d; s/outputs: \[y\]/outputs: [y, all_keys, all_values, filled]/' "$here/state_cache.yaml" >plain.yaml
"$KGEN" generate plain.yaml -o plain --quiet
"$CC" -std=gnu11 -O1 $warnings -Idecoder -Iplain "$here/state_cache.c" decoder/decoder.c plain/plain.c decoder/objects/*.o plain/objects/*.o -o decoder_test
for variant in x86-64-v2 x86-64-v3 x86-64-v4; do
  status=0
  DECODER_VARIANT=$variant PLAIN_VARIANT=$variant ./decoder_test >said.txt || status=$?
  [ $status = 0 ] || grep -q "_init" said.txt || fail "rows of a cache on $variant: $(cat said.txt)"
done

# A cache that grows, next to one that is copied.
"$KGEN" generate "$here/state_grown.yaml" -o grown --quiet
"$KGEN" generate "$here/state_grown_plain.yaml" -o copied --quiet
"$CC" -std=c11 -O1 $warnings -Igrown -Icopied "$here/state_grown.c" grown/grown.c copied/copied.c grown/objects/*.o copied/objects/*.o -o grown_test
for variant in x86-64-v2 x86-64-v3 x86-64-v4; do
  status=0
  GROWN_VARIANT=$variant COPIED_VARIANT=$variant ./grown_test >said.txt || status=$?
  [ $status = 0 ] || grep -q "_init" said.txt || fail "a cache that grows on $variant: $(cat said.txt)"
done

# One whose length is a state, by itself and from one frame to the next.
sed 's/past_length: {min: 1/past_length: {min: 0/' "$here/state_grown_plain.yaml" >plain_from_0.yaml
"$KGEN" generate "$here/state_length.yaml" -o held --quiet
"$KGEN" generate plain_from_0.yaml -o copied --quiet
for sanitizer in "" "-fsanitize=address,undefined -fno-sanitize-recover=all"; do
  # shellcheck disable=SC2086
  "$CC" -std=c11 -O1 $sanitizer $warnings -Iheld -Icopied "$here/state_length.c" held/held.c copied/copied.c held/objects/*.o copied/objects/*.o -lm -o length_test || {
    [ -z "$sanitizer" ] && fail "state_length.c does not compile"
    continue
  }
  for variant in x86-64-v2 x86-64-v3 x86-64-v4; do
    status=0
    HELD_VARIANT=$variant COPIED_VARIANT=$variant ./length_test >said.txt || status=$?
    [ $status = 0 ] || grep -q "_init" said.txt || fail "a length that is a state on $variant: $(cat said.txt)"
  done
done
"$CXX" -x c++ -O1 $warnings -Iheld -c held/held.c -o held_cpp.o
python3 -B "$here/state_unwritten.py" "$KGEN" unwritten || fail "caches that are not written when a sequence begins"
"$KGEN" bench "$here/state_length.yaml" --check --size length=0,5,32 --size rows=1,4 >/dev/null || fail "kgen bench --check of a length"
"$KGEN" bench "$here/state_length.yaml" --graph run --check --size past_length=7 --size rows=2 --run-with env --cc "$CC" >/dev/null || fail "kgen bench --run-with of a length"
if /usr/bin/python3 -c "import numpy" 2>/dev/null; then
  /usr/bin/python3 -c "import numpy; numpy.savez('length.npz', x=numpy.random.default_rng(1).uniform(-1, 1, (6, 1, 2, 3, 8)).astype('f4'))"
  "$KGEN" verify "$here/state_length.yaml" --graph run --against length.npz --frames >said.txt || fail "kgen verify --frames of a length: $(cat said.txt)"
  /usr/bin/python3 -c "import numpy; numpy.savez('long.npz', x=numpy.ones((12, 1, 2, 3, 8), 'f4'))"
  expect_failure 1 "$KGEN" verify "$here/state_length.yaml" --graph run --against long.npz --frames
  grep -q "before frame 11 the state 'length' holds 33, and 'past_length' is 0 to 32" messages.txt || fail "frames beyond a cache: $(cat messages.txt)"
fi

# Positions that are computed, and keys that are not filled.
"$KGEN" generate "$here/state_room.yaml" -o room --quiet
for sanitizer in "" "-fsanitize=address,undefined -fno-sanitize-recover=all"; do
  # shellcheck disable=SC2086
  "$CC" -std=c11 -O1 $sanitizer $warnings -Iroom "$here/state_room.c" room/room.c room/objects/*.o -lm -o state_room || {
    [ -z "$sanitizer" ] && fail "state_room.c does not compile"
    continue
  }
  expect_output "right" ./state_room
done

# Blocks that are made for sizes.
"$KGEN" generate "$here/state_sizes.yaml" -o sized --quiet
for sanitizer in "" "-fsanitize=address,undefined -fno-sanitize-recover=all"; do
  # shellcheck disable=SC2086
  "$CC" -std=c11 -O1 $sanitizer $warnings -Isized "$here/state_sizes.c" sized/sized.c sized/objects/*.o -o state_sizes || {
    [ -z "$sanitizer" ] && fail "state_sizes.c does not compile"
    continue
  }
  expect_output "right" ./state_sizes
done
"$KGEN" explain "$here/state_sizes.yaml" --graph put --target x86-64-v3 >said.txt
grep -q "^  after .* state *workspace " said.txt && fail "rows that stay are copied: $(cat said.txt)"
"$CXX" -x c++ -O1 $warnings -Isized -c sized/sized.c -o sized_cpp.o
"$KGEN" bench "$here/state_sizes.yaml" --check --size slots=16 --size rows=2 >/dev/null || fail "kgen bench --check of open sizes"

# Another layout is refused, other weights are not.
sed 's/seed: 3/seed: 4/' "$here/state.yaml" >weights.yaml
sed 's/n: "i64\[\]"/n: "i64[1]"/; s/type: "i64\[\]", value: 1/type: "i64[1]", value: 1/' "$here/state.yaml" >layout.yaml
for library in weights layout; do
  "$KGEN" generate $library.yaml -o $library --quiet
  "$CC" -O1 -I$library "$here/state_file.c" $library/net.c $library/objects/*.o -o read_$library
done
"$CC" -O1 -Inet "$here/state_file.c" net/net.c net/objects/*.o -o write
./write write block
expect_output "0" ./read_weights read block
expect_output "BAD_STATE" ./read_layout read block

# Open sizes, an extern function that fails, and types of which no number is a byte.
"$KGEN" generate "$here/state_cases.yaml" -o cases --quiet
"$CC" -std=c11 -O1 $warnings -Icases "$here/state_cases.c" cases/cases.c cases/objects/*.o -o state_cases
expect_output "right" ./state_cases

# Python
if /usr/bin/python3 -c "import numpy" 2>/dev/null; then
  for library in state state_cases state_sizes state_streams; do
    "$KGEN" generate "$here/$library.yaml" -o $library-py --python --quiet
    name=$(sed -n 's/^library: //p' "$here/$library.yaml")
    sources=$name.c
    [ $library != state_cases ] || sources="$name.c $here/state_user.c"
    # shellcheck disable=SC2086
    (cd $library-py && "$CC" -O1 -shared -fPIC -I. $sources objects/*.o -o lib$name.so)
  done
  "$KGEN" generate "$here/state_length.yaml" -o held-py --python --quiet
  (cd held-py && "$CC" -O1 -shared -fPIC -I. held.c objects/*.o -o libheld.so)
  cat >first.yaml <<'END'
library: first
targets: [x86-64-v2]
python: true
state:
  listed: {type: "f32[3]", init: [1, 2.5, -3]}
  read: {type: "i64[2, 2]", init: {file: read.npy}}
  random: {type: "f32[5]", init: {random: {seed: 3}}}
graphs:
  - name: twice
    weights: {two: {type: "f32[]", value: 2}, same: {type: "f32[5]", random: {seed: 3}}}
    nodes:
      - {name: more, op: Mul, inputs: [listed, two]}
      - {name: turned, op: Transpose, inputs: [read]}
      - {name: y, op: Sub, inputs: [random, same]}
      - {name: kept, op: Identity, inputs: [random]}
    updates: {listed: more, read: turned, random: kept}
    outputs: [y]
END
  /usr/bin/python3 -c "import numpy; numpy.save('read.npy', numpy.array([[1, -2], [3, 1 << 40]]))"
  "$KGEN" generate first.yaml -o first --quiet
  (cd first && "$CC" -O1 -shared -fPIC $warnings -I. first.c objects/*.o -o libfirst.so)
  "$KGEN" bench first.yaml --check >/dev/null || fail "kgen bench of states that begin with elements of their own"
  PYTHONPATH=first /usr/bin/python3 -c "
import first, numpy
net = first.load()
state = net.State()
for again in range(2):
    assert state['listed'].tolist() == [1, 2.5, -3] and state['read'].tolist() == [[1, -2], [3, 1 << 40]]
    assert not net.twice(state).any() and state['random'].any()
    assert state['listed'].tolist() == [2, 5, -6] and state['read'].tolist() == [[1, 3], [-2, 1 << 40]]
    state.reset()
" || fail "states that begin with elements of their own"
  PYTHONPATH=held-py /usr/bin/python3 -B "$here/state_length.py"
  PYTHONPATH=state-py:state_cases-py /usr/bin/python3 -B "$here/state.py"
  PYTHONPATH=state_sizes-py:state_streams-py /usr/bin/python3 -B "$here/state_streams.py"
fi
sed 's/inputs: {x: "f32\[5\]"}/inputs: {state: "f32[5]"}/; s/inputs: \[y, x\]/inputs: [y, state]/' "$here/state_cases.yaml" >named.yaml
expect_failure 1 "$KGEN" generate named.yaml -o named --python --quiet
grep -q "graph 'ext' has an input 'state', and its method takes the block by this name" messages.txt || fail "a Python module"

"$KGEN" bench "$here/state.yaml" --check >/dev/null || fail "kgen bench --check"
"$KGEN" bench "$here/state.yaml" --check --run-with env --cc "$CC" >/dev/null || fail "kgen bench --run-with"
# Each call of a measurement begins with the same state: state_begins.c ends the program otherwise.
"$KGEN" bench "$here/state_begins.yaml" --link "$here/state_begins.c" --time 0.02 --latency --hot --threads 1,2 >begins.txt || fail "kgen bench"
grep -q '^step ' begins.txt || fail "kgen bench measures nothing"
BEGINS=500 "$KGEN" bench "$here/state_begins.yaml" --link "$here/state_begins.c" --size n=500 --time 0.02 --steps --threads 1 >begins.txt || fail "--size of a state"
grep -q '^step n=500 ' begins.txt || fail "--size of a state in the table"
"$KGEN" bench "$here/state.yaml" --check --size n=5,7 --json - >begins.json || fail "--check --size of a state"
[ "$(grep -c '"n": [57]' begins.json)" = 6 ] || [ "$(grep -c '"graph": "step"' begins.json)" = 6 ] || fail "two numbers in three variants"
expect_failure 1 "$KGEN" bench "$here/state.yaml" --check --size c=5
grep -q "no function is given a size 'c' when it is called" messages.txt || fail "--size of a state that does not count"

mkdir bin docs
ln -s "$KGEN" bin/kgen
ln -s "$(command -v "$CC")" bin/cc
cd docs
PATH="$WORK/bin:$PATH" python3 -B "$here/onnx_docs.py" "$KGEN_SOURCE/docs/State.md" 3
