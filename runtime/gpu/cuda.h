#include <stddef.h>
#include <stdint.h>
/* What is used of CUDA's driver: an independent declaration, so that no header of others is needed.
 * Contexts, modules, functions and streams are pointers, devices numbers, device memory is 64-bit
 * numbers. All functions are those of CUDA 11.0, which is driver 450. */

enum kgenrt_cuda_numbers {
  kgenrt_cu_version_11_0 = 11000,
  kgenrt_cu_error_out_of_memory = 2,
  kgenrt_cu_error_stub_library = 34,
  kgenrt_cu_error_insufficient_driver = 35,
  kgenrt_cu_error_no_device = 100,
  kgenrt_cu_error_invalid_device = 101,
  kgenrt_cu_error_no_binary_for_gpu = 209,
  kgenrt_cu_error_ecc_uncorrectable = 214,
  kgenrt_cu_error_nvlink_uncorrectable = 220,
  kgenrt_cu_error_unsupported_ptx_version = 222,
  /* From here to the last one a context cannot be used any more, but for the second. */
  kgenrt_cu_error_illegal_address = 700,
  kgenrt_cu_error_launch_out_of_resources = 701,
  kgenrt_cu_error_launch_timeout = 702,
  kgenrt_cu_error_context_is_destroyed = 709,
  kgenrt_cu_error_assert = 710,
  kgenrt_cu_error_hardware_stack = 714,
  kgenrt_cu_error_launch_failed = 719,
  kgenrt_cu_stream_non_blocking = 1,
  kgenrt_cu_log_buffer = 5, /* of a module's errors, and its size */
  kgenrt_cu_log_size = 6
};

enum kgenrt_cuda_attribute {
  kgenrt_cu_threads_of_block = 1,
  kgenrt_cu_threads = 2, /* and the next two */
  kgenrt_cu_blocks = 5,  /* and the next two */
  kgenrt_cu_shared_bytes = 8,
  kgenrt_cu_capability = 75
};

/* CALL(name, symbol, parameters): "cu" before the symbol. */
#define KGENRT_CUDA_CALLS(CALL)                                                                    \
  CALL(GetErrorName, "cuGetErrorName", (int32_t, const char **))                                   \
  CALL(GetErrorString, "cuGetErrorString", (int32_t, const char **))                               \
  CALL(Init, "cuInit", (uint32_t))                                                                 \
  CALL(DriverGetVersion, "cuDriverGetVersion", (int32_t *))                                        \
  CALL(DeviceGetCount, "cuDeviceGetCount", (int32_t *))                                            \
  CALL(DeviceGet, "cuDeviceGet", (int32_t *, int32_t))                                             \
  CALL(DeviceGetName, "cuDeviceGetName", (char *, int32_t, int32_t))                               \
  CALL(DeviceGetAttribute, "cuDeviceGetAttribute", (int32_t *, int32_t, int32_t))                  \
  CALL(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **, int32_t))                     \
  CALL(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int32_t))                         \
  CALL(CtxPushCurrent, "cuCtxPushCurrent_v2", (void *))                                            \
  CALL(CtxPopCurrent, "cuCtxPopCurrent_v2", (void **))                                             \
  CALL(CtxGetDevice, "cuCtxGetDevice", (int32_t *))                                                \
  CALL(ModuleLoadDataEx, "cuModuleLoadDataEx",                                                     \
       (void **, const void *, uint32_t, int32_t *, void **))                                      \
  CALL(ModuleUnload, "cuModuleUnload", (void *))                                                   \
  CALL(ModuleGetFunction, "cuModuleGetFunction", (void **, void *, const char *))                  \
  CALL(MemAlloc, "cuMemAlloc_v2", (uint64_t *, size_t))                                            \
  CALL(MemFree, "cuMemFree_v2", (uint64_t))                                                        \
  CALL(MemAllocHost, "cuMemAllocHost_v2", (void **, size_t))                                       \
  CALL(MemFreeHost, "cuMemFreeHost", (void *))                                                     \
  CALL(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (uint64_t, const void *, size_t, void *))          \
  CALL(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *, uint64_t, size_t, void *))                \
  CALL(StreamCreate, "cuStreamCreate", (void **, uint32_t))                                        \
  CALL(StreamDestroy, "cuStreamDestroy_v2", (void *))                                              \
  CALL(StreamSynchronize, "cuStreamSynchronize", (void *))                                         \
  CALL(LaunchHostFunc, "cuLaunchHostFunc", (void *, void (*)(void *), void *))                     \
  CALL(LaunchKernel, "cuLaunchKernel",                                                             \
       (void *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, void *,      \
        void **, void **))

struct kgenrt_cuda_calls {
#define KGENRT_MEMBER(name, symbol, parameters) int32_t(*name) parameters;
  KGENRT_CUDA_CALLS(KGENRT_MEMBER)
#undef KGENRT_MEMBER
};
