/* Ends the program unless the state begins with the number in the environment: state_begins.yaml's
 * own is -3. */
#include "begins.h"

#include <stdio.h>
#include <stdlib.h>

int look_at(const int64_t *n, const float *x, float *y, void *workspace, size_t workspace_size) {
  (void)workspace, (void)workspace_size;
  const char *begins = getenv("BEGINS");
  if (*n != (begins ? atoi(begins) : -3)) {
    fprintf(stderr, "n is %d\n", (int)*n);
    abort();
  }
  for (int i = 0; i < 4; ++i)
    y[i] = x[i];
  return 0;
}
