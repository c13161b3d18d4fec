/* A CUDA driver of the tests' own: modules are code for the CPU, made by cuda_code.py in the folder
 * KGEN_TEST_CUDA_CODE, device memory is the program's. It counts what is created and destroyed, and
 * fails on demand. Errors of kernels come with a later call, and stay. */
#define _GNU_SOURCE /* dladdr */
#include "cuda_threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_lies = 8, most_ranges = 64, gone = 709 };
static struct {
  long calls, created, fail_at, counted_block;
  int32_t result, function_result, kernel_error;
  const char *function, *failed;
  struct {
    const char *what;
    int32_t value;
  } lies[most_lies];
  int lie_count;
} faults;
static long living;
static int contexts, depth;
static struct {
  unsigned char *begin;
  size_t bytes;
} ranges[most_ranges];
struct cuda_counts cuda_counts;
char cuda_report_text[300];

static void reset(void) {
  memset(&faults, 0, sizeof faults);
  memset(&cuda_counts, 0, sizeof cuda_counts);
  faults.failed = "";
  faults.counted_block = -1;
  cuda_report_text[0] = 0;
}
static void fail_call(long n, int32_t result) {
  faults.fail_at = faults.calls + n;
  faults.result = result;
}
static void fail_function(const char *name, int32_t result) {
  faults.function = name;
  faults.function_result = result;
}
static void pretend(const char *what, int32_t value) {
  if (faults.lie_count == most_lies)
    abort();
  faults.lies[faults.lie_count].what = what;
  faults.lies[faults.lie_count++].value = value;
}
static long calls(void) { return faults.calls; }
static long created(void) { return faults.created; }
static long count_living(void) { return living; }
static const char *failed(void) { return faults.failed; }
static void count_block(long number) { faults.counted_block = number; }
static const char *report(void) { return cuda_report_text; }
static const struct cuda_counts *counts(void) { return &cuda_counts; }

#define SHOWN __attribute__((visibility("default")))
SHOWN const struct cuda_faults kgen_cuda_faults = {reset,  fail_call,   fail_function, pretend,
                                                   calls,  created,     count_living,  failed,
                                                   report, count_block, counts};

int cuda_is_device_memory(uintptr_t address, size_t bytes) {
  for (int i = 0; i < most_ranges; ++i) {
    const uintptr_t begin = (uintptr_t)ranges[i].begin;
    if (begin != 0 && address >= begin && address + bytes <= begin + ranges[i].bytes)
      return 1;
  }
  return 0;
}

/* What a call is made to return; 0: it is done. */
static int32_t fault(const char *name) {
  int32_t result = 0;
  if (++faults.calls == faults.fail_at)
    result = faults.result;
  if (faults.function != NULL && strcmp(faults.function, name) == 0)
    result = faults.function_result;
  if (result != 0)
    faults.failed = name;
  return result;
}
#define FAULT(name)                                                                                \
  do {                                                                                             \
    const int32_t fault_ = fault(name);                                                            \
    if (fault_ != 0)                                                                               \
      return fault_;                                                                               \
  } while (0)
/* Besides, the call needs a context, and kernels that have not failed. */
#define USE(name)                                                                                  \
  do {                                                                                             \
    FAULT(name);                                                                                   \
    if (depth == 0)                                                                                \
      return 201;                                                                                  \
    if (faults.kernel_error != 0)                                                                  \
      return faults.kernel_error;                                                                  \
  } while (0)

static void count(void) {
  ++faults.created;
  ++living;
}

static int32_t lie(const char *what, int32_t truth) {
  for (int i = 0; i < faults.lie_count; ++i)
    if (strcmp(faults.lies[i].what, what) == 0)
      return faults.lies[i].value;
  return truth;
}

#define CALL(name, ...)                                                                            \
  SHOWN int32_t name(__VA_ARGS__);                                                                 \
  int32_t name(__VA_ARGS__)

