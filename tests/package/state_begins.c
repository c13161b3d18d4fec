/* Ends the program unless the state is as state_begins.yaml begins it. */
#include "begins.h"

#include <stdio.h>
#include <stdlib.h>

int look_at(const int64_t *n, const float *x, float *y, void *workspace, size_t workspace_size) {
  (void)workspace, (void)workspace_size;
  if (*n != -3) {
    fprintf(stderr, "n is %d\n", (int)*n);
    abort();
  }
  for (int i = 0; i < 4; ++i)
    y[i] = x[i];
  return 0;
}
