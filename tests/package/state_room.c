/* Rows at places that the graph computes from a state: a call that has no room for them writes
 * nothing. Keys and values after those that are filled are not read. */
#include "room.h"

#include "state_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static _Alignas(ROOM_STATE_ALIGNMENT) unsigned char block[ROOM_STATE_SIZE], before[ROOM_STATE_SIZE];
static unsigned char ws[ROOM_SCATTER_WORKSPACE_SIZE + ROOM_ATTEND_WORKSPACE_SIZE + 1];

static int check_scatter(const room_context *c) {
  float x[6] = {1, 2, 3, 4, 5, 6}, y[7], rows[21];
  int64_t length;
  CHECK(room_state_init(c, block, sizeof block) == ROOM_OK);
  for (int call = 0; call < 3; ++call) {
    CHECK(room_scatter(c, x, block, sizeof block, y, ws, sizeof ws) == ROOM_OK);
    CHECK(y[2 * call] == 6 && y[2 * call + 1] == 15 && y[2 * call + 2] == 0);
  }
  memcpy(before, block, sizeof block);
  CHECK(room_scatter(c, x, block, sizeof block, y, ws, sizeof ws) == ROOM_STATE_FULL);
  CHECK(memcmp(before, block, sizeof block) == 0);
  length = 5; /* the last two rows */
  CHECK(room_state_set(c, block, sizeof block, 3, &length) == ROOM_OK);
  CHECK(room_scatter(c, x, block, sizeof block, y, ws, sizeof ws) == ROOM_OK);
  CHECK(room_state_get(c, block, sizeof block, 0, rows) == ROOM_OK &&
        memcmp(rows + 15, x, sizeof x) == 0);
  return 0;
}

static int check_attend(const room_context *c) {
  float q[10], k[10], v[10], y[10], cache[60];
  CHECK(room_state_init(c, block, sizeof block) == ROOM_OK);
  for (int i = 0; i < 60; ++i)
    cache[i] = (i % 30) / 5 == 0 ? 0 : NAN; /* the first key and value of each sequence are there */
  CHECK(room_state_set(c, block, sizeof block, 1, cache) == ROOM_OK);
  CHECK(room_state_set(c, block, sizeof block, 2, cache) == ROOM_OK);
  for (int call = 0; call < 5; ++call) {
    for (int i = 0; i < 10; ++i) {
      q[i] = k[i] = 0;
      v[i] = (float)(call + 2);
    }
    CHECK(room_attend(c, q, k, v, block, sizeof block, y, ws, sizeof ws) == ROOM_OK);
    float sum = 0; /* all scores are equal: the mean of 0, 2, 3, ... */
    for (int i = 0; i <= call; ++i)
      sum += (float)(i + 2);
    for (int i = 0; i < 10; ++i)
      CHECK(fabsf(y[i] - sum / (float)(call + 2)) < 1e-5f);
  }
  memcpy(before, block, sizeof block);
  CHECK(room_attend(c, q, k, v, block, sizeof block, y, ws, sizeof ws) == ROOM_STATE_FULL);
  CHECK(memcmp(before, block, sizeof block) == 0);
  return 0;
}

int main(void) {
  room_context c;
  for (size_t i = 0; i < room_variant_count(); ++i) {
    if (!room_variant_supported(i))
      continue;
    room_options options = {sizeof options, room_variant_name(i), NULL};
    CHECK(room_init(&c, &options) == ROOM_OK);
    if (check_scatter(&c) || check_attend(&c))
      return 1;
  }
  puts("right");
  return 0;
}
