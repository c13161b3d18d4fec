/* Calls a made-up library in every way and checks every status. On a CPU of x86-64-v2 or better;
 * prints the chosen variant. */
#include "mylib.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define CHECK(condition)                                                                           \
  ((condition)                                                                                     \
       ? (void)0                                                                                   \
       : (void)(++failures, printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition)))

static const float x[6] = {1, 2, 3, 4, 5, 6}, bias[3] = {10, 20, 30};
static const float expected[6] = {11, 22, 33, 14, 25, 36};
static float out[6];
static unsigned char memory[MYLIB_FORWARD_WORKSPACE_SIZE + 64];

static int is_sum(float variant) {
  for (int i = 0; i < 6; ++i)
    if (out[i] != expected[i] + variant)
      return 0;
  return 1;
}

static void check_forward(const mylib_context *context, float variant) {
  size_t need = mylib_forward_workspace_size(context);
  CHECK(need > 0 && need <= MYLIB_FORWARD_WORKSPACE_SIZE);
  for (size_t offset = 0; offset <= 64; ++offset) { /* any alignment, and not a byte outside */
    memset(memory, 0x55, sizeof memory);
    memset(out, 0, sizeof out);
    CHECK(mylib_forward(context, x, bias, out, memory + offset, need) == MYLIB_OK);
    CHECK(is_sum(variant));
    for (size_t i = 0; i < sizeof memory; ++i)
      if (i < offset || i >= offset + need)
        CHECK(memory[i] == 0x55);
  }
  CHECK(mylib_forward(context, x, bias, out, memory, need - 1) == MYLIB_WORKSPACE_TOO_SMALL);
  CHECK(mylib_forward(context, x, bias, out, NULL, 0) == MYLIB_WORKSPACE_TOO_SMALL);
  CHECK(mylib_forward(context, x, bias, out, NULL, need) == MYLIB_NULL_POINTER);
  CHECK(mylib_forward(context, NULL, bias, out, memory, need) == MYLIB_NULL_POINTER);
  CHECK(mylib_forward(context, x, NULL, out, memory, need) == MYLIB_NULL_POINTER);
  CHECK(mylib_forward(context, x, bias, NULL, memory, need) == MYLIB_NULL_POINTER);
}

static void check_other_graphs(const mylib_context *context, int variant) {
  const float f = 1.5f;
  const double d = 2.25;
  const uint16_t half = 0;
  const int8_t i8 = 1;
  const uint8_t u8 = 2, yes = 1;
  const int32_t i32 = 3;
  const int64_t i64 = 4;
  const int16_t i16 = 5;
  const uint16_t u16 = 6;
  const uint32_t u32 = 7;
  const uint64_t u64 = 8;
  double sum = 0;
  uint8_t flag = 0;
  int32_t numbers[4] = {0, 0, 0, 0};
  CHECK(mylib_scale(context, &f, &half, &half, &d, &i8, &u8, &i32, &i64, &yes, &i16, &u16, &u32,
                    &u64, &u8, &u8, &i8, &u8, &sum, &flag, NULL, 0) == MYLIB_OK);
  CHECK(sum == 1.5 + 2.25 + 1);
  CHECK(flag == 1);
  CHECK(mylib_constant_workspace_size(context) == 0);
  CHECK(mylib_constant(context, numbers, NULL, 0) ==
        MYLIB_OK); /* the kernel gets a NULL workspace */
  for (int i = 0; i < 4; ++i)
    CHECK(numbers[i] == i + variant);
  CHECK(mylib_constant(context, NULL, NULL, 0) == MYLIB_NULL_POINTER);
  CHECK(mylib_nothing(context, NULL, NULL, NULL, 0) == MYLIB_OK);
}

static void check_contexts(const mylib_context *good) {
  mylib_context bad, copy = *good;
  memset(&bad, 0, sizeof bad);
  CHECK(mylib_forward(NULL, x, bias, out, memory, sizeof memory) == MYLIB_NOT_INITIALIZED);
  CHECK(mylib_forward(&bad, x, bias, out, memory, sizeof memory) == MYLIB_NOT_INITIALIZED);
  CHECK(mylib_forward_workspace_size(&bad) == 0);
  CHECK(mylib_variant(&bad) == NULL);
  CHECK(mylib_variant(NULL) == NULL);
  memset(&bad, 0xff, sizeof bad);
  CHECK(mylib_nothing(&bad, NULL, NULL, NULL, 0) == MYLIB_NOT_INITIALIZED);
  CHECK(mylib_variant(&copy) == mylib_variant(good));
}

