/* All that docs/State.md says of the block and the functions around it, on state.yaml. */
#include "state_check.h"

#include "net.h"

#include <stdio.h>
#include <string.h>

static _Alignas(64) unsigned char a[NET_STATE_SIZE], b[NET_STATE_SIZE], copy[NET_STATE_SIZE];
static unsigned char workspace[NET_STEP_WORKSPACE_SIZE + NET_PEEK_WORKSPACE_SIZE + 1];

int main(void) {
  net_context c;
  float x[10], y[10], z[10], h[10];
  int64_t n;
  memset(&c, 0, sizeof c);
  CHECK(net_state_init(&c, a, sizeof a) == NET_NOT_INITIALIZED && net_state_size(&c) == 0);
  CHECK(net_init(&c, NULL) == NET_OK);
  CHECK(net_state_size(&c) == NET_STATE_SIZE && net_state_count() == NET_STATE_COUNT);
  for (int i = 0; i < 10; ++i)
    x[i] = (float)i / 10;
  CHECK(net_step(&c, x, a, sizeof a, y, workspace, sizeof workspace) == NET_BAD_STATE);
  CHECK(net_state_init(&c, a + 1, sizeof a) == NET_BAD_STATE);
  CHECK(net_state_init(&c, a, sizeof a - 1) == NET_BAD_STATE);
  CHECK(net_state_init(&c, a, sizeof a) == NET_OK && net_state_init(&c, b, sizeof b) == NET_OK);
  CHECK(net_state_info(1)->bytes == 40 && strcmp(net_state_info(1)->name, "c") == 0 &&
        net_state_info(3) == NULL);
  CHECK(net_state_get(&c, a, sizeof a, 1, z) == NET_OK && z[0] == 0.5f && z[9] == 0.5f);
  for (int frame = 0; frame < 100; ++frame) {
    CHECK(net_step(&c, x, a, sizeof a, y, workspace, sizeof workspace) == NET_OK);
    if (frame == 50)
      memcpy(copy, a, sizeof a);
  }
  CHECK(net_state_get(&c, a, sizeof a, 2, &n) == NET_OK && n == 100);
  /* A sequence alone, and a copy that goes on. */
  for (int frame = 0; frame < 51; ++frame)
    CHECK(net_step(&c, x, b, sizeof b, z, workspace, sizeof workspace) == NET_OK);
  CHECK(memcmp(b, copy, sizeof b) == 0);
  for (int frame = 51; frame < 100; ++frame)
    CHECK(net_step(&c, x, copy, sizeof copy, z, workspace, sizeof workspace) == NET_OK);
  CHECK(memcmp(a, copy, sizeof a) == 0 && memcmp(y, z, sizeof y) == 0);
  /* Another variant goes on with the block, within its rounding. */
  for (int frame = 51; frame < 100; ++frame)
    CHECK(net_step_on_x86_64_v2(x, b, sizeof b, z, workspace, sizeof workspace) == NET_OK);
  for (int i = 0; i < 10; ++i)
    CHECK(z[i] - y[i] < 1e-4f * y[9] && y[i] - z[i] < 1e-4f * y[9]);
  CHECK(net_state_get(&c, a, sizeof a, 0, h) == NET_OK);
  CHECK(net_peek(&c, x, a, sizeof a, y, workspace, sizeof workspace) == NET_OK);
  for (int i = 0; i < 10; ++i)
    CHECK(y[i] == h[i] + x[i]);
  CHECK(net_state_get(&c, a, sizeof a, 0, h) == NET_OK && memcmp(h, x, sizeof h) == 0);
  n = 7;
  CHECK(net_state_set(&c, a, sizeof a, 2, &n) == NET_OK);
  memcpy(copy, a, sizeof a);
  CHECK(net_step(&c, NULL, a, sizeof a, y, workspace, sizeof workspace) == NET_NULL_POINTER);
  CHECK(net_step(&c, x, a, sizeof a, y, workspace, 10) == NET_WORKSPACE_TOO_SMALL);
  CHECK(memcmp(a, copy, sizeof a) == 0);
  {
    const void *in[1] = {x};
    void *out[1] = {y};
    CHECK(net_call(&c, 0, in, a, sizeof a, out, workspace, sizeof workspace) == NET_OK);
    CHECK(net_call(&c, 2, in, NULL, 0, out, workspace, sizeof workspace) == NET_OK);
    CHECK(net_function_info(0)->uses_state == 1 && net_function_info(2)->uses_state == 0);
    CHECK(net_function_info(0)->input_count == 1 && net_function_info(0)->output_count == 1);
  }
  CHECK(net_state_get(&c, a, sizeof a, 2, &n) == NET_OK && n == 8);
  puts("right");
  return 0;
}
