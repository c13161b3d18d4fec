/* What AMX instructions do, in C: for variants that were compiled with --emulate-tiles. Aborts
 * where the instruction would fault: registers without a shape, or shapes that do not fit together.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct {
  int is_configured;
  int rows[8], bytes[8];
  unsigned char data[8][16][64];
} tiles;

static void require(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "tiles: %s\n", what);
  abort();
}

void kgen_emulated_ldtilecfg(const void *memory) {
  const unsigned char *bytes = memory;
  memset(&tiles, 0, sizeof tiles);
  require(bytes[0] == 1 && bytes[1] == 0, "palette 1, from row 0 on");
  for (int i = 2; i < 64; ++i)
    require((i >= 16 && i < 32) || (i >= 48 && i < 56) || bytes[i] == 0, "reserved bytes are 0");
  for (int t = 0; t < 8; ++t) {
    uint16_t width;
    memcpy(&width, bytes + 16 + 2 * t, sizeof width);
    tiles.bytes[t] = width;
    tiles.rows[t] = bytes[48 + t];
    require(width <= 64 && tiles.rows[t] <= 16, "16 rows of 64 bytes at most");
    require((width == 0) == (tiles.rows[t] == 0), "rows without columns, or columns without rows");
  }
  tiles.is_configured = 1;
}

void kgen_emulated_tilerelease(void) { memset(&tiles, 0, sizeof tiles); }

static void require_tile(int t) {
  require(tiles.is_configured && tiles.rows[t] != 0, "a register without a shape is used");
}

void kgen_emulated_tilezero(int t) {
  require_tile(t);
  memset(tiles.data[t], 0, sizeof tiles.data[t]);
}

void kgen_emulated_tileloadd64(int t, const void *from, int64_t stride) {
  require_tile(t);
  memset(tiles.data[t], 0, sizeof tiles.data[t]);
  for (int row = 0; row < tiles.rows[t]; ++row)
    memcpy(tiles.data[t][row], (const char *)from + row * stride, (size_t)tiles.bytes[t]);
}

/* The same, with a hint. */
void kgen_emulated_tileloaddt164(int t, const void *from, int64_t stride) {
  kgen_emulated_tileloadd64(t, from, stride);
}

void kgen_emulated_tilestored64(int t, void *to, int64_t stride) {
  require_tile(t);
  for (int row = 0; row < tiles.rows[t]; ++row)
    memcpy((char *)to + row * stride, tiles.data[t][row], (size_t)tiles.bytes[t]);
}

static void require_product(int c, int a, int b) {
  require_tile(a);
  require_tile(b);
  require_tile(c);
  require(a != b && a != c && b != c, "a product needs three registers");
  require(tiles.rows[c] == tiles.rows[a] && tiles.bytes[c] == tiles.bytes[b] &&
              tiles.bytes[a] == 4 * tiles.rows[b],
          "shapes of a product's registers differ");
}

/* Subnormal numbers count as zero. */
static float flushed(float x) { return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x; }

static float bf16_at(int t, int row, int index) {
  uint16_t half;
  memcpy(&half, tiles.data[t][row] + 2 * index, sizeof half);
  uint32_t bits = (uint32_t)half << 16;
  float x;
  memcpy(&x, &bits, sizeof x);
  return flushed(x);
}

void kgen_emulated_tdpbf16ps(int c, int a, int b) {
  require_product(c, a, b);
  for (int row = 0; row < tiles.rows[c]; ++row)
    for (int column = 0; column < tiles.bytes[c] / 4; ++column) {
      float sum;
      memcpy(&sum, tiles.data[c][row] + 4 * column, sizeof sum);
      for (int k = 0; k < tiles.rows[b]; ++k)
        for (int i = 0; i < 2; ++i)
          sum = flushed(fmaf(bf16_at(a, row, 2 * k + i), bf16_at(b, k, 2 * column + i), sum));
      memcpy(tiles.data[c][row] + 4 * column, &sum, sizeof sum);
    }
}

static int32_t byte_at(int t, int row, int index, int is_unsigned) {
  unsigned char byte = tiles.data[t][row][index];
  return is_unsigned ? byte : (int8_t)byte;
}

static void multiply_bytes(int c, int a, int b, int a_unsigned, int b_unsigned) {
  require_product(c, a, b);
  for (int row = 0; row < tiles.rows[c]; ++row)
    for (int column = 0; column < tiles.bytes[c] / 4; ++column) {
      uint32_t sum;
      memcpy(&sum, tiles.data[c][row] + 4 * column, sizeof sum);
      for (int k = 0; k < tiles.rows[b]; ++k)
        for (int i = 0; i < 4; ++i)
          sum += (uint32_t)(byte_at(a, row, 4 * k + i, a_unsigned) *
                            byte_at(b, k, 4 * column + i, b_unsigned));
      memcpy(tiles.data[c][row] + 4 * column, &sum, sizeof sum);
    }
}

void kgen_emulated_tdpbssd(int c, int a, int b) { multiply_bytes(c, a, b, 0, 0); }
void kgen_emulated_tdpbsud(int c, int a, int b) { multiply_bytes(c, a, b, 0, 1); }
void kgen_emulated_tdpbusd(int c, int a, int b) { multiply_bytes(c, a, b, 1, 0); }
void kgen_emulated_tdpbuud(int c, int a, int b) { multiply_bytes(c, a, b, 1, 1); }
