# Nodes with op: extern, from C: results in every variant that this CPU has, failures, workspaces, threads; and kgen's own runs of such
# code with --link, --stubs and machines.
. "$(dirname -- "$0")/common.sh"
cat >calls.yaml <<'END'
library: calls
targets: [x86-64-v2, x86-64-v3, x86-64-v4]
modules:
  shift:
    inputs: [a]
    nodes:
      - {name: s, op: extern, symbol: user_shift, inputs: [a], outputs: {b: "f32[64, 48]"}, workspace: 1000}
      - {name: r, op: Relu, inputs: [b]}
    outputs: [r]
graphs:
  - name: forward
    inputs: {x: "f32[64, 32]"}
    weights: {w: {type: "f32[32, 48]", value: 0.5}}
    nodes:
      - {name: h, op: MatMul, inputs: [x, w]}
      - {name: m, module: shift, inputs: [h], repeat: 3}
      - {name: top, op: extern, symbol: user_top, inputs: [m, x], outputs: {best: "i32[64]", sum: "f64[]"}}
      - {name: y, op: Add, inputs: [m, m]}
    outputs: [y, best, sum]
  - name: parts
    inputs: {x: "f32[4, 6]", none: "f32[0, 3]"}
    nodes:
      - {op: Split, inputs: [x], outputs: [left, right], attributes: {axis: 1, num_outputs: 2}}
      - {op: extern, symbol: user_parts, inputs: [right, none], outputs: {swapped: "f32[4, 3]", nothing: "i64[0]"}}
      - {name: y, op: Concat, inputs: [swapped, left], attributes: {axis: 1}}
    outputs: [y, nothing]
  - name: copy
    inputs: {x: "u8[5]"}
    nodes: [{name: k, op: extern, symbol: user_copy, inputs: [x], outputs: {y: "u8[5]"}}]
    outputs: [y]
END
cat >user.c <<'END'
#include "calls.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Calls by the thread, for the consumer. */
#ifdef COUNTED
_Thread_local int user_calls;
#else
static int user_calls;
#endif

/* Adds 1; fails with 7 on NaN and with 8 on a workspace that is not as it should be. */
int user_shift(const float *a, float *b, void *workspace, size_t workspace_size) {
  ++user_calls;
  if (workspace_size != 1000 || ((uintptr_t)workspace & 63) != 0)
    return 8;
  memset(workspace, 0xff, workspace_size);
  for (int i = 0; i < 64 * 48; ++i) {
    if (isnan(a[i]))
      return 7;
    b[i] = a[i] + 1;
  }
  return 0;
}

/* The largest element of each row; the sum of x. */
int user_top(const float *m, const float *x, int32_t *best, double *sum, void *workspace, size_t workspace_size) {
  double *heap = malloc(sizeof *heap); /* they may do what the library never does */
  if (heap == NULL || workspace != NULL || workspace_size != 0)
    return -1;
  *heap = 0;
  for (int i = 0; i < 64; ++i) {
    best[i] = 0;
    for (int j = 1; j < 48; ++j)
      if (m[48 * i + j] > m[48 * i + best[i]])
        best[i] = j;
  }
  for (int i = 0; i < 64 * 32; ++i)
    *heap += x[i];
  *sum = *heap;
  free(heap);
  return 0;
}

/* Rows in the opposite order. */
int user_parts(const float *right, const float *none, float *swapped, int64_t *nothing, void *workspace, size_t workspace_size) {
  if (none != NULL || nothing != NULL || workspace != NULL || workspace_size != 0)
    return 3;
  for (int i = 0; i < 4; ++i)
    memcpy(swapped + 3 * i, right + 3 * (3 - i), 3 * sizeof *right);
  return 0;
}

int user_copy(const uint8_t *x, uint8_t *y, void *workspace, size_t workspace_size) {
  (void)workspace;
  (void)workspace_size;
  memcpy(y, x, 5);
  return x[0] == 255 ? 1 << 30 : 0;
}
END
cat >use.c <<'END'
#include "calls.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

extern _Thread_local int user_calls;

/* An executor whose tasks run on two threads that are not the caller's. */
struct job {
  void (*task)(void *argument, uint32_t index);
  void *argument;
  uint32_t first, tasks;
  int calls;
};
static void *work(void *pointer) {
  struct job *job = pointer;
  for (uint32_t i = job->first; i < job->tasks; i += 2)
    job->task(job->argument, i);
  job->calls = user_calls;
  return NULL;
}
static int called_elsewhere;
static void run(void *user, uint32_t tasks, void (*task)(void *, uint32_t), void *argument) {
  pthread_t threads[2];
  struct job jobs[2] = {{task, argument, 0, tasks, 0}, {task, argument, 1, tasks, 0}};
  (void)user;
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, work, &jobs[i]);
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
    called_elsewhere += jobs[i].calls;
  }
}

