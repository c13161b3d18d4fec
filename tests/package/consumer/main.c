/* Calls two generated libraries and prints their answers. */
#include "scale.h"
#include "shift.h"

#include <stdio.h>

int main(void) {
  scale_context scale;
  shift_context shift;
  if (scale_init(&scale, NULL) != SCALE_OK || shift_init(&shift, NULL) != SHIFT_OK)
    return 2;
  static unsigned char workspace[SCALE_APPLY_WORKSPACE_SIZE + SHIFT_UP_WORKSPACE_SIZE +
                                 SHIFT_DOWN_WORKSPACE_SIZE + 1];
  const float x[2] = {1, 2};
  const double z[3] = {1, 2, 3};
  float y[2];
  double up[3], down[3];
  if (scale_apply(&scale, x, y, workspace, sizeof workspace) != SCALE_OK ||
      shift_up(&shift, z, up, workspace, sizeof workspace) != SHIFT_OK ||
      shift_down(&shift, z, down, workspace, sizeof workspace) != SHIFT_OK)
    return 3;
  printf("scale %g %g up %g %g %g down %g %g %g\n", (double)y[0], (double)y[1], up[0], up[1], up[2],
         down[0], down[1], down[2]);
  return 0;
}
