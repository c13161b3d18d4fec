/* Memory, and numbers of requests: both programs that call a library begin with this text. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *of) {
  fprintf(stderr, "%s%s\n", what, of);
  exit(3);
}

/* At a multiple of 64 bytes, none of them 0. */
static void *memory(size_t bytes) {
  unsigned char *block = (unsigned char *)malloc(bytes + 64);
  if (block == NULL)
    fail("there is not enough memory", "");
  memset(block, 0xa5, bytes + 64);
  return block + (64 - ((size_t)block & 63));
}

static void take(void *bytes, size_t count, FILE *file) {
  if (fread(bytes, 1, count, file) != count)
    fail("the request is truncated", "");
}

static size_t number(FILE *file) {
  uint64_t value;
  take(&value, sizeof value, file);
  return (size_t)value;
}