/* What forward computes, in plain C. */
static int is_right(const float *x, const float *y, const int32_t *best, double sum) {
  double wanted_sum = 0;
  for (int i = 0; i < 64; ++i) {
    float h = 0;
    for (int k = 0; k < 32; ++k) {
      h += 0.5f * x[32 * i + k];
      wanted_sum += x[32 * i + k];
    }
    for (int s = 0; s < 3; ++s)
      h = h + 1 > 0 ? h + 1 : 0;
    for (int j = 0; j < 48; ++j)
      if (fabsf(y[48 * i + j] - 2 * h) > 1e-4f)
        return 0;
    if (best[i] != 0) /* all elements of a row are equal */
      return 0;
  }
  return sum == wanted_sum;
}

struct call {
  const calls_context *context;
  float x[64 * 32];
  float y[64 * 48];
  int32_t best[64];
  double sum;
  unsigned char workspace[CALLS_FORWARD_WORKSPACE_SIZE + 1];
  int right;
};
static calls_status forward(struct call *c) {
  return calls_forward(c->context, c->x, c->y, c->best, &c->sum, c->workspace + 1, sizeof c->workspace - 1);
}
static void *many(void *pointer) {
  struct call *c = pointer;
  c->right = 1;
  for (int i = 0; i < 200; ++i) {
    memset(c->y, 0, sizeof c->y);
    c->right &= forward(c) == CALLS_OK && is_right(c->x, c->y, c->best, c->sum);
  }
  return NULL;
}

static struct call c[2];

static int check(const calls_context *context) {
  pthread_t threads[2];
  for (int t = 0; t < 2; ++t) {
    c[t].context = context;
    for (int i = 0; i < 64 * 32; ++i)
      c[t].x[i] = (float)((i * 7 + t) % 11) - 5.5f;
  }
  user_calls = 0;
  if (forward(&c[0]) != CALLS_OK || !is_right(c[0].x, c[0].y, c[0].best, c[0].sum) || user_calls != 3 || called_elsewhere != 0)
    return 1;
  for (int t = 0; t < 2; ++t)
    pthread_create(&threads[t], NULL, many, &c[t]);
  for (int t = 0; t < 2; ++t)
    pthread_join(threads[t], NULL);
  if (!c[0].right || !c[1].right || called_elsewhere != 0)
    return 2;
  /* The first call fails: no other one is made. */
  c[0].x[5] = NAN;
  user_calls = 0;
  if (forward(&c[0]) != CALLS_EXTERN_FAILED || user_calls != 1)
    return 3;
  c[0].x[5] = 1;
  if (forward(&c[0]) != CALLS_OK)
    return 4;
  if (calls_forward(context, c[0].x, c[0].y, c[0].best, &c[0].sum, c[0].workspace, 100) != CALLS_WORKSPACE_TOO_SMALL)
    return 5;
  float x[24], y[24];
  static unsigned char workspace[CALLS_PARTS_WORKSPACE_SIZE + 1];
  for (int i = 0; i < 24; ++i)
    x[i] = (float)i;
  if (calls_parts(context, x, NULL, y, NULL, workspace, sizeof workspace) != CALLS_OK)
    return 6;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      if (y[6 * i + j] != x[6 * (3 - i) + 3 + j] || y[6 * i + 3 + j] != x[6 * i + j])
        return 7;
  uint8_t bytes[5] = {1, 2, 3, 4, 5}, copy[5] = {0};
  const void *inputs[] = {bytes};
  void *outputs[] = {copy};
  if (calls_copy(context, bytes, copy, NULL, 0) != CALLS_OK || memcmp(bytes, copy, 5) != 0)
    return 8;
  bytes[0] = 255;
  if (calls_call(context, 2, inputs, outputs, NULL, 0) != CALLS_EXTERN_FAILED)
    return 9;
  return 0;
}

