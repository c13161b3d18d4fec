#include "cuda.h"
#include "object.c"

#include <dlfcn.h>
/* The object of a device that CUDA drives, the driver and the device. */

struct KGENRT_IN_OBJECT kgenrt_cuda {
  struct kgenrt_gpu gpu;
  struct kgenrt_cuda_calls calls;
  void *context, *module, *stream;
  uint64_t weights, memory; /* where offset 0 of either is or would be */
  uint64_t allocated;       /* what is to be freed */
  int32_t device;
  uint32_t is_retained;   /* the context is not the caller's */
  uint32_t is_shared;     /* the context, the kernels and the weights are another object's */
  uint32_t extern_status; /* what a function on the CPU has returned, if it was not 0 */
  unsigned char *host;    /* memory of functions on the CPU */
  /* Of the kernels; then of each call on the CPU the object and the step. */
  uint64_t functions[];
};

static struct kgenrt_cuda *kgenrt_cuda_of(struct kgenrt_gpu *gpu) {
  return (struct kgenrt_cuda *)(void *)gpu;
}

/* The status that an error of the driver stands for. */
static enum kgenrt_status kgenrt_cuda_status(int32_t result) {
  switch (result) {
  case kgenrt_cu_error_out_of_memory:
    return kgenrt_out_of_memory;
  case kgenrt_cu_error_stub_library:
    return kgenrt_no_driver;
  case kgenrt_cu_error_insufficient_driver:
  case kgenrt_cu_error_unsupported_ptx_version:
    return kgenrt_old_driver;
  case kgenrt_cu_error_no_device:
  case kgenrt_cu_error_invalid_device:
    return kgenrt_no_device;
  case kgenrt_cu_error_no_binary_for_gpu:
    return kgenrt_lacks_feature;
  case kgenrt_cu_error_ecc_uncorrectable:
  case kgenrt_cu_error_nvlink_uncorrectable:
  case kgenrt_cu_error_illegal_address:
  case kgenrt_cu_error_launch_timeout:
  case kgenrt_cu_error_context_is_destroyed:
  case kgenrt_cu_error_assert:
    return kgenrt_lost_device;
  default:
    return result >= kgenrt_cu_error_hardware_stack && result <= kgenrt_cu_error_launch_failed
               ? kgenrt_lost_device
               : kgenrt_driver_failed;
  }
}

/* Says which call has failed; the status that its result stands for. */
static enum kgenrt_status kgenrt_cuda_failed(struct kgenrt_cuda *cu, const char *call,
                                             int32_t result) {
  const char *name = NULL, *text = NULL;
  const enum kgenrt_status status = kgenrt_cuda_status(result);
  if (cu->calls.GetErrorName(result, &name) != 0 || name == NULL)
    name = "CUresult";
  if (cu->calls.GetErrorString(result, &text) != 0 || text == NULL)
    text = "unknown";
  kgenrt_say(&cu->gpu, "%s: %s (%d): %s", call, name, (int)result, text);
  if (status == kgenrt_lost_device)
    cu->gpu.is_lost = 1;
  return status;
}

/* Calls a function, and returns from this one if it fails. */
#define KGENRT_CUDA(name, arguments)                                                               \
  do {                                                                                             \
    const int32_t kgenrt_result = cu->calls.name arguments;                                        \
    if (kgenrt_result != 0)                                                                        \
      return kgenrt_cuda_failed(cu, "cu" #name, kgenrt_result);                                    \
  } while (0)

/* The library is never closed: the driver has threads that would run into nothing. */
static enum kgenrt_status kgenrt_load_cuda(struct kgenrt_cuda *cu, const char *library) {
  void *const driver = dlopen(library != NULL ? library : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == NULL) {
    const char *const why = dlerror();
    kgenrt_say(&cu->gpu, "%s", why != NULL ? why : "no libcuda.so.1");
    return kgenrt_no_driver;
  }
#define KGENRT_FIND(name, symbol, parameters)                                                      \
  {                                                                                                \
    void *const found = dlsym(driver, symbol);                                                     \
    if (found == NULL) {                                                                           \
      kgenrt_say(&cu->gpu, "the driver has no " symbol);                                           \
      return kgenrt_old_driver;                                                                    \
    }                                                                                              \
    memcpy(&cu->calls.name, &found, sizeof found);                                                 \
  }
  KGENRT_CUDA_CALLS(KGENRT_FIND)
#undef KGENRT_FIND
  const int32_t result = cu->calls.Init(0);
  if (result != 0) { /* a driver that does not begin is none */
    const enum kgenrt_status status = kgenrt_cuda_failed(cu, "cuInit", result);
    return status < kgenrt_lacks_feature ? status : kgenrt_no_driver;
  }
  int32_t version = 0;
  KGENRT_CUDA(DriverGetVersion, (&version));
  if (version < kgenrt_cu_version_11_0) {
    kgenrt_say(&cu->gpu, "the driver is of CUDA %d.%d, needed is 11.0", (int)(version / 1000),
               (int)(version % 1000 / 10));
    return kgenrt_old_driver;
  }
  return kgenrt_ok;
}

/* Whether an attribute of the device is at least as large. */
static enum kgenrt_status kgenrt_check_attribute(struct kgenrt_cuda *cu, int32_t device,
                                                 int32_t attribute, const char *what,
                                                 uint64_t needs) {
  int32_t has = 0;
  KGENRT_CUDA(DeviceGetAttribute, (&has, attribute, device));
  if (needs > (uint64_t)(has > 0 ? has : 0))
    return kgenrt_too_small(&cu->gpu, what, (uint64_t)has, needs);
  return kgenrt_ok;
}

/* The most that a kernel or launch needs, in each of three directions. */
static void kgenrt_most_of_three(uint64_t *most, const uint32_t *values) {
  for (size_t i = 0; i < 3; ++i)
    most[i] = kgenrt_most(most[i], values[i]);
}

/* Whether the device runs all kernels. */
static enum kgenrt_status kgenrt_check_cuda_device(struct kgenrt_cuda *cu,
                                                   const struct kgenrt_gpu_target *target,
                                                   int32_t device) {
  uint64_t threads[3] = {0, 0, 0}, blocks[3] = {0, 0, 0}, threads_of_block = 0;
  for (size_t i = 0; i < target->kernel_count; ++i) {
    const uint32_t *t = target->kernels[i].threads;
    kgenrt_most_of_three(threads, t);
    threads_of_block = kgenrt_most(threads_of_block, (uint64_t)t[0] * t[1] * t[2]);
  }
  for (size_t i = 0; i < target->launch_count; ++i)
    kgenrt_most_of_three(blocks, target->launches[i].blocks);
  const struct {
    int32_t attribute;
    const char *what;
    uint64_t needs;
  } checks[] = {{kgenrt_cu_capability, "the compute capability", target->capability},
                {kgenrt_cu_threads_of_block, "the number of threads of a block", threads_of_block},
                {kgenrt_cu_shared_bytes, "shared memory of a block", target->features.shared_bytes},
                {kgenrt_cu_threads, "the width of a block", threads[0]},
                {kgenrt_cu_threads + 1, "the height of a block", threads[1]},
                {kgenrt_cu_threads + 2, "the depth of a block", threads[2]},
                {kgenrt_cu_blocks, "the width of a grid", blocks[0]},
                {kgenrt_cu_blocks + 1, "the height of a grid", blocks[1]},
                {kgenrt_cu_blocks + 2, "the depth of a grid", blocks[2]}};
  for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i) {
    const enum kgenrt_status status =
        kgenrt_check_attribute(cu, device, checks[i].attribute, checks[i].what, checks[i].needs);
    if (status != kgenrt_ok)
      return status;
  }
  return kgenrt_ok;
}

