#include "cuda_open.c"
/* Kernels are launched one after the other in a stream; what `waits` says is true of any stream. */

enum { kgenrt_most_arguments = 64, kgenrt_log_bytes = 300 };

/* Loads the kernels; the driver compiles them, and says what it does not take. */
static enum kgenrt_status kgenrt_load_kernels(struct kgenrt_cuda *cu,
                                              const struct kgenrt_gpu_target *target) {
  char log[kgenrt_log_bytes] = "";
  int32_t options[] = {kgenrt_cu_log_buffer, kgenrt_cu_log_size};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  const int32_t result =
      cu->calls.ModuleLoadDataEx(&cu->module, target->module, 2, options, values);
  if (result != 0) {
    const enum kgenrt_status status = kgenrt_cuda_failed(cu, "cuModuleLoadDataEx", result);
    log[sizeof log - 1] = 0;
    kgenrt_say(&cu->gpu, log[0] != 0 ? ": %s" : "%s", log);
    return status;
  }
  for (size_t i = 0; i < target->kernel_count; ++i) {
    void *function = NULL;
    if (target->kernels[i].bindings > kgenrt_most_arguments)
      return kgenrt_too_small(&cu->gpu, "the number of a kernel's buffers", kgenrt_most_arguments,
                              target->kernels[i].bindings);
    KGENRT_CUDA(ModuleGetFunction, (&function, cu->module, target->kernels[i].name));
    cu->functions[i] = (uintptr_t)function;
  }
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_take_memory(struct kgenrt_cuda *cu,
                                             const struct kgenrt_gpu_target *target,
                                             const struct kgenrt_gpu_options *options) {
  if (options->memory == 0) {
    const uint64_t shared = cu->is_shared ? target->weight_bytes : 0;
    KGENRT_CUDA(MemAlloc, (&cu->allocated, (size_t)(target->memory_bytes - shared)));
    cu->memory = cu->allocated - shared;
    return kgenrt_ok;
  }
  if (options->memory % kgenrt_memory_alignment != 0) {
    kgenrt_say(&cu->gpu, "options.memory is no multiple of %d", (int)kgenrt_memory_alignment);
    return kgenrt_misaligned_pointer;
  }
  if (options->memory_size < target->memory_bytes) {
    kgenrt_say(&cu->gpu, "options.memory_size is %llu, needed are %llu",
               (unsigned long long)options->memory_size, (unsigned long long)target->memory_bytes);
    return kgenrt_bad_options;
  }
  cu->memory = options->memory;
  return kgenrt_ok;
}

/* What is done in the device's context. */
static enum kgenrt_status kgenrt_fill_context(struct kgenrt_cuda *cu,
                                              const struct kgenrt_gpu_target *target,
                                              const struct kgenrt_gpu_options *options) {
  enum kgenrt_status status = cu->is_shared ? kgenrt_ok : kgenrt_load_kernels(cu, target);
  if (status == kgenrt_ok)
    status = kgenrt_take_memory(cu, target, options);
  if (status != kgenrt_ok)
    return status;
  KGENRT_CUDA(StreamCreate, (&cu->stream, kgenrt_cu_stream_non_blocking));
  if (cu->is_shared)
    return kgenrt_ok;
  cu->weights = cu->memory;
  for (size_t i = 0; i < target->weight_count; ++i)
    if (target->weights[i].bytes != 0)
      KGENRT_CUDA(MemcpyHtoDAsync,
                  (cu->weights + target->weights[i].offset, target->weights[i].data,
                   (size_t)target->weights[i].bytes, cu->stream));
  KGENRT_CUDA(StreamSynchronize, (cu->stream));
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_cuda_open(struct kgenrt_gpu *gpu,
                                           const struct kgenrt_gpu_target *target,
                                           const struct kgenrt_gpu_options *options) {
  struct kgenrt_cuda *const cu = kgenrt_cuda_of(gpu);
  enum kgenrt_status status = kgenrt_ok;
  if (options->weights != NULL)
    kgenrt_share_context(cu, kgenrt_cuda_of(options->weights), target);
  else
    status = kgenrt_load_cuda(cu, options->cuda);
  if (status == kgenrt_ok && !cu->is_shared)
    status = options->context != NULL ? kgenrt_use_context(cu, target, options)
                                      : kgenrt_choose_cuda_device(cu, target, options->device);
  if (status != kgenrt_ok)
    return status;
  KGENRT_CUDA(CtxPushCurrent, (cu->context));
  status = kgenrt_fill_context(cu, target, options);
  cu->calls.CtxPopCurrent(NULL);
  return status;
}

static void kgenrt_cuda_close(struct kgenrt_gpu *gpu, const struct kgenrt_gpu_target *target) {
  struct kgenrt_cuda *const cu = kgenrt_cuda_of(gpu);
  (void)target;
  if (cu->context == NULL)
    return;
  if (cu->calls.CtxPushCurrent(cu->context) == 0) {
    if (cu->stream != NULL) {
      cu->calls.StreamSynchronize(cu->stream);
      cu->calls.StreamDestroy(cu->stream);
    }
    if (cu->allocated != 0)
      cu->calls.MemFree(cu->allocated);
    if (cu->module != NULL)
      cu->calls.ModuleUnload(cu->module);
    cu->calls.CtxPopCurrent(NULL);
  }
  if (cu->is_retained)
    cu->calls.DevicePrimaryCtxRelease(cu->device);
}

/* Where an offset is in device memory. */
static uint64_t kgenrt_address(const struct kgenrt_cuda *cu, uint64_t offset) {
  return (offset < cu->gpu.target->weight_bytes ? cu->weights : cu->memory) + offset;
}

/* Adds a graph's launches to a stream of the current context. `tensors`: in device memory of the
 * caller's; NULL: in the object's. */
static enum kgenrt_status kgenrt_launch_all(struct kgenrt_cuda *cu,
                                            const struct kgenrt_graph *graph,
                                            const uint64_t *tensors, void *stream) {
  const struct kgenrt_gpu_target *target = cu->gpu.target;
  for (size_t l = graph->first_launch; l < graph->first_launch + graph->launches; ++l) {
    const struct kgenrt_launch *launch = &target->launches[l];
    const struct kgenrt_kernel *kernel = &target->kernels[launch->kernel];
    uint64_t pointers[kgenrt_most_arguments];
    void *arguments[kgenrt_most_arguments];
    for (uint32_t i = 0; i < kernel->bindings; ++i) {
      const struct kgenrt_binding *binding = &target->bindings[launch->first_binding + i];
      pointers[i] = tensors != NULL && binding->tensor != 0
                        ? tensors[binding->tensor - 1] + binding->offset
                        : kgenrt_address(cu, kgenrt_binding_offset(target, graph, binding));
      arguments[i] = &pointers[i];
    }
    KGENRT_CUDA(LaunchKernel, ((void *)(uintptr_t)cu->functions[launch->kernel], launch->blocks[0],
                               launch->blocks[1], launch->blocks[2], kernel->threads[0],
                               kernel->threads[1], kernel->threads[2], 0, stream, arguments, NULL));
  }
  return kgenrt_ok;
}

/* Copies to the device, launches, and copies back, all in the object's stream. */
static enum kgenrt_status kgenrt_add_run(struct kgenrt_cuda *cu, const struct kgenrt_graph *graph,
                                         const void *const *inputs, void *const *outputs) {
  const struct kgenrt_tensor *tensors = &cu->gpu.target->tensors[graph->first_tensor];
  for (size_t i = 0; i < graph->inputs; ++i)
    if (tensors[i].bytes != 0)
      KGENRT_CUDA(MemcpyHtoDAsync, (cu->memory + tensors[i].offset, inputs[i],
                                    (size_t)tensors[i].bytes, cu->stream));
  const enum kgenrt_status status = kgenrt_launch_all(cu, graph, NULL, cu->stream);
  if (status != kgenrt_ok)
    return status;
  tensors += graph->inputs;
  for (size_t i = 0; i < graph->outputs; ++i)
    if (tensors[i].bytes != 0)
      KGENRT_CUDA(MemcpyDtoHAsync, (outputs[i], cu->memory + tensors[i].offset,
                                    (size_t)tensors[i].bytes, cu->stream));
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_synchronize(struct kgenrt_cuda *cu, void *stream) {
  KGENRT_CUDA(StreamSynchronize, (stream));
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_cuda_run(struct kgenrt_gpu *gpu, size_t index,
                                          const void *const *inputs, void *const *outputs) {
  struct kgenrt_cuda *const cu = kgenrt_cuda_of(gpu);
  KGENRT_CUDA(CtxPushCurrent, (cu->context));
  enum kgenrt_status status = kgenrt_add_run(cu, &gpu->target->graphs[index], inputs, outputs);
  if (status == kgenrt_ok)
    status = kgenrt_synchronize(cu, cu->stream);
  else
    cu->calls.StreamSynchronize(cu->stream); /* what was added uses the caller's memory */
  cu->calls.CtxPopCurrent(NULL);
  return status;
}

static enum kgenrt_status kgenrt_cuda_enqueue(struct kgenrt_gpu *gpu, size_t index,
                                              const uint64_t *tensors, void *stream) {
  struct kgenrt_cuda *const cu = kgenrt_cuda_of(gpu);
  KGENRT_CUDA(CtxPushCurrent, (cu->context));
  const enum kgenrt_status status =
      kgenrt_launch_all(cu, &gpu->target->graphs[index], tensors, stream);
  cu->calls.CtxPopCurrent(NULL);
  return status;
}

static enum kgenrt_status kgenrt_cuda_wait(struct kgenrt_gpu *gpu, void *stream) {
  struct kgenrt_cuda *const cu = kgenrt_cuda_of(gpu);
  KGENRT_CUDA(CtxPushCurrent, (cu->context));
  const enum kgenrt_status status = kgenrt_synchronize(cu, stream);
  cu->calls.CtxPopCurrent(NULL);
  return status;
}

static const struct kgenrt_driver kgenrt_cuda_driver = {
    kgenrt_cuda_open, kgenrt_cuda_close, kgenrt_cuda_run, kgenrt_cuda_enqueue, kgenrt_cuda_wait};

/* Adds a graph on tensors in device memory to the caller's stream. */
static enum kgenrt_status kgenrt_enqueue(struct kgenrt_gpu *gpu, uint64_t mark, size_t index,
                                         const uint64_t *pointers, void *stream) {
  const enum kgenrt_status status = kgenrt_usable(gpu, mark);
  if (status != kgenrt_ok)
    return status;
  if (gpu->target->driver->enqueue == NULL)
    return kgenrt_wrong_target;
  const struct kgenrt_graph *graph = &gpu->target->graphs[index];
  const struct kgenrt_tensor *tensors = &gpu->target->tensors[graph->first_tensor];
  for (size_t i = 0; i < graph->inputs + graph->outputs; ++i) {
    if (pointers[i] == 0 && tensors[i].bytes != 0)
      return kgenrt_null_pointer;
    if (pointers[i] % kgenrt_pointer_alignment != 0) {
      kgenrt_say(gpu, "tensor %u is no multiple of %d", (unsigned)i, (int)kgenrt_pointer_alignment);
      return kgenrt_misaligned_pointer;
    }
  }
  return gpu->target->driver->enqueue(gpu, index, pointers, stream);
}

/* A target without streams has nothing to wait for. */
static enum kgenrt_status kgenrt_wait(struct kgenrt_gpu *gpu, uint64_t mark, void *stream) {
  const enum kgenrt_status status = kgenrt_usable(gpu, mark);
  if (status != kgenrt_ok || gpu->target->driver->wait == NULL)
    return status;
  return gpu->target->driver->wait(gpu, stream);
}
