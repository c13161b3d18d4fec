/* Runs the library of the tests on the tests' CUDA driver: cuda_user run | faults | statuses |
 * kernel WORDS | counts CYCLES DRIVER. */
#include "gpu_user.h"

#include "../../lib/gpu/cuda_faults.h"

#include <dlfcn.h>
#include <stdlib.h>

static const struct cuda_faults *faults;
static void *driver;

/* A function of the driver. */
static void find(const char *name, void *function) {
  void *symbol = dlsym(driver, name);
  if (symbol == NULL)
    abort();
  memcpy(function, &symbol, sizeof symbol);
}

/* Device memory of the program's own, in its own context and stream. */
static void enqueue(void) {
  int (*retain)(void **, int), (*release)(int), (*push)(void *), (*pop)(void **);
  int (*allocate)(uint64_t *, size_t), (*free_memory)(uint64_t);
  int (*to_device)(uint64_t, const void *, size_t, void *);
  int (*from_device)(void *, uint64_t, size_t, void *);
  void *context, *before;
  uint64_t memory = 0, tensors = 0;
  find("cuDevicePrimaryCtxRetain", &retain);
  find("cuDevicePrimaryCtxRelease_v2", &release);
  find("cuCtxPushCurrent_v2", &push);
  find("cuCtxPopCurrent_v2", &pop);
  find("cuMemAlloc_v2", &allocate);
  find("cuMemFree_v2", &free_memory);
  find("cuMemcpyHtoDAsync_v2", &to_device);
  find("cuMemcpyDtoHAsync_v2", &from_device);
  const size_t size = mygpu_gpu_memory_size(NULL);
  CHECK(retain(&context, 0) == 0 && push(context) == 0);
  CHECK(allocate(&memory, size) == 0 && allocate(&tensors, 4 * 4096) == 0);
  mygpu_gpu_options options = {sizeof options, NULL, 0, context, memory + 16, size, NULL};
  CHECK(is(mygpu_gpu_init(&options, &gpu), MYGPU_GPU_MISALIGNED_POINTER, "options.memory"));
  options.memory = memory;
  options.memory_size = size - 1;
  CHECK(is(mygpu_gpu_init(&options, &gpu), MYGPU_GPU_BAD_OPTIONS, "options.memory_size"));
  options.memory_size = size;
  const long living = faults->living();
  CHECK(mygpu_gpu_init(&options, &gpu) == MYGPU_GPU_OK);
  CHECK(faults->living() == living + 3); /* a module, a stream, the host's memory */
  run_all();
  CHECK(to_device(tensors, x, sizeof x, NULL) == 0);
  CHECK(to_device(tensors + 4096, z, sizeof z, NULL) == 0);
  const long created = faults->created();
  const uint64_t out = tensors + 8192, other = tensors + 12288;
  CHECK(mygpu_chain_gpu_enqueue(&gpu, tensors, tensors + 4096, out, other, NULL) == MYGPU_GPU_OK);
  CHECK(mygpu_gpu_wait(&gpu, NULL) == MYGPU_GPU_OK);
  CHECK(faults->created() == created);
  CHECK(mygpu_mixed_gpu_enqueue(&gpu, tensors, out, NULL) == MYGPU_GPU_OK);
  CHECK(mygpu_gpu_wait(&gpu, NULL) == MYGPU_GPU_OK);
  CHECK(from_device(mixed, out, sizeof mixed, NULL) == 0 && mixed[999] == 2 * (2 * x[999] + 1));
  CHECK(mygpu_mixed_gpu_enqueue(&gpu, tensors + 4096, out, NULL) == MYGPU_GPU_OK);
  CHECK(is(mygpu_gpu_wait(&gpu, NULL), MYGPU_GPU_EXTERN_FAILED, "has returned 5"));
  CHECK(mygpu_gpu_wait(&gpu, NULL) == MYGPU_GPU_OK);
  CHECK(mygpu_chain_gpu_enqueue(&gpu, tensors, tensors + 4096, out, other, NULL) == MYGPU_GPU_OK);
  CHECK(mygpu_gpu_wait(&gpu, NULL) == MYGPU_GPU_OK && faults->created() == created);
  float got[1000];
  CHECK(from_device(got, out, sizeof got, NULL) == 0 && memcmp(got, sum, sizeof got) == 0);
  CHECK(from_device(got, other, sizeof got, NULL) == 0 && memcmp(got, twice, sizeof got) == 0);
  CHECK(is(mygpu_chain_gpu_enqueue(&gpu, tensors, tensors + 8, out, other, NULL),
           MYGPU_GPU_MISALIGNED_POINTER, "tensor 1 is no multiple of 16"));
  CHECK(mygpu_chain_gpu_enqueue(&gpu, tensors, tensors, out, 0, NULL) == MYGPU_GPU_NULL_POINTER);
  CHECK(mygpu_nothing_gpu_enqueue(&gpu, 0, 0, NULL) == MYGPU_GPU_OK);
  /* A card finds out later that a pointer is none, and the object is lost. */
  CHECK(mygpu_chain_gpu_enqueue(&gpu, 4096, tensors, out, other, NULL) == MYGPU_GPU_LOST_DEVICE ||
        is(mygpu_gpu_wait(&gpu, NULL), MYGPU_GPU_LOST_DEVICE, "out of bounds"));
  CHECK(is(mygpu_gpu_wait(&gpu, NULL), MYGPU_GPU_LOST_DEVICE, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK(is(mygpu_forward_gpu_run(&gpu, a, y), MYGPU_GPU_LOST_DEVICE, "out of bounds"));
  mygpu_gpu_finish(&gpu);
  CHECK(faults->living() == 3);
  free_memory(memory);
  free_memory(tensors);
  pop(&before);
  release(0);
}

static void run(void) {
  float first[30];
  CHECK(mygpu_gpu_init(NULL, &gpu) == MYGPU_GPU_OK);
  printf("%s: %s\n", mygpu_gpu_target(&gpu), mygpu_gpu_device_name(&gpu));
  run_all();
  memcpy(first, y, sizeof y);
  const long created = faults->created();
  run_all();
  CHECK(memcmp(first, y, sizeof y) == 0);
  CHECK(faults->created() == created);
  refuse_calls();
  CHECK(strcmp(faults->report(), "") == 0);
  mygpu_gpu_finish(&gpu);
  CHECK(faults->living() == 0);
  CHECK(mygpu_gpu_wait(&gpu, NULL) == MYGPU_GPU_NOT_INITIALIZED);
  faults->reset();
  share_weights(faults->living, faults->fail_call, 2);
  faults->reset();
  enqueue();
  CHECK(faults->living() == 0);
}

static mygpu_gpu_status run_forward(void) { return mygpu_forward_gpu_run(&gpu, a, y); }

/* Each call of a run fails in its turn. */
static void fail_each_of(mygpu_gpu_status (*run)(void), int32_t result, mygpu_gpu_status wanted,
                         long calls) {
  long runs = 0;
  for (; runs < 50; ++runs) {
    faults->reset();
    CHECK(mygpu_gpu_init(NULL, &gpu) == MYGPU_GPU_OK);
    faults->fail_call(runs + 1, result);
    const mygpu_gpu_status status = run();
    if (status != MYGPU_GPU_OK) {
      CHECK(is(status, wanted, faults->failed()));
      faults->reset();
      if (wanted == MYGPU_GPU_LOST_DEVICE) {
        CHECK(is(run(), wanted, "CUDA_ERROR_ILLEGAL_ADDRESS"));
        CHECK(faults->calls() == 0);
      } else {
        check_forward();
        check_mixed();
      }
    }
    faults->reset();
    mygpu_gpu_finish(&gpu);
    CHECK(faults->living() == 0);
    if (status == MYGPU_GPU_OK)
      break;
  }
  CHECK(runs == calls);
}

/* Each call of init fails in its turn; then each call of two graphs' runs. */
static void fail_each(int32_t result, mygpu_gpu_status wanted) {
  long inits = 0;
  for (; inits < 200; ++inits) {
    faults->reset();
    faults->fail_call(inits + 1, result);
    const mygpu_gpu_status status = mygpu_gpu_init(NULL, &gpu);
    if (status == MYGPU_GPU_OK)
      break;
    CHECK(is(status, inits == 0 ? MYGPU_GPU_NO_DRIVER : wanted, faults->failed()));
    CHECK(faults->living() == 0);
  }
  CHECK(inits > 20);
  faults->reset();
  mygpu_gpu_finish(&gpu);
  fail_each_of(run_forward, result, wanted, 6);
  z[0] = 2;
  fail_each_of(run_mixed, result, wanted, 9);
  z[0] = -50;
  printf("%ld calls of init\n", inits);
}

static void refuse(const char *what, int32_t value, mygpu_gpu_status wanted, const char *words) {
  faults->reset();
  faults->pretend(what, value);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), wanted, words));
  CHECK(faults->living() == 0);
}

