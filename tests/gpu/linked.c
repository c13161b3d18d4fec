/* A program that CMake links with a library for graphics cards: kgen_add_library and its header are
 * all that it names. */
#include "pieces.h"
#include "pieces_gpu.h"

#include <stdio.h>

int main(void) {
  static pieces_gpu gpu;
  static float x[120], on_gpu[4 * 6 * 5], last[9 * 5 * 4];
  const int64_t i[3] = {5, 0, 5};
  for (int n = 0; n < 120; n++)
    x[n] = (float)n;
  if (pieces_gpu_init(NULL, &gpu) != PIECES_GPU_OK)
    return fprintf(stderr, "%s\n", pieces_gpu_error(&gpu)), 1;
  pieces_gpu_status status = pieces_movement_gpu_run(&gpu, x, i, on_gpu, last);
  printf("%s: %s\n", pieces_gpu_target(&gpu), pieces_gpu_status_text(status));
  pieces_gpu_finish(&gpu);
  /* t[k][i][j] is x[i][j][k] */
  for (int n = 0; n < 120; n++)
    if (on_gpu[n] != x[n % 30 * 4 + n / 30])
      return fprintf(stderr, "t[%d] is %g\n", n, (double)on_gpu[n]), 1;
  return status != PIECES_GPU_OK;
}
