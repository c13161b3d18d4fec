/* Calls a function of a library's part for graphics cards on tensors from a file:
 *
 *   program TARGET ANSWER
 *   program TARGET FUNCTION SECONDS REQUEST ANSWER
 *
 * The first one writes "=" and the device's name, or "!" and why there is none. REQUEST of the
 * second has numbers of 64 bits: how many inputs and outputs there are, and the bytes of each; then
 * come the inputs. ANSWER gets the outputs. If SECONDS is not 0, calls are timed for so long: then
 * follow the number of times of calls with copies, these in seconds, and the same of calls on
 * tensors in device memory, as far as there are such. kgen puts the library's header before
 * this text, and macros: LIBRARY(name) and STATUS(name) are names of the library's, HAS_CUDA is 1
 * if it has a target that CUDA drives, IS_CUDA if `target` is one, CUDA_VARIABLE names the driver's
 * file, and ENQUEUE are the cases of functions on tensors `t`. */
#include <time.h>

enum { fewest_times = 3, most_times = 100000 };

static LIBRARY(gpu) gpu;
static const char *target;

static void check(LIBRARY(gpu_status) status) {
  if (status == STATUS(GPU_OK))
    return;
  fprintf(stderr, "%s: %s: ", target, LIBRARY(gpu_status_text)(status));
  fail(LIBRARY(gpu_error)(&gpu), "");
}