static void fail(const char *function, int32_t result, mygpu_gpu_status wanted) {
  faults->reset();
  faults->fail_function(function, result);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), wanted, function));
  CHECK(faults->living() == 0);
}

static void statuses(const char *path) {
  const mygpu_gpu_status lacks = MYGPU_GPU_LACKS_FEATURE;
  refuse("version", 10020, MYGPU_GPU_OLD_DRIVER, "CUDA 10.2, needed is 11.0");
  refuse("devices", 0, MYGPU_GPU_NO_DEVICE, "0 devices");
  refuse("capability", 7, lacks, "the compute capability is 7, needed are 8");
  refuse("threads_of_block", 63, lacks, "threads of a block is 63, needed are 64");
  refuse("threads", 63, lacks, "width of a block is 63");
  refuse("threads_y", 2, lacks, "height of a block is 2");
  refuse("blocks", 130, lacks, "width of a grid is 130");
  refuse("blocks_y", 4, lacks, "height of a grid is 4");
  refuse("shared_bytes", 199, lacks, "shared memory of a block is 199, needed are 200");
  fail("cuInit", 100, MYGPU_GPU_NO_DEVICE);
  fail("cuInit", 35, MYGPU_GPU_OLD_DRIVER);
  fail("cuInit", 999, MYGPU_GPU_NO_DRIVER);
  fail("cuModuleLoadDataEx", 222, MYGPU_GPU_OLD_DRIVER);
  fail("cuModuleLoadDataEx", 209, lacks);
  fail("cuMemAlloc", 2, MYGPU_GPU_OUT_OF_MEMORY);
  fail("cuStreamCreate", 801, MYGPU_GPU_DRIVER_FAILED);
  fail("cuStreamSynchronize", 719, MYGPU_GPU_LOST_DEVICE);
  faults->reset();
  setenv("KGEN_TEST_CUDA_CODE", "/no/such/folder", 1); /* the driver's own words about a module */
  CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_DRIVER_FAILED, "/no/such/folder"));
  CHECK(strstr(mygpu_gpu_error(&gpu), "CUDA_ERROR_INVALID_PTX (218)") != NULL);
  setenv("MYGPU_CUDA", "/no/such/driver.so", 1);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_NO_DRIVER, "/no/such/driver.so"));
  setenv("MYGPU_CUDA", "libm.so.6", 1);
  CHECK(is(mygpu_gpu_init(NULL, &gpu), MYGPU_GPU_OLD_DRIVER, "no cuGetErrorName"));
  setenv("MYGPU_CUDA", path, 1);
  mygpu_gpu_options options = {sizeof options, NULL, 2, NULL, 0, 0, NULL};
  CHECK(is(mygpu_gpu_init(&options, &gpu), MYGPU_GPU_NO_DEVICE, "1 devices"));
}

