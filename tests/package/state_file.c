/* state_file write FILE, state_file read FILE: a block of state of one library, kept in a file and
 * taken by another one. */
#include "net.h"

#include <stdio.h>
#include <string.h>

static _Alignas(64) unsigned char block[4096];
static unsigned char workspace[NET_STEP_WORKSPACE_SIZE + 1];

int main(int count, char **arguments) {
  net_context context;
  float x[10] = {1, 2, 3}, y[10];
  if (count != 3 || net_init(&context, NULL) != NET_OK)
    return 2;
  const int writes = strcmp(arguments[1], "write") == 0;
  FILE *file = fopen(arguments[2], writes ? "wb" : "rb");
  if (file == NULL)
    return 2;
  if (writes)
    net_state_init(&context, block, sizeof block);
  else if (fread(block, 1, sizeof block, file) != sizeof block)
    return 2;
  net_status status = net_step(&context, x, block, sizeof block, y, workspace, sizeof workspace);
  if (writes && fwrite(block, 1, sizeof block, file) != sizeof block)
    return 2;
  fclose(file);
  if (!writes)
    puts(status == NET_OK ? "0" : net_status_string(status) + 4);
  return 0;
}
