/* A block that is made for sizes: its layout, what is refused, tensors out of it and into it, and
 * rows without room. */
#include "state_check.h"

#include "sized.h"

#include <stdlib.h>
#include <string.h>

int main(void) {
  sized_context c;
  static unsigned char ws[1 << 20];
  float x[2 * 8 * 8], y[16], s[5] = {1, 2, 3, 4, 5}, t[5], keys[2 * 21 * 8], ref[2 * 21 * 8] = {0},
                             s2[16];
  int8_t seen[21];
  int64_t many[1] = {3}, len[2];
  CHECK(sized_init(&c, NULL) == SIZED_OK);
  CHECK(sized_state_size(&c, 7) == 0 && sized_state_size(&c, 129) == 0 &&
        sized_state_size(&c, 128) == SIZED_STATE_SIZE);
  size_t n = sized_state_size(&c, 21);
  CHECK(n == 64 + 2 * ((2 * 21 * 8 * 4 + 63) / 64 * 64) + 64 + 64 + 64);
  unsigned char *b = aligned_alloc(64, n), *k = malloc(n);
  memset(b, 0x55, n);
  CHECK(sized_step(&c, 21, 3, x, many, b, n, y, ws, sizeof ws) == SIZED_BAD_STATE);
  CHECK(sized_state_init(&c, b, n - 1, 21) == SIZED_BAD_STATE &&
        sized_state_init(&c, b, n, 200) == SIZED_BAD_SIZE);
  CHECK(sized_state_init(&c, b + 1, n, 8) == SIZED_BAD_STATE &&
        sized_state_init(&c, NULL, n, 8) == SIZED_NULL_POINTER);
  CHECK(sized_state_init(&c, b, n, 21) == SIZED_OK);
  CHECK(sized_step(&c, 22, 3, x, many, b, n, y, ws, sizeof ws) == SIZED_BAD_STATE);
  CHECK(sized_step(&c, 21, 3, x, many, b, n - 1, y, ws, sizeof ws) == SIZED_BAD_STATE);
  for (int call = 0; call < 7; ++call) {
    for (int i = 0; i < 48; ++i)
      x[i] = (float)(call * 100 + i);
    CHECK(sized_step(&c, 21, 3, x, many, b, n, y, ws, sizeof ws) == SIZED_OK);
    for (int q = 0; q < 2; ++q)
      memcpy(ref + q * 168 + call * 24, x + q * 24, 96);
    CHECK(sized_state_get(&c, b, n, 0, keys) == SIZED_OK && memcmp(keys, ref, sizeof ref) == 0);
    CHECK(sized_state_get(&c, b, n, 4, keys) == SIZED_OK && memcmp(keys, ref, sizeof ref) == 0);
    CHECK(sized_state_get(&c, b, n, 2, seen) == SIZED_OK && seen[0] == (call % 2 ? 3 : -3) &&
          seen[20] == seen[0]);
    CHECK(sized_state_get(&c, b, n, 5, len) == SIZED_OK && len[0] == 3 * call + 3);
    CHECK(sized_scale(&c, s, b, n, t, ws, sizeof ws) == SIZED_OK);
    CHECK(t[1] == 2 + 2 * (call + 1));
  }
  memcpy(k, b, n);
  CHECK(sized_step(&c, 21, 3, x, many, b, n, y, ws, sizeof ws) == SIZED_STATE_FULL &&
        memcmp(k, b, n) == 0);
  len[0] = 18, len[1] = 19;
  CHECK(sized_state_set(&c, b, n, 5, len) == SIZED_OK);
  CHECK(sized_step(&c, 21, 3, x, many, b, n, y, ws, sizeof ws) == SIZED_STATE_FULL);
  CHECK(sized_step(&c, 21, 2, x, many, b, n, y, ws, sizeof ws) == SIZED_OK);
  CHECK(sized_state_get(&c, b, n, 0, ref) == SIZED_OK);
  CHECK(sized_put(&c, 21, 2, x, b, n, y, ws, sizeof ws) == SIZED_OK);
  memcpy(ref, x, 64), memcpy(ref + 168, x + 16, 64);
  CHECK(sized_put(&c, 21, 0, NULL, b, n, y, ws, sizeof ws) == SIZED_OK);
  CHECK(sized_state_get(&c, b, n, 0, keys) == SIZED_OK && memcmp(keys, ref, sizeof ref) == 0);
  CHECK(sized_state_get(&c, b, n, 6, len) == SIZED_BAD_INDEX);
  memcpy(k, b, n);
  for (size_t at = 0; at < 21; ++at) { /* row `at` of both */
    CHECK(sized_state_get_at(&c, b, n, 0, 1, at, s2) == SIZED_OK);
    CHECK(memcmp(s2, ref + at * 8, 32) == 0 && memcmp(s2 + 8, ref + 168 + at * 8, 32) == 0);
    CHECK(sized_state_set_at(&c, b, n, 0, 1, at, s2) == SIZED_OK);
  }
  CHECK(memcmp(k, b, n) == 0);
  CHECK(sized_state_get_at(&c, b, n, 0, 0, 1, keys) == SIZED_OK &&
        memcmp(keys, ref + 168, 672) == 0);
  CHECK(sized_state_get_at(&c, b, n, 2, 0, 20, seen) == SIZED_OK);
  CHECK(sized_state_set_at(&c, b, n, 0, 2, 7, keys) == SIZED_OK); /* an element of each row */
  CHECK(sized_state_get(&c, b, n, 0, ref) == SIZED_OK);
  for (int i = 0; i < 42; ++i)
    CHECK(ref[8 * i + 7] == keys[i]);
  memcpy(k, b, n);
  CHECK(sized_state_get_at(&c, b, n, 0, 1, 21, s2) == SIZED_BAD_INDEX &&
        sized_state_set_at(&c, b, n, 0, 3, 0, s2) == SIZED_BAD_INDEX &&
        sized_state_set_at(&c, b, n, 6, 0, 0, s2) == SIZED_BAD_INDEX &&
        sized_state_set_at(&c, b, n, 0, 1, 0, NULL) == SIZED_NULL_POINTER &&
        sized_state_set_at(&c, b, n - 1, 0, 1, 0, s2) == SIZED_BAD_STATE &&
        sized_state_get_at(&c, b, n, 3, 1, 0, s2) == SIZED_OK &&
        sized_state_get_at(&c, b, n, 3, 0, 0, s2) == SIZED_BAD_INDEX);
  CHECK(memcmp(k, b, n) == 0);
  free(b);
  free(k);
  puts("right");
  return 0;
}
