#include "cuda_open.c"
/* Kernels are launched one after the other in a stream; what `waits` says is true of any stream. */

enum { kgenrt_most_arguments = 64, kgenrt_log_bytes = 300 };

/* Loads the kernels; the driver compiles them, and says what it does not take. */
static enum kgenrt_status kgenrt_load_kernels(struct kgenrt_cuda *cu,
                                              const struct kgenrt_gpu_target *target) {
  if (target->kernel_count == 0)
    return kgenrt_ok;
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

/* Memory for functions on the CPU, and what they are given. */
static enum kgenrt_status kgenrt_prepare_cpu(struct kgenrt_cuda *cu,
                                             const struct kgenrt_gpu_target *target) {
  if (target->cpu_step_count == 0)
    return kgenrt_ok;
  void *host = NULL;
  KGENRT_CUDA(MemAllocHost, (&host, (size_t)target->host_bytes));
  cu->host = host;
  for (size_t i = 0; i < target->cpu_step_count; ++i) {
    uint64_t *const arguments = cu->functions + target->kernel_count + 2 * i;
    arguments[0] = (uintptr_t)cu;
    arguments[1] = (uintptr_t)&target->cpu_steps[i];
  }
  return kgenrt_ok;
}

/* Runs on a thread of the driver's, in the order of the stream. */
static void kgenrt_cpu_step_in_stream(void *arguments) {
  const uint64_t *const both = arguments;
  struct kgenrt_cuda *const cu = (struct kgenrt_cuda *)(uintptr_t)both[0];
  const struct kgenrt_cpu_step *const step = (const struct kgenrt_cpu_step *)(uintptr_t)both[1];
  const int result = kgenrt_call_cpu(&cu->gpu, cu->gpu.target, step, cu->host);
  if (result != 0)
    cu->extern_status = (uint32_t)result;
}

/* What is done in the device's context. */
static enum kgenrt_status kgenrt_fill_context(struct kgenrt_cuda *cu,
                                              const struct kgenrt_gpu_target *target,
                                              const struct kgenrt_gpu_options *options) {
  enum kgenrt_status status = cu->is_shared ? kgenrt_ok : kgenrt_load_kernels(cu, target);
  if (status == kgenrt_ok)
    status = kgenrt_take_memory(cu, target, options);
  if (status == kgenrt_ok)
    status = kgenrt_prepare_cpu(cu, target);
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
    if (cu->host != NULL)
      cu->calls.MemFreeHost(cu->host);
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

/* Where a binding of the graph is. `tensors`: in device memory of the caller's; NULL: in the
 * object's. */
static uint64_t kgenrt_pointer(const struct kgenrt_cuda *cu, const struct kgenrt_graph *graph,
                               const struct kgenrt_binding *binding, const uint64_t *tensors) {
  return tensors != NULL && binding->tensor != 0
             ? tensors[binding->tensor - 1] + binding->offset
             : kgenrt_address(cu, kgenrt_binding_offset(cu->gpu.target, graph, binding));
}

/* Adds launches of a graph, from one on to before another, to a stream of the current context. */
static enum kgenrt_status kgenrt_launch(struct kgenrt_cuda *cu, const struct kgenrt_graph *graph,
                                        size_t first, size_t end, const uint64_t *tensors,
                                        void *stream) {
  const struct kgenrt_gpu_target *target = cu->gpu.target;
  for (size_t l = first; l < end; ++l) {
    const struct kgenrt_launch *launch = &target->launches[l];
    const struct kgenrt_kernel *kernel = &target->kernels[launch->kernel];
    uint64_t pointers[kgenrt_most_arguments];
    void *arguments[kgenrt_most_arguments];
    for (uint32_t i = 0; i < kernel->bindings; ++i) {
      pointers[i] =
          kgenrt_pointer(cu, graph, &target->bindings[launch->first_binding + i], tensors);
      arguments[i] = &pointers[i];
    }
    KGENRT_CUDA(LaunchKernel, ((void *)(uintptr_t)cu->functions[launch->kernel], launch->blocks[0],
                               launch->blocks[1], launch->blocks[2], kernel->threads[0],
                               kernel->threads[1], kernel->threads[2], 0, stream, arguments, NULL));
  }
  return kgenrt_ok;
}

/* Adds a call on the CPU, and the copies before and after it. */
static enum kgenrt_status kgenrt_add_cpu_step(struct kgenrt_cuda *cu,
                                              const struct kgenrt_graph *graph, size_t number,
                                              const uint64_t *tensors, void *stream) {
  const struct kgenrt_gpu_target *target = cu->gpu.target;
  const struct kgenrt_cpu_step *step = &target->cpu_steps[number];
  const struct kgenrt_cpu_tensor *tensor = &target->cpu_tensors[step->first_tensor];
  for (size_t i = 0; i < step->inputs; ++i, ++tensor)
    if (tensor->device.bytes != 0)
      KGENRT_CUDA(MemcpyDtoHAsync,
                  (cu->host + tensor->host, kgenrt_pointer(cu, graph, &tensor->device, tensors),
                   (size_t)tensor->device.bytes, stream));
  KGENRT_CUDA(LaunchHostFunc, (stream, kgenrt_cpu_step_in_stream,
                               cu->functions + target->kernel_count + 2 * number));
  for (size_t i = 0; i < step->outputs; ++i, ++tensor)
    if (tensor->device.bytes != 0)
      KGENRT_CUDA(MemcpyHtoDAsync, (kgenrt_pointer(cu, graph, &tensor->device, tensors),
                                    cu->host + tensor->host, (size_t)tensor->device.bytes, stream));
  return kgenrt_ok;
}

/* Adds a graph's launches and calls on the CPU to a stream of the current context. */
static enum kgenrt_status kgenrt_launch_all(struct kgenrt_cuda *cu,
                                            const struct kgenrt_graph *graph,
                                            const uint64_t *tensors, void *stream) {
  size_t first = graph->first_launch;
  enum kgenrt_status status = kgenrt_ok;
  for (size_t i = 0; status == kgenrt_ok && i <= graph->cpu_steps; ++i) {
    const size_t end = kgenrt_end_of_launches(cu->gpu.target, graph, i);
    status = kgenrt_launch(cu, graph, first, end, tensors, stream);
    if (status == kgenrt_ok && i < graph->cpu_steps)
      status = kgenrt_add_cpu_step(cu, graph, graph->first_cpu_step + i, tensors, stream);
    first = end;
  }
  return status;
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
  const uint32_t returned = cu->extern_status;
  cu->extern_status = 0;
  if (returned == 0)
    return kgenrt_ok;
  kgenrt_say(&cu->gpu, "a function on the CPU has returned %d", (int)returned);
  return kgenrt_extern_failed;
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