static mylib_status init_with(mylib_context *context, const char *variant) {
  mylib_options options = {sizeof options, variant, NULL};
  return mylib_init(context, &options);
}

static void check_options(void) {
  struct {
    mylib_options options;
    size_t newer;
  } big = {{sizeof big, NULL, NULL}, 0};
  mylib_context context;
  mylib_options options = {0, NULL, NULL};
  CHECK(mylib_init(NULL, NULL) == MYLIB_NULL_POINTER);
  CHECK(mylib_init(&context, &options) == MYLIB_BAD_OPTIONS);
  CHECK(mylib_variant(&context) == NULL); /* a failed init leaves an unusable context */
  options.size = 1 << 20;
  CHECK(mylib_init(&context, &options) == MYLIB_BAD_OPTIONS);
  options.size = sizeof options.size; /* older than `variant`: it is not read */
  options.variant = (const char *)1;
  CHECK(mylib_init(&context, &options) == MYLIB_OK);
  CHECK(mylib_init(&context, &big.options) == MYLIB_OK);
  big.newer = 1;
  CHECK(mylib_init(&context, &big.options) == MYLIB_BAD_OPTIONS);
  CHECK(init_with(&context, "no-such") == MYLIB_UNKNOWN_VARIANT);
  CHECK(init_with(&context, "x86-64-v") == MYLIB_UNKNOWN_VARIANT); /* a prefix is another name */
  CHECK(init_with(&context, "x86-64-v22") == MYLIB_UNKNOWN_VARIANT);
  CHECK(init_with(&context, "from-the-future") == MYLIB_UNSUPPORTED_VARIANT);
  CHECK(mylib_variant(&context) == NULL);
  CHECK(init_with(&context, "x86-64") == MYLIB_OK &&
        strcmp(mylib_variant(&context), "x86-64") == 0);
  check_forward(&context, 200);
  check_other_graphs(&context, 200);
  CHECK(init_with(&context, "for-others") == MYLIB_OK); /* preferred elsewhere, but supported */
  check_forward(&context, 400);
  CHECK(init_with(&context, "") == MYLIB_OK);
}

/* Counts in `user`, and runs the last task first. */
static void run_backwards(void *user, uint32_t tasks, void (*task)(void *argument, uint32_t index),
                          void *argument) {
  ++*(int *)user;
  while (tasks-- > 0)
    task(argument, tasks);
}

static int calls_of_constant(const mylib_context *context, const int *counter) {
  int32_t numbers[4] = {0, 0, 0, 0};
  int before = *counter;
  CHECK(mylib_constant(context, numbers, NULL, 0) == MYLIB_OK);
  for (int i = 0; i < 4; ++i)
    CHECK(numbers[i] == i + 100);
  return *counter - before;
}

static void check_executor(void) {
  int counter = 0;
  int32_t numbers[4] = {0, 0, 0, 0};
  mylib_executor executor = {run_backwards, &counter, 1};
  mylib_options options = {sizeof options, "x86-64-v2", &executor};
  mylib_context context, copy;
  CHECK(mylib_init(&context, &options) == MYLIB_OK);
  executor.run = NULL; /* it was copied */
  copy = context;
  CHECK(calls_of_constant(&context, &counter) == 1 && calls_of_constant(&copy, &counter) == 1);
  CHECK(mylib_constant_on_x86_64_v2(numbers, NULL, 0) == MYLIB_OK && numbers[3] == 103);
  CHECK(counter == 2); /* a direct call has no executor */
  CHECK(mylib_init(&context, &options) == MYLIB_OK && calls_of_constant(&context, &counter) == 0);
  executor.run = run_backwards;
  options.size = offsetof(mylib_options, executor); /* an older header: it is not read */
  CHECK(mylib_init(&context, &options) == MYLIB_OK && calls_of_constant(&context, &counter) == 0);
}