int main(void) {
  int failed = 0;
  const calls_executor executor = {run, NULL, 2};
  for (size_t i = 0; i < calls_variant_count(); ++i)
    for (int parallel = 0; parallel < 2; ++parallel) {
      calls_context context;
      calls_options options = {sizeof options, calls_variant_name(i), parallel ? &executor : NULL};
      if (!calls_variant_supported(i))
        continue;
      int wrong = calls_init(&context, &options) != CALLS_OK ? -1 : check(&context);
      if (wrong != 0)
        printf("%s, %s: %d\n", calls_variant_name(i), parallel ? "two threads" : "one thread", wrong);
      failed |= wrong;
    }
  printf("%s %d\n", calls_status_string(CALLS_EXTERN_FAILED), failed);
  return 0;
}
END
"$KGEN" generate calls.yaml -o calls --quiet --verify-stages || fail "kgen generate"
warnings="-std=c11 -Wall -Wextra -Werror -pedantic -D_POSIX_C_SOURCE=200809L"
"$CC" $warnings -O2 -DCOUNTED -Icalls use.c user.c calls/calls.c calls/objects/*.o -lm -pthread -o use || fail "the consumer does not compile"
expect_output "CALLS_EXTERN_FAILED 0" ./use

# The prototypes are C and C++; what the library needs grows by exactly these symbols.
printf '#include "calls.h"\nint (*f)(const float *, float *, void *, size_t) = user_shift;\n' >prototype.c
for standard in c99 c2x; do
  "$CC" -std=$standard -pedantic -Wall -Wextra -Werror -Icalls -fsyntax-only prototype.c
done
"$CXX" -std=c++11 -pedantic -Wall -Wextra -Werror -Icalls -fsyntax-only -x c++ prototype.c
needed=$(nm -u calls/objects/*.o | sed -n 's/^ *U //p' | grep -v '^calls_' | sort -u | tr '\n' ' ')
case $needed in
"user_copy user_parts user_shift user_top " | "memcpy user_copy user_parts user_shift user_top " | "memcpy memset user_copy user_parts user_shift user_top ") ;;
*) fail "the library needs: $needed" ;;
esac
python3 -c 'import json; m = json.load(open("calls/calls.manifest.json")); print([e["symbol"] for e in m["externs"]], m["graphs"][0]["calls"])' >manifest.txt 2>/dev/null &&
  { [ "$(cat manifest.txt)" = "['user_shift', 'user_top', 'user_parts', 'user_copy'] ['user_shift', 'user_top']" ] || fail "the manifest says: $(cat manifest.txt)"; }

# A step like any other.
"$KGEN" explain calls.yaml --target x86-64-v2 >explained.txt
[ "$(grep -c 'call of user_shift' explained.txt)" = 3 ] || fail "kgen explain does not show three calls of user_shift"
"$KGEN" explain calls.yaml --json | grep -q '"callee": "user_top"' || fail "kgen explain --json"

# kgen runs it with files of each kind.
"$CC" -O2 -Icalls -c user.c -o user.o
"$CC" -O2 -DCOUNTED -Icalls -shared -fPIC user.c -o user.so
for file in user.c user.o user.so; do
  "$KGEN" check calls.yaml --link $file >/dev/null || fail "kgen check --link $file"
  "$KGEN" bench calls.yaml --graph copy --graph parts --link $file --time 0.001 --hot --threads 1,2 --json bench-$file.json >/dev/null ||
    fail "kgen bench --link $file"
  grep -q '"parts"' bench-$file.json || fail "kgen bench --link $file measured nothing"
done
"$KGEN" bench calls.yaml --link user.o --graph forward --time 0.001 --steps >steps.txt || fail "kgen bench --steps"
grep -q 'call of user_top' steps.txt || fail "kgen bench --steps does not show the calls"
"$KGEN" generate calls.yaml -o calls --check-results --link user.o --quiet || fail "kgen generate --check-results --link"
expect_failure 1 "$KGEN" bench calls.yaml
for place in 7:39 17:41 24:30 29:43; do
  grep -q "^calls.yaml:$place: error: the code cannot run without the extern function 'user_" messages.txt || { cat messages.txt && fail "no message at $place"; }
done
grep -q -e '--link FILE' messages.txt || fail "the error does not name the option"
expect_failure 1 "$KGEN" generate calls.yaml -o calls --check-results
sed '/^int user_copy/,$d' user.c >three.c
expect_failure 1 "$KGEN" check calls.yaml --link three.c
grep -q "^calls.yaml:29:43: error: no file of --link defines the extern function 'user_copy'" messages.txt || fail "no message for user_copy"
[ "$(grep -c error messages.txt)" = 1 ] || fail "other messages than expected"
echo 'int user_copy(int x) { return y; }' >broken.c
expect_failure 1 "$KGEN" check calls.yaml --link three.c --link broken.c
grep -q "broken.c" messages.txt || fail "the compiler's message is lost"
expect_failure 1 "$KGEN" check calls.yaml --link nowhere.o
grep -q "cannot read the file 'nowhere.o'" messages.txt || fail "nowhere.o"
expect_failure 1 "$KGEN" check calls.yaml --link use.c --link calls.yaml
grep -q "expected a .c, .o or .so file" messages.txt || fail "calls.yaml"
echo "no object" >text.o
expect_failure 1 "$KGEN" check calls.yaml --link text.o
grep -q "'text.o' is no object file for this CPU" messages.txt || fail "text.o"
printf '.bss\n.space 0x100000000\n' | "$CC" -c -x assembler - -o large.o
expect_failure 1 "$KGEN" check calls.yaml --link large.o
grep -q "'large.o' is a broken object file: its sections take more than 1 GiB" messages.txt || fail "large.o"
printf '.comm much, 0x100000000, 8\n' | "$CC" -c -x assembler - -o common.o
expect_failure 1 "$KGEN" check calls.yaml --link common.o
grep -q "'common.o' is a broken object file: its sections take more than 1 GiB" messages.txt || fail "common.o"
printf '.comm some, 16, 8\n' | "$CC" -c -x assembler - -o common.o
python3 - common.o <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.index(struct.pack("<HQQ", 0xFFF2, 8, 16))  # SHN_COMMON, alignment, size
data[at + 2] = 0
open(sys.argv[1], "wb").write(data)
END
expect_failure 1 "$KGEN" check calls.yaml --link common.o
grep -q "the alignment of a common symbol is no power of 2" messages.txt || fail "the alignment of common.o"
printf '.data\n.long 1\n' | "$CC" -c -x assembler - -o moved.o
objcopy --change-section-address .data=0xfffffffffffffff0 moved.o
expect_failure 1 "$KGEN" check calls.yaml --link moved.o
grep -q "'moved.o' is a broken object file: a section has an address" messages.txt || fail "moved.o"
"$CC" -DCOUNTED -Icalls -c user.c -o counted.o
expect_failure 1 "$KGEN" check calls.yaml --link counted.o
grep -q "'counted.o' has thread-local variables" messages.txt || fail "counted.o"
printf '.section .eh_frame,"a"\n.long 13, 0\n.byte 1\n.asciz "zR"\n.byte 1, 0x78, 16, 1, 0x15\n' | "$CC" -c -x assembler - -o unwind.o
expect_failure 1 "$KGEN" check calls.yaml --link unwind.o
grep -q "'unwind.o' has an unwind table that kgen cannot link" messages.txt || fail "unwind.o"
sed 's/sum = \*heap/sum = nowhere(heap)/; s/^int user_top/double nowhere(double *); &/' user.c >nowhere.c
expect_failure 1 "$KGEN" bench calls.yaml --link nowhere.c
grep -q "the files cannot be linked: .*nowhere" messages.txt || { cat messages.txt && fail "nowhere.c"; }
cp text.o text.so
expect_failure 1 "$KGEN" check calls.yaml --link text.so
grep -q "cannot load 'text.so'" messages.txt || fail "text.so"
expect_failure 1 "$KGEN" check calls.yaml --link user.o --link user.c
grep -q "another file of --link defines 'user_copy', too" messages.txt || fail "two definitions"

# A function that fails on kgen's inputs is a wrong result.
sed 's/return 0;/return 9;/' user.c >failing.c
expect_failure 4 "$KGEN" bench calls.yaml --graph parts --link failing.c --time 0.001
grep -q "an extern function failed: it returned" messages.txt || { cat messages.txt && fail "no message of the failure"; }

# A file to begin from, which compiles, and is never overwritten.
"$KGEN" generate calls.yaml --stubs --quiet
"$CC" $warnings -Icalls -c calls_stubs.c || fail "calls_stubs.c does not compile"
"$KGEN" check calls.yaml --link calls_stubs.c >/dev/null || fail "kgen check --link calls_stubs.c"
echo "/* mine */" >calls_stubs.c
expect_failure 1 "$KGEN" generate calls.yaml --stubs
[ "$(cat calls_stubs.c)" = "/* mine */" ] || fail "calls_stubs.c was overwritten"

# Machines do not run such functions.
if has machines; then
  sed 's/^targets: .*/targets: [x86-64-v2, array-2x2]/' calls.yaml >machine.yaml
  expect_failure 1 "$KGEN" generate machine.yaml -o machine --quiet
  grep -q "^machine.yaml:17:25: error: node 'top' calls the extern function 'user_top', which the machine 'array-2x2' cannot run" messages.txt ||
    { cat messages.txt && fail "no message for the machine"; }
  [ ! -e machine ] || fail "a folder is left"
  expect_failure 1 "$KGEN" simulate calls.yaml --graph copy --machine array-2x2
  grep -q "^calls.yaml:29:27: error: node 'k' calls" messages.txt || { cat messages.txt && fail "no message of kgen simulate"; }
fi
