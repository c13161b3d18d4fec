/* A decoder's step writes the new rows of its caches and `length`, and nothing else of the block:
 * the rest is the same, and pages of the rest may be read only. The results are those of the same
 * graph with inputs and outputs, to the bit. A cache without room is refused before anything is
 * written. */
#include "state_check.h"

#include "decoder.h"
#include "plain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { context = 256, width = 64, heads = 2, page = 4096, cache = heads * context * width };

static unsigned char workspace[1 << 20];
static float keys[2][cache], values[2][cache];
static unsigned char before[DECODER_STATE_SIZE];

/* The byte of the block at which row `position` of a head begins. */
static size_t row_at(size_t place, int head, int position) {
  return place + sizeof(float) * width * (size_t)(head * context + position);
}

static int allow(unsigned char *block, size_t byte) {
  return mprotect(block + byte / page * page, page, PROT_READ | PROT_WRITE) == 0;
}

/* True if bytes [from, to) are as they were. */
static int is_same(const unsigned char *block, size_t from, size_t to) {
  return memcmp(block + from, before + from, to - from) == 0;
}

int main(void) {
  const size_t bytes = (DECODER_STATE_SIZE + page - 1) / page * page, row = sizeof(float) * width;
  const size_t places[2] = {64, 64 + sizeof keys[0]}, length_at = 64 + 2 * sizeof keys[0];
  decoder_context c;
  plain_context p;
  int64_t length[2] = {0};
  float x[heads * width], y[heads * width], wanted[heads * width];
  unsigned char *block =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(block != MAP_FAILED && DECODER_STATE_SIZE == length_at + 64);
  CHECK(decoder_init(&c, NULL) == DECODER_OK && plain_init(&p, NULL) == PLAIN_OK);
  CHECK(decoder_state_init(&c, block, DECODER_STATE_SIZE) == DECODER_OK);
  for (int step = 0; step < context; ++step) {
    for (int i = 0; i < heads * width; ++i)
      x[i] = (float)((i * 7 + step * 13) % 31) / 31 - 0.5f;
    memcpy(before, block, DECODER_STATE_SIZE);
    CHECK(mprotect(block, bytes, PROT_READ) == 0 && allow(block, length_at));
    for (int tensor = 0; tensor < 2; ++tensor)
      for (int head = 0; head < heads; ++head)
        CHECK(allow(block, row_at(places[tensor], head, step)) &&
              allow(block, row_at(places[tensor], head, step) + row - 1));
    CHECK(decoder_step(&c, x, block, DECODER_STATE_SIZE, y, workspace, sizeof workspace) ==
          DECODER_OK);
    CHECK(mprotect(block, bytes, PROT_READ | PROT_WRITE) == 0);
    size_t next = 0; /* what was not compared yet */
    for (int tensor = 0; tensor < 2; ++tensor)
      for (int head = 0; head < heads; ++head) {
        CHECK(is_same(block, next, row_at(places[tensor], head, step)));
        next = row_at(places[tensor], head, step) + row;
      }
    CHECK(is_same(block, next, length_at) && is_same(block, length_at + 8, DECODER_STATE_SIZE));
    const int from = step % 2, into = 1 - from;
    CHECK(plain_step(&p, x, keys[from], values[from], &length[from], wanted, keys[into],
                     values[into], &length[into], workspace, sizeof workspace) == PLAIN_OK);
    CHECK(memcmp(y, wanted, sizeof y) == 0 && memcmp(block + 64, keys[into], sizeof keys[0]) == 0);
    CHECK(memcmp(block + places[1], values[into], sizeof values[0]) == 0);
    CHECK(memcmp(block + length_at, &length[into], 8) == 0 && length[into] == step + 1);
  }
  CHECK(mprotect(block, bytes, PROT_READ) == 0);
  CHECK(decoder_step(&c, x, block, DECODER_STATE_SIZE, y, workspace, sizeof workspace) ==
        DECODER_STATE_FULL);
  CHECK(strcmp(decoder_status_string(DECODER_STATE_FULL), "DECODER_STATE_FULL") == 0);
  puts("right");
  return 0;
}