static void give(const void *bytes, size_t count, FILE *file) {
  if (fwrite(bytes, 1, count, file) != count)
    fail("cannot write the answer", "");
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The tensors of a call, inputs first. */
static size_t inputs, outputs, *sizes;
static void **tensors;
static size_t function;

static void run(void) {
  check(LIBRARY(gpu_call)(&gpu, function, (const void *const *)tensors, tensors + inputs));
}

/* Times calls, and writes their number and times. */
static void measure(void (*call)(void), double seconds, FILE *file) {
  double *times = (double *)memory(most_times * sizeof *times);
  const double begin = now();
  uint64_t count = 0;
  while (count < most_times && (count < fewest_times || now() - begin < seconds)) {
    const double start = now();
    call();
    times[count++] = now() - start;
  }
  give(&count, sizeof count, file);
  give(times, (size_t)count * sizeof *times, file);
}

#if HAS_CUDA
#include <dlfcn.h>

static uint64_t *t; /* device memory of each tensor */

static void enqueue(void) {
  LIBRARY(gpu_status) status = STATUS(GPU_BAD_INDEX);
  switch (function) { ENQUEUE }
  check(status);
  check(LIBRARY(gpu_wait)(&gpu, NULL));
}

static void *driver_function(void *driver, const char *name) {
  void *found = dlsym(driver, name);
  if (found == NULL)
    fail("the driver lacks ", name);
  return found;
}

static void driver_check(int result, const char *call) {
  if (result != 0)
    fail("the driver refuses ", call);
}

/* Times calls on tensors in device memory of the device whose number is `device`, counted from 1.
 * Their results must be those that the outputs have. */
static void measure_enqueued(int device, double seconds, FILE *file) {
  const char *named = getenv(CUDA_VARIABLE);
  void *driver = dlopen(named != NULL && *named ? named : "libcuda.so.1", RTLD_NOW), *context,
       *copy;
  int (*get)(int *, int), (*retain)(void **, int), (*use)(void *);
  int (*allocate)(uint64_t *, size_t), (*to_device)(uint64_t, const void *, size_t, void *);
  int (*to_host)(void *, uint64_t, size_t, void *);
  int handle;
  size_t i;
  if (driver == NULL)
    fail("the driver cannot be opened: ", dlerror());
  *(void **)&get = driver_function(driver, "cuDeviceGet");
  *(void **)&retain = driver_function(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&use = driver_function(driver, "cuCtxPushCurrent_v2");
  *(void **)&allocate = driver_function(driver, "cuMemAlloc_v2");
  *(void **)&to_device = driver_function(driver, "cuMemcpyHtoDAsync_v2");
  *(void **)&to_host = driver_function(driver, "cuMemcpyDtoHAsync_v2");
  driver_check(get(&handle, device - 1), "cuDeviceGet");
  driver_check(retain(&context, handle), "cuDevicePrimaryCtxRetain");
  driver_check(use(context), "cuCtxPushCurrent_v2");
  t = (uint64_t *)memory((inputs + outputs) * sizeof *t);
  for (i = 0; i < inputs + outputs; ++i) {
    t[i] = 0;
    if (sizes[i] != 0)
      driver_check(allocate(&t[i], sizes[i]), "cuMemAlloc");
    if (i < inputs && sizes[i] != 0)
      driver_check(to_device(t[i], tensors[i], sizes[i], NULL), "cuMemcpyHtoD");
  }
  enqueue();
  measure(enqueue, seconds, file);
  for (i = inputs; i < inputs + outputs; ++i) {
    copy = memory(sizes[i]);
    if (sizes[i] != 0)
      driver_check(to_host(copy, t[i], sizes[i], NULL), "cuMemcpyDtoH");
    check(LIBRARY(gpu_wait)(&gpu, NULL));
    if (memcmp(copy, tensors[i], sizes[i]) != 0)
      fail("on tensors in device memory, other bits are computed", "");
  }
}
#endif

/* Opens the device that the library prefers. Returns its number if CUDA drives the target: there it
 * is the first that runs the kernels. */
static int open_device(int is_cuda) {
  LIBRARY(gpu_options) options = {sizeof options, target, 0, NULL, 0, 0, NULL};
  LIBRARY(gpu_status) status;
  do {
    options.device += (size_t)is_cuda;
    status = LIBRARY(gpu_init)(&options, &gpu);
  } while (is_cuda && status == STATUS(GPU_LACKS_FEATURE));
  check(status);
  return (int)options.device;
}

/* The device of the target, or why there is none. */
static int describe(const char *answer) {
  LIBRARY(gpu_options) options = {sizeof options, target, 0, NULL, 0, 0, NULL};
  const LIBRARY(gpu_status) status = LIBRARY(gpu_init)(&options, &gpu);
  FILE *file = fopen(answer, "wb");
  if (file == NULL)
    fail("cannot write the answer", "");
  if (status == STATUS(GPU_OK))
    fprintf(file, "=%s", LIBRARY(gpu_device_name)(&gpu));
  else
    fprintf(file, "!%s (%s)", LIBRARY(gpu_error)(&gpu), LIBRARY(gpu_status_text)(status));
  if (fclose(file) != 0)
    fail("cannot write the answer", "");
  LIBRARY(gpu_finish)(&gpu);
  return 0;
}

int main(int argc, char **argv) {
  size_t i;
  double seconds;
  int device;
  FILE *file;
  if (argc != 3 && argc != 6)
    fail("expected 2 or 5 arguments", "");
  target = argv[1];
  if (argc == 3)
    return describe(argv[2]);
  function = (size_t)atoi(argv[2]);
  seconds = atof(argv[3]);
  file = fopen(argv[4], "rb");
  if (file == NULL)
    fail("there is no file ", argv[4]);
  inputs = number(file);
  outputs = number(file);
  tensors = (void **)memory((inputs + outputs) * sizeof *tensors);
  sizes = (size_t *)memory((inputs + outputs) * sizeof *sizes);
  for (i = 0; i < inputs + outputs; ++i) {
    sizes[i] = number(file);
    tensors[i] = memory(sizes[i]);
  }
  for (i = 0; i < inputs; ++i)
    take(tensors[i], sizes[i], file);
  fclose(file);
  device = open_device(seconds > 0 && IS_CUDA);
  run();
  file = fopen(argv[5], "wb");
  if (file == NULL)
    fail("cannot write the answer", "");
  for (i = inputs; i < inputs + outputs; ++i)
    give(tensors[i], sizes[i], file);
  if (seconds > 0) {
    measure(run, seconds, file);
#if HAS_CUDA
    if (IS_CUDA)
      measure_enqueued(device, seconds, file);
#endif
  }
  (void)device;
  LIBRARY(gpu_finish)(&gpu);
  if (fclose(file) != 0)
    fail("cannot write the answer", "");
  return 0;
}