/* A kernel that is wrong: the driver says why, and the device is lost. */
static void kernel(const char *words) {
  CHECK(mygpu_gpu_init(NULL, &gpu) == MYGPU_GPU_OK);
  CHECK(is(mygpu_chain_gpu_run(&gpu, x, z, sum, twice), MYGPU_GPU_LOST_DEVICE, words));
  mygpu_gpu_finish(&gpu);
  CHECK(faults->living() == 0);
}

/* The first block of each launch of "chain": 64 threads add three times, and 50 reverse. */
static void count_accesses(long shared_cycles) {
  faults->reset();
  faults->count_block(0);
  CHECK(mygpu_gpu_init(NULL, &gpu) == MYGPU_GPU_OK);
  check_chain();
  const struct cuda_counts *counts = faults->counts();
  printf("%ld %ld %ld, %ld %ld, %ld %ld\n", counts->shared_accesses, counts->shared_cycles,
         counts->shared_least, counts->global_accesses, counts->global_bytes, counts->sectors_read,
         counts->sectors_written);
  CHECK(counts->shared_accesses == 4 && counts->shared_least == 4);
  CHECK(counts->shared_cycles == shared_cycles);
  CHECK(counts->global_accesses == 3 * 6 + 4 && counts->global_bytes == 3 * 3 * 256 + 2 * 200);
  CHECK(counts->sectors_read == 3 * 16 + 7 && counts->sectors_written == 3 * 8 + 7);
  mygpu_gpu_finish(&gpu);
}

int main(int count, char **arguments) {
  if (count < 3)
    return 2;
  const char *path = arguments[count - 1];
  setenv("MYGPU_CUDA", path, 1);
  driver = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  faults = driver != NULL ? dlsym(driver, "kgen_cuda_faults") : NULL;
  if (faults == NULL) {
    printf("%s\n", dlerror());
    return 2;
  }
  faults->reset();
  fill();
  if (strcmp(arguments[1], "run") == 0)
    run();
  if (strcmp(arguments[1], "faults") == 0) {
    fail_each(2, MYGPU_GPU_OUT_OF_MEMORY);
    fail_each(700, MYGPU_GPU_LOST_DEVICE);
  }
  if (strcmp(arguments[1], "statuses") == 0)
    statuses(path);
  if (strcmp(arguments[1], "counts") == 0)
    count_accesses(atol(arguments[2]));
  if (strcmp(arguments[1], "kernel") == 0)
    kernel(arguments[2]);
  return problems != 0;
}
