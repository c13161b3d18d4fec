/* State in a function that is given sizes, in types of all widths, without elements, and with an
 * extern function that fails. */
#include "state_check.h"

#include "cases.h"

#include <stdio.h>

static _Alignas(64) unsigned char state[CASES_STATE_SIZE];
static unsigned char workspace[CASES_STEP_WORKSPACE_SIZE + CASES_EXT_WORKSPACE_SIZE + 1];
static int answer;

int user_f(const float *q, float *y, void *own, size_t size) {
  (void)own, (void)size;
  for (int i = 0; i < 5; ++i)
    y[i] = q[i] + 1;
  return answer;
}

int main(void) {
  cases_context c;
  float x[20], y[20], q[5];
  int8_t k[3];
  double d[2];
  for (int i = 0; i < 20; ++i)
    x[i] = (float)i;
  CHECK(cases_init(&c, NULL) == CASES_OK && cases_state_init(&c, state, sizeof state) == CASES_OK);
  CHECK(cases_state_get(&c, state, sizeof state, 3, d) == CASES_OK && 1 / d[1] < 0);
  CHECK(cases_step(&c, 9, x, NULL, state, sizeof state, y, workspace, sizeof workspace) ==
        CASES_BAD_SIZE);
  CHECK(cases_step(&c, 4, x, NULL, state, sizeof state, y, workspace, sizeof workspace) ==
        CASES_OK);
  CHECK(y[0] == 0.5f && y[19] == 19.5f);
  CHECK(cases_state_get(&c, state, sizeof state, 1, k) == CASES_OK && k[0] == 3 && k[2] == 3);
  CHECK(cases_state_get(&c, state, sizeof state, 2, NULL) == CASES_OK);
  CHECK(cases_state_get(&c, state, sizeof state, 3, d) == CASES_OK && d[1] == 0);
  CHECK(cases_step(&c, 1, x, NULL, state, sizeof state, y, workspace, sizeof workspace) ==
        CASES_OK);
  CHECK(y[0] == 32); /* 0 + 5 + 10 + 15 and four times 0.5 */
  CHECK(cases_ext(&c, x, state, sizeof state, y, workspace, sizeof workspace) == CASES_OK);
  answer = 5;
  CHECK(cases_ext(&c, x, state, sizeof state, y, workspace, sizeof workspace) ==
        CASES_EXTERN_FAILED);
  CHECK(cases_state_get(&c, state, sizeof state, 4, q) == CASES_OK && q[0] == 1 && q[4] == 5);
  puts("right");
  return 0;
}
