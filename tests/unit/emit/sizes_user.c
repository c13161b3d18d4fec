/* Calls a made-up library whose functions are given sizes, and checks every status. */
#include "mylib.h"

#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(condition)                                                                           \
  ((condition)                                                                                     \
       ? (void)0                                                                                   \
       : (void)(++failures, printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition)))

enum { MOST = 8 * 64 * 3 };
static const float bias[3] = {10, 20, 30};
static float x[MOST], y[MOST + 1], halves[8 * 32];
static unsigned char memory[MYLIB_ROWS_WORKSPACE_SIZE + 1];

static int is_untouched(void) {
  for (size_t i = 0; i <= MOST; ++i)
    if (y[i] != -1)
      return 0;
  for (size_t i = 0; i < sizeof memory; ++i)
    if (memory[i] != 0x55)
      return 0;
  return 1;
}

static void prepare(void) {
  for (size_t i = 0; i <= MOST; ++i)
    y[i] = -1;
  memset(memory, 0x55, sizeof memory);
}

/* All sizes that are allowed: exact workspaces, nothing outside. */
static void check_sizes(const mylib_context *context, size_t batch, size_t length) {
  size_t exact = batch * (length * 4 > 192 ? length * 4 : 192),
         need = mylib_rows_workspace_size(context, batch, length);
  CHECK(need == exact + 63 && need <= MYLIB_ROWS_WORKSPACE_SIZE);
  prepare();
  CHECK(mylib_rows(context, batch, length, x, bias, y, halves, memory, need - 1) ==
        MYLIB_WORKSPACE_TOO_SMALL);
  CHECK(is_untouched());
  CHECK(mylib_rows(context, batch, length, x, bias, y, halves, memory, need) == MYLIB_OK);
  for (size_t i = 0; i < batch * length * 3; ++i)
    CHECK(y[i] == x[i] + bias[i % 3]);
  CHECK(y[batch * length * 3] == -1 && memory[need] == 0x55);
}

static void check_refusals(const mylib_context *context) {
  static const size_t bad[][2] = {{0, 16}, {9, 16}, {1, 8}, {1, 80}, {(size_t)-1, 16}, {1, 15}};
  prepare();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    CHECK(mylib_rows(context, bad[i][0], bad[i][1], x, bias, y, halves, memory, sizeof memory) ==
          MYLIB_BAD_SIZE);
    CHECK(mylib_rows_on_x86_64(bad[i][0], bad[i][1], x, bias, y, halves, NULL, 0) ==
          MYLIB_BAD_SIZE);
    CHECK(mylib_rows_workspace_size(context, bad[i][0], bad[i][1]) == 0);
    CHECK(mylib_function_workspace_size(context, 0, bad[i]) == 0);
    CHECK(mylib_function_shape(0, bad[i], 0, NULL) == MYLIB_BAD_SIZE);
  }
  CHECK(mylib_rows(NULL, 1, 16, x, bias, y, halves, memory, sizeof memory) ==
        MYLIB_NOT_INITIALIZED);
  CHECK(mylib_rows(context, 1, 16, NULL, bias, y, halves, memory, sizeof memory) ==
        MYLIB_NULL_POINTER);
  CHECK(is_untouched());
  /* Tensors without elements may be NULL, others not. */
  CHECK(mylib_rows(context, 1, 0, NULL, bias, NULL, NULL, memory, sizeof memory) == MYLIB_OK);
  CHECK(mylib_rows(context, 1, 0, NULL, NULL, NULL, NULL, memory, sizeof memory) ==
        MYLIB_NULL_POINTER);
}

static void check_introspection(const mylib_context *context) {
  const mylib_function *rows = mylib_function_info(0), *fixed = mylib_function_info(1);
  const size_t sizes[2] = {3, 48};
  size_t shape[3] = {0, 0, 0};
  const void *inputs[2] = {x, bias};
  void *outputs[2] = {y, halves};
  float pair[2] = {1, 2}, swapped[2];
  CHECK(rows->dim_count == 2 && strcmp(rows->dims[1].name, "int") == 0 && rows->dims[0].min == 1 &&
        rows->dims[1].max == 64 && rows->dims[1].multiple == 16);
  CHECK(fixed->dim_count == 0 && fixed->dims == NULL);
  CHECK(rows->inputs[0].shape[0] == 8 && rows->inputs[0].shape[1] == 64 &&
        rows->inputs[0].bytes == sizeof x && rows->workspace_size == MYLIB_ROWS_WORKSPACE_SIZE);
  CHECK(mylib_function_shape(0, sizes, 0, shape) == MYLIB_OK && shape[0] == 3 && shape[1] == 48 &&
        shape[2] == 3);
  CHECK(mylib_function_shape(0, sizes, 3, shape) == MYLIB_OK && shape[0] == 3 && shape[1] == 24);
  CHECK(mylib_function_shape(1, NULL, 1, shape) == MYLIB_OK && shape[0] == 2);
  CHECK(mylib_function_shape(0, sizes, 4, shape) == MYLIB_BAD_INDEX);
  CHECK(mylib_function_shape(2, sizes, 0, shape) == MYLIB_BAD_INDEX);
  CHECK(mylib_function_shape(0, NULL, 0, shape) == MYLIB_NULL_POINTER);
  CHECK(mylib_function_shape(0, sizes, 0, NULL) == MYLIB_NULL_POINTER);
  CHECK(mylib_function_workspace_size(context, 0, sizes) ==
        mylib_rows_workspace_size(context, 3, 48));
  CHECK(mylib_function_workspace_size(context, 1, NULL) == 0);
  prepare();
  CHECK(mylib_call(context, 0, sizes, inputs, outputs, memory, sizeof memory) == MYLIB_OK);
  CHECK(y[3 * 48 * 3 - 1] == x[3 * 48 * 3 - 1] + 30 && y[3 * 48 * 3] == -1);
  CHECK(mylib_call(context, 0, NULL, inputs, outputs, memory, sizeof memory) == MYLIB_NULL_POINTER);
  inputs[0] = pair;
  outputs[0] = swapped;
  CHECK(mylib_call(context, 1, NULL, inputs, outputs, NULL, 0) == MYLIB_OK && swapped[0] == 2);
}

int main(void) {
  mylib_context context;
  for (size_t i = 0; i < MOST; ++i)
    x[i] = (float)i;
  CHECK(mylib_init(&context, NULL) == MYLIB_OK &&
        strcmp(mylib_variant(&context), "x86-64-v2") == 0);
  for (size_t batch = 1; batch <= 8; ++batch)
    for (size_t length = 0; length <= 64; length += 16)
      check_sizes(&context, batch, length);
  check_refusals(&context);
  check_introspection(&context);
  CHECK(strcmp(mylib_status_string(MYLIB_BAD_SIZE), "MYLIB_BAD_SIZE") == 0);
  printf("%d failures\n", failures);
  return failures != 0;
}