CALL(cuGetErrorName, int32_t error, const char **name) {
  static const struct {
    int32_t error;
    const char *name;
  } names[] = {{2, "CUDA_ERROR_OUT_OF_MEMORY"},        {100, "CUDA_ERROR_NO_DEVICE"},
               {218, "CUDA_ERROR_INVALID_PTX"},        {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
               {500, "CUDA_ERROR_NOT_FOUND"},          {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
               {716, "CUDA_ERROR_MISALIGNED_ADDRESS"}, {719, "CUDA_ERROR_LAUNCH_FAILED"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (names[i].error == error) {
      *name = names[i].name;
      return 0;
    }
  *name = NULL;
  return 1;
}
CALL(cuGetErrorString, int32_t error, const char **text) {
  *text = error == faults.kernel_error && error != 0 ? cuda_report_text : "an error of the tests";
  return 0;
}

CALL(cuInit, uint32_t flags) {
  FAULT("cuInit");
  Dl_info own; /* modules find what they call */
  dladdr((void *)(uintptr_t)cuInit, &own);
  dlopen(own.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  return flags == 0 ? 0 : 1;
}
CALL(cuDriverGetVersion, int32_t *version) {
  FAULT("cuDriverGetVersion");
  *version = lie("version", 11000);
  return 0;
}
CALL(cuDeviceGetCount, int32_t *devices) {
  FAULT("cuDeviceGetCount");
  *devices = lie("devices", 1);
  return 0;
}
CALL(cuDeviceGet, int32_t *device, int32_t index) {
  FAULT("cuDeviceGet");
  *device = index;
  return index >= 0 && index < lie("devices", 1) ? 0 : 101;
}
CALL(cuDeviceGetName, char *name, int32_t bytes, int32_t device) {
  FAULT("cuDeviceGetName");
  snprintf(name, (size_t)bytes, "tests' card %d", (int)device);
  return 0;
}
CALL(cuDeviceGetAttribute, int32_t *value, int32_t attribute, int32_t device) {
  FAULT("cuDeviceGetAttribute");
  static const struct {
    int32_t attribute, value;
    const char *name;
  } has[] = {{1, 1024, "threads_of_block"}, {2, 1024, "threads"},       {3, 1024, "threads_y"},
             {4, 64, "threads_z"},          {5, 2147483647, "blocks"},  {6, 65535, "blocks_y"},
             {7, 65535, "blocks_z"},        {8, 49152, "shared_bytes"}, {75, 8, "capability"}};
  (void)device;
  for (size_t i = 0; i < sizeof has / sizeof *has; ++i)
    if (has[i].attribute == attribute) {
      *value = lie(has[i].name, has[i].value);
      return 0;
    }
  return 1;
}

CALL(cuDevicePrimaryCtxRetain, void **context, int32_t device) {
  FAULT("cuDevicePrimaryCtxRetain");
  (void)device;
  ++contexts;
  count();
  *context = &contexts;
  return 0;
}
CALL(cuDevicePrimaryCtxRelease_v2, int32_t device) {
  (void)device;
  --living;
  if (--contexts == 0)
    faults.kernel_error = 0;
  return 0;
}
CALL(cuCtxPushCurrent_v2, void *context) {
  FAULT("cuCtxPushCurrent");
  if (context != &contexts || contexts == 0)
    return gone;
  ++depth;
  return 0;
}
CALL(cuCtxPopCurrent_v2, void **context) {
  if (context != NULL)
    *context = &contexts;
  --depth;
  return 0;
}
CALL(cuCtxGetDevice, int32_t *device) {
  USE("cuCtxGetDevice");
  *device = 0;
  return 0;
}

struct module {
  void *code;
  const char *ptx;
};
struct function {
  const char *name;
  void (*code)(uint64_t, ...);
  int arguments;
  char *shared_begin, *shared_end;
  int places;
};
enum { most_functions = 1 << 16 };
static struct function functions[most_functions];
static int function_count;

CALL(cuModuleLoadDataEx, void **made, const void *ptx, uint32_t options, int32_t *names,
     void **values) {
  USE("cuModuleLoadDataEx");
  uint64_t hash = UINT64_C(1469598103934665603);
  for (const unsigned char *p = ptx; *p != 0; ++p)
    hash = (hash ^ *p) * UINT64_C(1099511628211);
  const char *folder = getenv("KGEN_TEST_CUDA_CODE");
  char path[512];
  snprintf(path, sizeof path, "%s/%016llx.so", folder != NULL ? folder : ".",
           (unsigned long long)hash);
  void *code = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (code == NULL) {
    if (options == 2 && names[0] == 5 && names[1] == 6)
      snprintf(values[0], (size_t)(uintptr_t)values[1], "%s", dlerror());
    return 218;
  }
  struct module *module = malloc(sizeof *module);
  module->code = code;
  module->ptx = ptx;
  *made = module;
  count();
  return 0;
}
CALL(cuModuleUnload, void *module) {
  dlclose(((struct module *)module)->code);
  free(module);
  --living;
  return 0;
}
static char *end_of(void *code, const char *name) {
  char *(*get)(void) = NULL;
  void *symbol = dlsym(code, name);
  memcpy(&get, &symbol, sizeof get);
  return get();
}
CALL(cuModuleGetFunction, void **made, void *from, const char *name) {
  USE("cuModuleGetFunction");
  struct module *module = from;
  char entry[200];
  snprintf(entry, sizeof entry, ".entry %s(", name);
  const char *at = strstr(module->ptx, entry);
  void *symbol = dlsym(module->code, name);
  if (at == NULL || symbol == NULL)
    return 500;
  struct function *function = &functions[function_count++ % most_functions];
  function->name = name;
  memcpy(&function->code, &symbol, sizeof symbol);
  function->arguments = 0;
  for (const char *end = strchr(at, ')'); (at = strstr(at, ".param ")) != NULL && at < end; ++at)
    ++function->arguments;
  function->shared_begin = end_of(module->code, "kgen_cuda_shared_begin");
  function->shared_end = end_of(module->code, "kgen_cuda_shared_end");
  const int *places = dlsym(module->code, "kgen_cuda_places");
  function->places = places != NULL ? *places : 0;
  *made = function;
  return 0;
}

/* Bytes around each range belong to nobody, and are not zero. */
CALL(cuMemAlloc_v2, uint64_t *made, size_t bytes) {
  USE("cuMemAlloc");
  for (int i = 0; i < most_ranges; ++i)
    if (ranges[i].begin == NULL) {
      const size_t rounded = (bytes + 255) / 256 * 256;
      ranges[i].begin = aligned_alloc(256, rounded);
      ranges[i].bytes = bytes;
      memset(ranges[i].begin, 0xcd, rounded);
      *made = (uintptr_t)ranges[i].begin;
      count();
      return 0;
    }
  return 2;
}
CALL(cuMemFree_v2, uint64_t memory) {
  for (int i = 0; i < most_ranges; ++i)
    if ((uintptr_t)ranges[i].begin == memory) {
      free(ranges[i].begin);
      ranges[i].begin = NULL;
      --living;
      return 0;
    }
  return 1;
}
CALL(cuMemAllocHost_v2, void **made, size_t bytes) {
  USE("cuMemAllocHost");
  *made = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  memset(*made, 0xcd, bytes);
  count();
  return 0;
}
CALL(cuMemFreeHost, void *memory) {
  free(memory);
  --living;
  return 0;
}
CALL(cuMemcpyHtoDAsync_v2, uint64_t to, const void *from, size_t bytes, void *stream) {
  USE("cuMemcpyHtoDAsync");
  (void)stream;
  if (!cuda_is_device_memory((uintptr_t)to, bytes))
    return 1;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return 0;
}
CALL(cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t bytes, void *stream) {
  USE("cuMemcpyDtoHAsync");
  (void)stream;
  if (!cuda_is_device_memory((uintptr_t)from, bytes))
    return 1;
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  return 0;
}
CALL(cuStreamCreate, void **stream, uint32_t flags) {
  USE("cuStreamCreate");
  (void)flags;
  *stream = malloc(1);
  count();
  return 0;
}
CALL(cuStreamDestroy_v2, void *stream) {
  free(stream);
  --living;
  return 0;
}
CALL(cuStreamSynchronize, void *stream) {
  USE("cuStreamSynchronize");
  (void)stream;
  return 0;
}
/* In a thread of its own, as a card's driver does; nothing before it is still to be done. */
static void *call_host(void *both) {
  void (*function)(void *) = NULL;
  memcpy(&function, both, sizeof function);
  function(((void **)both)[1]);
  return NULL;
}
CALL(cuLaunchHostFunc, void *stream, void (*function)(void *), void *data) {
  USE("cuLaunchHostFunc");
  void *both[2] = {NULL, data};
  pthread_t thread;
  (void)stream;
  memcpy(both, &function, sizeof function);
  if (pthread_create(&thread, NULL, call_host, both) != 0)
    return 2;
  pthread_join(thread, NULL);
  return 0;
}
CALL(cuLaunchKernel, void *kernel, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
     uint32_t bz, uint32_t shared, void *stream, void **arguments, void **extra) {
  USE("cuLaunchKernel");
  const struct function *function = kernel;
  uint64_t values[32] = {0};
  (void)stream;
  if (extra != NULL || shared != 0 || function->arguments > 32)
    return 1;
  for (int i = 0; i < function->arguments; ++i)
    memcpy(&values[i], arguments[i], sizeof values[i]);
  const struct cuda_launch launch = {.kernel = function->name,
                                     .code = function->code,
                                     .shared_begin = function->shared_begin,
                                     .shared_end = function->shared_end,
                                     .places = function->places,
                                     .counted_block = faults.counted_block,
                                     .blocks = {gx, gy, gz},
                                     .threads = {bx, by, bz},
                                     .arguments = values};
  faults.kernel_error = cuda_launch(&launch);
  return 0;
}
