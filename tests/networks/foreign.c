/* Calls one function of a generated library and writes the size and the bytes of each output to the
 * standard output: INDEX VARIANT "TYPES " SIZE, as prepare() of call.c takes them. */
#include <stdint.h>
#include <stdio.h>

int prepare(size_t index, const char *variant, const char *types, size_t size);
int call(void);
size_t count_outputs(void);
size_t bytes_of_output(size_t i);
const void *output(size_t i);

int main(int count, char **words) {
  if (count != 5)
    return 2;
  int status =
      prepare(strtoul(words[1], NULL, 10), words[2], words[3], strtoul(words[4], NULL, 10));
  if (status == 0)
    status = call();
  for (size_t i = 0; status == 0 && i < count_outputs(); i++) {
    uint64_t bytes = bytes_of_output(i);
    fwrite(&bytes, sizeof bytes, 1, stdout);
    if (fwrite(output(i), 1, bytes, stdout) != bytes)
      return 1;
  }
  if (status != 0)
    fprintf(stderr, "status %d\n", status);
  return status != 0 || fflush(stdout) != 0;
}
