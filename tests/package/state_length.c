/* A cache whose length is a state that each call advances, next to one that is copied from call to
 * call: the same bits. Lengths that there are not are refused, and nothing is written then. */
#include "state_check.h"

#include "copied.h"
#include "held.h"

#include <math.h>
#include <string.h>

enum { capacity = 36, width = 8, heads = 2, row = width * sizeof(float) };

static unsigned char workspace[1 << 20];
static _Alignas(64) unsigned char state[HELD_STATE_SIZE], before[HELD_STATE_SIZE];
static float past[2][heads * capacity * width];

static int64_t length(const held_context *held) {
  int64_t now = -1;
  held_state_get(held, state, sizeof state, 1, &now);
  return now;
}

int main(void) {
  held_context held;
  copied_context copied;
  float x[64], y[64], wanted[64], sums[heads * width];
  const float one = 1;
  const void *inputs[1] = {x};
  void *outputs[1] = {y};
  int64_t filled = 0;
  size_t from = 0,
         sizes[2] = {12345, 1}; /* of these, calls by index do not read what a state holds */
  CHECK(held_init(&held, NULL) == HELD_OK && copied_init(&copied, NULL) == COPIED_OK);
  CHECK(held_run(&held, 1, x, state, sizeof state, y, workspace, sizeof workspace) ==
        HELD_BAD_STATE);
  CHECK(held_run(&held, 1, x, NULL, sizeof state, y, workspace, sizeof workspace) ==
        HELD_NULL_POINTER);
  memset(state, 0xff, sizeof state); /* NaN, wherever it is read before it is written */
  CHECK(held_state_init(&held, state, sizeof state) == HELD_OK);
  for (size_t byte = 64; byte < 64 + heads * capacity * row; ++byte)
    CHECK(state[byte] == 0xff);
  for (size_t call = 0; filled <= 32; ++call) {
    const size_t rows = 1 + call % 4;
    memcpy(before, state, sizeof state);
    for (size_t i = 0; i < 64; ++i)
      x[i] = (float)((i * 7 + call * 13) % 23) / 23;
    CHECK(held_run(&held, 5, x, state, sizeof state, y, workspace, sizeof workspace) ==
          HELD_BAD_SIZE);
    CHECK(memcmp(before, state, sizeof state) == 0);
    if (call % 3 == 1) {
      sizes[1] = rows;
      CHECK(held_call(&held, 0, sizes, inputs, state, sizeof state, outputs, workspace,
                      sizeof workspace) == HELD_OK);
    } else {
      CHECK(held_run(&held, rows, x, state, sizeof state, y, workspace,
                     held_run_workspace_size(&held, (size_t)filled, rows)) == HELD_OK);
    }
    CHECK(copied_run(&copied, (size_t)filled, rows, past[from], x, wanted, past[1 - from],
                     workspace, sizeof workspace) == COPIED_OK);
    CHECK(memcmp(y, wanted, heads * rows * row) == 0);
    for (size_t byte = 64; byte < 64 + heads * capacity * row; ++byte) {
      const int64_t place = (int64_t)((byte - 64) / row % capacity);
      CHECK((place >= filled && place < filled + (int64_t)rows) || state[byte] == before[byte]);
    }
    from = 1 - from;
    filled += (int64_t)rows;
    CHECK(length(&held) == filled);
    for (size_t head = 0; head < heads; ++head)
      CHECK(memcmp(state + 64 + head * capacity * row, past[from] + head * (size_t)filled * width,
                   (size_t)filled * row) == 0);
    if (filled > 32)
      break;
    CHECK(held_peek(&held, &one, state, sizeof state, sums, workspace, sizeof workspace) ==
          HELD_OK);
    for (size_t head = 0; head < heads; ++head)
      for (size_t i = 0; i < width; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < filled; ++j)
          sum += past[from][(head * (size_t)filled + (size_t)j) * width + i];
        CHECK(fabs(sum - sums[head * width + i]) < 1e-4);
      }
  }
  memcpy(before, state, sizeof state);
  CHECK(held_run(&held, 1, x, state, sizeof state, y, workspace, sizeof workspace) ==
        HELD_STATE_FULL);
  CHECK(held_peek(&held, &one, state, sizeof state, sums, workspace, sizeof workspace) ==
        HELD_STATE_FULL);
  for (int i = 0; i < 3; ++i) {
    const int64_t wrong[3] = {-1, INT64_MIN, INT64_MAX};
    CHECK(held_state_set(&held, state, sizeof state, 1, &wrong[i]) == HELD_OK);
    memcpy(before, state, sizeof state);
    CHECK(held_run(&held, 1, x, state, sizeof state, y, workspace, sizeof workspace) ==
          (i < 2 ? HELD_BAD_STATE : HELD_STATE_FULL));
    CHECK(memcmp(before, state, sizeof state) == 0);
  }
  filled = 3; /* rewound */
  CHECK(held_state_set(&held, state, sizeof state, 1, &filled) == HELD_OK);
  CHECK(held_run(&held, 1, x, state, sizeof state, y, NULL, 0) ==
        (held_run_workspace_size(&held, 3, 1) ? HELD_WORKSPACE_TOO_SMALL : HELD_OK));
  CHECK(held_function_info(0)->dim_count == 2);
  for (size_t i = 0; i < 2; ++i) {
    const held_dim *dim = &held_function_info(0)->dims[i];
    CHECK(strcmp(dim->name, "past_length") == 0 ? strcmp(dim->state, "length") == 0 : !dim->state);
  }
  puts("right");
  return 0;
}
