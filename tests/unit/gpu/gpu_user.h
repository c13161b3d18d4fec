/* The library of the tests on any device: checks next to numbers in double. */
#include <mygpu_gpu.h>
#include <stdio.h>
#include <string.h>

static mygpu_gpu gpu;
static int problems;

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("%d: %s: '%s'\n", __LINE__, #condition, mygpu_gpu_error(&gpu));                       \
      ++problems;                                                                                  \
    }                                                                                              \
  } while (0)

/* True if the call has this status, and its text has these words. */
static int is(mygpu_gpu_status status, mygpu_gpu_status wanted, const char *words) {
  const char *text = mygpu_gpu_error(&gpu);
  if (status == wanted && strstr(text, words) != NULL)
    return 1;
  printf("status %d, wanted %d: '%s', wanted '%s'\n", (int)status, (int)wanted, text, words);
  return 0;
}

static double distance(double a, double b) { return a > b ? a - b : b - a; }

static float a[35], y[30], x[1000], z[1000], sum[1000], twice[1000], mixed[1000], sampled[1310];
static uint16_t h[64], half[64];
static int8_t n[64], next[64];

static void fill(void) {
  for (int i = 0; i < 35; ++i)
    a[i] = (float)(i % 11) / 4 - 1.125f;
  for (int i = 0; i < 1000; ++i) {
    x[i] = (float)(i * 7 % 101) / 3;
    z[i] = (float)i / 7 - 50;
  }
  for (int i = 0; i < 64; ++i) {
    h[i] = (uint16_t)(0x3c00 + 16 * i); /* numbers from 1 on */
    n[i] = (int8_t)(3 * i - 100);
  }
}

static void check_forward(void) {
  static const double b[] = {0.5, -1, 2, 0, -0.25, 1};
  double worst = 0;
  memset(y, 0xff, sizeof y);
  CHECK(mygpu_forward_gpu_run(&gpu, a, y) == MYGPU_GPU_OK);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 6; ++j) {
      double s = b[j];
      for (int k = 0; k < 7; ++k) {
        const double w[] = {0.5 * k, 0.25 * k - 1, 1 - k, k * k / 8.0, -0.5, k / 3.0};
        s += a[7 * i + k] * w[j];
      }
      s = s > 0 ? s : 0;
      if (!(distance(y[6 * i + j], s) <= worst))
        worst = distance(y[6 * i + j], s);
    }
  CHECK(worst < 1e-5);
}

static void check_chain(void) {
  double worst = 0;
  CHECK(mygpu_chain_gpu_run(&gpu, x, z, sum, twice) == MYGPU_GPU_OK);
  for (int i = 0; i < 1000; ++i) {
    const int other = i / 50 * 50 + 49 - i % 50;
    const double own = (double)x[i] + z[i];
    const double s = own + x[other] + z[other];
    if (!(distance(sum[i], s) + distance(twice[i], 2 * own) <= worst))
      worst = distance(sum[i], s) + distance(twice[i], 2 * own);
  }
  CHECK(worst < 1e-4);
}

static void check_narrow(void) {
  const void *inputs[] = {h, n};
  void *outputs[] = {half, next};
  CHECK(mygpu_gpu_call(&gpu, 2, inputs, outputs) == MYGPU_GPU_OK);
  for (int i = 0; i < 64; ++i)
    CHECK(half[i] == h[i] - 0x400 && next[i] == n[i] + 1);
}

static void check_sampled(void) {
  int wrong = 0;
  CHECK(mygpu_sampled_gpu_run(&gpu, sampled) == MYGPU_GPU_OK);
  for (int i = 0; i < 1310; ++i)
    wrong += sampled[i] != (float)(1000 * i + 7);
  CHECK(wrong == 0);
}

/* A function on the CPU, which fails once in between. */
static mygpu_gpu_status run_mixed(void) { return mygpu_mixed_gpu_run(&gpu, z, mixed); }
static void check_mixed(void) {
  const float first = z[0];
  int wrong = 0;
  z[0] = -1;
  CHECK(is(run_mixed(), MYGPU_GPU_EXTERN_FAILED, "a function on the CPU has returned 5"));
  z[0] = 2;
  CHECK(run_mixed() == MYGPU_GPU_OK && mixed[0] == 10);
  for (int i = 1; i < 1000; ++i)
    wrong += mixed[i] != 2 * (2 * z[i] + 1);
  CHECK(wrong == 0);
  z[0] = first;
}

