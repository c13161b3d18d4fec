/* A cache that grows by the rows of a call, written where it lies, next to one that is copied from
 * call to call: the same bits, and no other row changes. */
#include "state_check.h"

#include "copied.h"
#include "grown.h"

#include <string.h>

enum { capacity = 36, width = 8, heads = 2, row = width * sizeof(float) };

static unsigned char workspace[1 << 20];
static _Alignas(64) unsigned char state[GROWN_STATE_SIZE], before[GROWN_STATE_SIZE];
static float past[2][heads * capacity * width];

int main(void) {
  grown_context grown;
  copied_context copied;
  float x[64], y[64], wanted[64];
  size_t filled = 1, from = 0;
  CHECK(grown_init(&grown, NULL) == GROWN_OK && copied_init(&copied, NULL) == COPIED_OK);
  CHECK(grown_state_init(&grown, state, sizeof state) == GROWN_OK);
  for (size_t call = 0; filled <= 32; ++call) {
    const size_t rows = 1 + call % 4;
    memcpy(before, state, sizeof state);
    for (size_t i = 0; i < 64; ++i)
      x[i] = (float)((i * 7 + call * 13) % 23) / 23;
    CHECK(grown_run(&grown, filled, rows, x, state, sizeof state, y, workspace, sizeof workspace) ==
          GROWN_OK);
    CHECK(copied_run(&copied, filled, rows, past[from], x, wanted, past[1 - from], workspace,
                     sizeof workspace) == COPIED_OK);
    CHECK(memcmp(y, wanted, heads * rows * row) == 0);
    for (size_t byte = 64; byte < sizeof state; ++byte) {
      const size_t place = (byte - 64) / row % capacity;
      CHECK((place >= filled && place < filled + rows) || state[byte] == before[byte]);
    }
    from = 1 - from;
    filled += rows;
    for (size_t head = 0; head < heads; ++head)
      CHECK(memcmp(state + 64 + head * capacity * row, past[from] + head * filled * width,
                   filled * row) == 0);
  }
  CHECK(grown_run(&grown, 33, 1, x, state, sizeof state, y, workspace, sizeof workspace) ==
        GROWN_BAD_SIZE);
  puts("right");
  return 0;
}