static void check_variants(void) {
  static const char *const names[] = {"from-the-future", "for-others", "x86-64-v2", "x86-64"};
  CHECK(mylib_variant_count() == 4 && MYLIB_VARIANT_COUNT == 4);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(strcmp(mylib_variant_name(i), names[i]) == 0);
    CHECK(mylib_variant_supported(i) == (i != 0));
  }
  CHECK(mylib_variant_name(4) == NULL && mylib_variant_supported(4) == 0 &&
        mylib_variant_supported((size_t)-1) == 0);
  CHECK(mylib_forward_on_x86_64(x, bias, out, memory, 24 + 63) == MYLIB_OK && is_sum(200));
  CHECK(mylib_forward_on_for_others(x, bias, out, memory, 2063) == MYLIB_OK && is_sum(400));
  CHECK(mylib_forward_on_x86_64_v2(x, bias, out, memory, 1062) == MYLIB_WORKSPACE_TOO_SMALL);
  CHECK(mylib_forward_on_x86_64_v2(x, NULL, out, memory, 1063) == MYLIB_NULL_POINTER);
}

static void check_introspection(const mylib_context *context) {
  const void *inputs[9] = {x, bias};
  void *outputs[2] = {out, NULL};
  const mylib_function *f = mylib_function_info(0);
  CHECK(mylib_function_count() == 4 && mylib_function_info(4) == NULL);
  CHECK(strcmp(f->name, "forward") == 0 && f->input_count == 2 && f->output_count == 1);
  CHECK(strcmp(f->inputs[1].name, "bias") == 0 && f->inputs[1].type == MYLIB_TYPE_F32 &&
        f->inputs[1].rank == 1);
  CHECK(f->inputs[0].shape[0] == 2 && f->inputs[0].shape[1] == 3 && f->inputs[0].bytes == 24);
  CHECK(f->inputs[0].alignment == 4 && f->workspace_size == MYLIB_FORWARD_WORKSPACE_SIZE);
  f = mylib_function_info(1);
  CHECK(f->inputs[0].rank == 0 && f->inputs[0].shape == NULL &&
        f->inputs[8].type == MYLIB_TYPE_BOOL);
  CHECK(strcmp(f->inputs[0].name, "class") == 0); /* the graph's name, not C's */
  f = mylib_function_info(2);
  CHECK(f->input_count == 0 && f->inputs == NULL);
  f = mylib_function_info(3);
  CHECK(f->inputs[0].bytes == 0 && f->inputs[0].shape[0] == 0 && f->inputs[0].shape[1] == 7);
  memset(out, 0, sizeof out);
  CHECK(mylib_call(context, 0, inputs, outputs, memory, sizeof memory) == MYLIB_OK && is_sum(100));
  CHECK(mylib_call(context, 0, NULL, outputs, memory, sizeof memory) == MYLIB_NULL_POINTER);
  CHECK(mylib_call(context, 0, inputs, NULL, memory, sizeof memory) == MYLIB_NULL_POINTER);
  CHECK(mylib_call(context, 4, inputs, outputs, memory, sizeof memory) == MYLIB_BAD_INDEX);
  CHECK(mylib_call(NULL, 0, inputs, outputs, memory, sizeof memory) == MYLIB_NOT_INITIALIZED);
  CHECK(mylib_call(context, 0, inputs, outputs, memory, 1) == MYLIB_WORKSPACE_TOO_SMALL);
  CHECK(mylib_call(context, 2, NULL, outputs, NULL, 0) == MYLIB_OK);
}

static void check_strings(void) {
  CHECK(strcmp(mylib_status_string(MYLIB_OK), "MYLIB_OK") == 0);
  CHECK(strcmp(mylib_status_string(MYLIB_BAD_INDEX), "MYLIB_BAD_INDEX") == 0);
  CHECK(strcmp(mylib_status_string((mylib_status)77), "unknown status") == 0);
}

/* With an argument: only what init says. */
int main(int argc, char **argv) {
  mylib_context context;
  mylib_status status;
  errno = 77;
  status = mylib_init(&context, NULL);
  if (argc > 1) {
    printf("%s %s\n", mylib_status_string(status),
           mylib_variant(&context) ? mylib_variant(&context) : "none");
    return argv[1][0] == 'x' &&
           init_with(&context, "x86-64-v2") != MYLIB_OK; /* options go before the environment */
  }
  CHECK(status == MYLIB_OK && strcmp(mylib_variant(&context), "x86-64-v2") == 0);
  check_forward(&context, 100);
  check_other_graphs(&context, 100);
  check_contexts(&context);
  check_options();
  check_executor();
  check_variants();
  check_introspection(&context);
  check_strings();
  CHECK(errno == 77);
  printf("%d failures\n", failures);
  return failures != 0;
}
