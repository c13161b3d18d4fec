# A library of graphs from lists of values: two of its functions called from C, its weights in it once.
. "$(dirname -- "$0")/common.sh"
cat >sizes.yaml <<'END'
library: sizes
targets: [x86-64-v2, x86-64-v3]
graphs:
  - name: scale
    with: {rows: [1, 3], type: [f32, i32], columns: 600}
    inputs: {x: "$type[$rows, $columns]"}
    weights:
      w: {type: "$type[$columns]", random: {seed: 1}}
    nodes:
      - {name: y, op: Mul, inputs: [x, w]}
    outputs: [y]
END
cat >use.c <<'END'
#include "sizes.h"
#include <stdio.h>

int main(void) {
  static unsigned char workspace[SIZES_SCALE_1_F32_WORKSPACE_SIZE + SIZES_SCALE_3_I32_WORKSPACE_SIZE + 1];
  sizes_context context;
  static float x[600], y[600];
  static int32_t a[1800], b[600], c[1800];
  int same = 0, zeros = 0;
  for (int i = 0; i < 600; ++i) {
    x[i] = 2.0f;
    a[i] = 1;
    a[600 + i] = 1;
    a[1200 + i] = 3;
  }
  if (sizes_init(&context, NULL) || sizes_scale_1_f32(&context, x, y, workspace, sizeof workspace) ||
      sizes_scale_1_i32(&context, a, b, workspace, sizeof workspace) ||
      sizes_scale_3_i32(&context, a, c, workspace, sizeof workspace))
    return 1;
  for (int i = 0; i < 600; ++i) {
    same += b[i] == c[i] && b[i] == c[600 + i] && 3 * (uint32_t)b[i] == (uint32_t)c[1200 + i];
    zeros += y[i] == 0;
  }
  printf("%zu %d %d\n", sizes_function_count(), same, zeros);
  return 0;
}
END
"$KGEN" generate sizes.yaml -o sizes --quiet
weights=$(find sizes/objects -name '*.o' | grep -vc '/scale_' || true)
[ "$weights" = 2 ] || fail "there are $weights objects of weights, one for each type expected"
"$CC" -std=c11 -Wall -Werror -Isizes use.c sizes/sizes.c sizes/objects/*.o -o use || fail "the consumer does not compile"
expect_output "4 600 0" ./use
"$KGEN" explain sizes.yaml >explained.txt
for graph in scale_1_f32 scale_1_i32 scale_3_f32 scale_3_i32; do
  grep -q "$graph" explained.txt || fail "kgen explain does not know $graph"
done
"$KGEN" bench sizes.yaml --graph 'scale_3_*' --time 0.01 --threads 1 --hot --json bench.json >/dev/null || fail "kgen bench"
grep -q '"scale_3_i32"' bench.json || fail "kgen bench did not measure scale_3_i32"