/* Takes device number `index` of the driver if it runs the kernels; else says what it lacks. */
static enum kgenrt_status kgenrt_try_cuda_device(struct kgenrt_cuda *cu,
                                                 const struct kgenrt_gpu_target *target,
                                                 int32_t device, int32_t index) {
  KGENRT_CUDA(DeviceGetName, (cu->gpu.device, (int32_t)sizeof cu->gpu.device, device));
  kgenrt_say(&cu->gpu, index > 0 ? "; %s: " : "%s: ", cu->gpu.device);
  cu->device = device;
  return kgenrt_check_cuda_device(cu, target, device);
}

/* The device of the caller's context. */
static enum kgenrt_status kgenrt_use_context(struct kgenrt_cuda *cu,
                                             const struct kgenrt_gpu_target *target,
                                             const struct kgenrt_gpu_options *options) {
  int32_t device = 0, wanted = 0;
  KGENRT_CUDA(CtxPushCurrent, (options->context));
  const int32_t result = cu->calls.CtxGetDevice(&device);
  cu->calls.CtxPopCurrent(NULL);
  if (result != 0)
    return kgenrt_cuda_failed(cu, "cuCtxGetDevice", result);
  if (options->device != 0) {
    KGENRT_CUDA(DeviceGet, (&wanted, (int32_t)(options->device - 1)));
    if (wanted != device) {
      kgenrt_say(&cu->gpu, "the context is one of another device");
      return kgenrt_bad_options;
    }
  }
  cu->context = options->context;
  return kgenrt_try_cuda_device(cu, target, device, 0);
}

/* The context of the device with this number, or of the first one that runs the kernels. */
static enum kgenrt_status kgenrt_choose_cuda_device(struct kgenrt_cuda *cu,
                                                    const struct kgenrt_gpu_target *target,
                                                    size_t wanted) {
  int32_t count = 0;
  KGENRT_CUDA(DeviceGetCount, (&count));
  if (count <= 0 || wanted > (size_t)count) {
    kgenrt_say(&cu->gpu, "the driver has %d devices", (int)count);
    return kgenrt_no_device;
  }
  enum kgenrt_status status = kgenrt_no_device;
  const int32_t first = wanted != 0 ? (int32_t)wanted - 1 : 0;
  for (int32_t i = first; i < (wanted != 0 ? first + 1 : count); ++i) {
    int32_t device = 0;
    KGENRT_CUDA(DeviceGet, (&device, i));
    status = kgenrt_try_cuda_device(cu, target, device, i - first);
    if (status == kgenrt_ok) {
      KGENRT_CUDA(DevicePrimaryCtxRetain, (&cu->context, device));
      cu->is_retained = 1;
    }
    if (status == kgenrt_ok || status > kgenrt_lacks_feature)
      return status;
  }
  return status;
}

/* Takes the context and the kernels of an object, and its weights. */
static void kgenrt_share_context(struct kgenrt_cuda *cu, const struct kgenrt_cuda *other,
                                 const struct kgenrt_gpu_target *target) {
  cu->is_shared = 1;
  cu->calls = other->calls;
  cu->context = other->context;
  cu->device = other->device;
  cu->weights = other->weights;
  memcpy(cu->gpu.device, other->gpu.device, sizeof cu->gpu.device);
  memcpy(cu->functions, other->functions, target->kernel_count * sizeof *cu->functions);
}