static void run_all(void) {
  check_mixed();
  check_forward();
  check_chain();
  check_narrow();
  check_sampled();
  CHECK(mygpu_nothing_gpu_run(&gpu, NULL, NULL) == MYGPU_GPU_OK);
}

/* What _gpu_call refuses, with each tensor missing in its turn: nothing is written. */
static void refuse_calls(void) {
  static mygpu_gpu closed;
  float zero[30], out[1000];
  const void *inputs[] = {x, z}, *empty[] = {NULL};
  void *outputs[] = {out, out}, *none[] = {NULL};
  memset(zero, 0x55, sizeof zero);
  memset(out, 0x55, sizeof out);
  CHECK(mygpu_gpu_call(NULL, 1, inputs, outputs) == MYGPU_GPU_NOT_INITIALIZED);
  CHECK(mygpu_gpu_call(&closed, 1, inputs, outputs) == MYGPU_GPU_NOT_INITIALIZED);
  CHECK(mygpu_gpu_call(&gpu, 6, inputs, outputs) == MYGPU_GPU_BAD_INDEX);
  CHECK(mygpu_gpu_call(&gpu, (size_t)-1, inputs, outputs) == MYGPU_GPU_BAD_INDEX);
  CHECK(mygpu_gpu_call(&gpu, 1, NULL, outputs) == MYGPU_GPU_NULL_POINTER);
  CHECK(mygpu_gpu_call(&gpu, 1, inputs, NULL) == MYGPU_GPU_NULL_POINTER);
  for (int i = 0; i < 2; ++i) {
    const void *const input = inputs[i];
    inputs[i] = NULL;
    CHECK(mygpu_gpu_call(&gpu, 1, inputs, outputs) == MYGPU_GPU_NULL_POINTER);
    inputs[i] = input;
    outputs[i] = NULL;
    CHECK(mygpu_gpu_call(&gpu, 1, inputs, outputs) == MYGPU_GPU_NULL_POINTER);
    outputs[i] = out;
  }
  CHECK(memcmp(out, zero, sizeof zero) == 0);
  /* Without elements, and without inputs. */
  CHECK(mygpu_gpu_call(&gpu, 4, empty, none) == MYGPU_GPU_OK);
  CHECK(mygpu_gpu_call(&gpu, 4, NULL, none) == MYGPU_GPU_NULL_POINTER);
  outputs[0] = sampled;
  CHECK(mygpu_gpu_call(&gpu, 3, NULL, outputs) == MYGPU_GPU_OK && sampled[9] == 9007);
  check_chain();
}

/* Two objects have one device, the same kernels and weights; `living` says what the driver has. */
static void share_weights(long (*living)(void), void (*fail_call)(long n, int32_t result),
                          int32_t result) {
  static mygpu_gpu owner;
  mygpu_gpu_options options = {sizeof options, NULL, 0, NULL, 0, 0, &owner};
  CHECK(is(mygpu_gpu_init(&options, &gpu), MYGPU_GPU_BAD_OPTIONS, "is not initialized"));
  CHECK(mygpu_gpu_init(NULL, &owner) == MYGPU_GPU_OK);
  options.device = 1;
  CHECK(is(mygpu_gpu_init(&options, &gpu), MYGPU_GPU_BAD_OPTIONS, "those of options.weights"));
  options.device = 0;
  options.target = "tpu";
  CHECK(is(mygpu_gpu_init(&options, &gpu), MYGPU_GPU_UNKNOWN_TARGET, "no target 'tpu'"));
  options.target = NULL;
  const long of_owner = living();
  long failed = 0;
  fail_call(1, result);
  while (failed < 100 && mygpu_gpu_init(&options, &gpu) != MYGPU_GPU_OK) {
    CHECK(living() == of_owner);
    fail_call(++failed + 1, result);
  }
  fail_call(0, 0);
  CHECK(failed > 2 && failed < 100 && living() > of_owner);
  CHECK(strcmp(mygpu_gpu_device_name(&gpu), mygpu_gpu_device_name(&owner)) == 0);
  run_all();
  CHECK(mygpu_sampled_gpu_run(&owner, sampled) == MYGPU_GPU_OK);
  run_all();
  mygpu_gpu_finish(&gpu);
  CHECK(living() == of_owner);
  memset(sampled, 0, sizeof sampled);
  CHECK(mygpu_sampled_gpu_run(&owner, sampled) == MYGPU_GPU_OK && sampled[9] == 9007);
  mygpu_gpu_finish(&owner);
  CHECK(living() == 0);
}
