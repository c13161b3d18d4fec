#include "vulkan_kernels.c"
/* A graph's commands are recorded once: tensors are copied to the device, kernels run, and results
 * are copied back. */

enum {
  kgenrt_shader_access = kgenrt_vk_access_shader_read | kgenrt_vk_access_shader_write,
  kgenrt_transfer_access = kgenrt_vk_access_transfer_read | kgenrt_vk_access_transfer_write
};

/* What `after` does sees what `before` has written. */
static void kgenrt_barrier(struct kgenrt_vulkan *vk, void *commands, uint32_t before,
                           uint32_t written, uint32_t after, uint32_t used) {
  const struct kgenrt_vk_barrier barrier = {
      .type = kgenrt_vk_memory_barrier, .source = written, .target = used};
  vk->calls.CmdPipelineBarrier(commands, before, after, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* Copies tensors that have elements between staging memory and the device. */
static void kgenrt_copy_tensors(struct kgenrt_vulkan *vk, const struct kgenrt_gpu_target *target,
                                void *commands, size_t first, size_t count, int is_to_device) {
  for (size_t i = first; i < first + count; ++i) {
    const uint64_t offset = target->tensors[i].offset - target->weight_bytes;
    const uint64_t staged = target->tensors[i].offset - target->tensor_offset;
    const struct kgenrt_vk_copy copy = {is_to_device ? staged : offset,
                                        is_to_device ? offset : staged, target->tensors[i].bytes};
    if (copy.size != 0)
      vk->calls.CmdCopyBuffer(commands, is_to_device ? vk->staging_buffer : vk->buffer,
                              is_to_device ? vk->buffer : vk->staging_buffer, 1, &copy);
  }
}

/* Copies what a call on the CPU reads or has written between the device and the host's memory. */
static void kgenrt_copy_for_cpu(struct kgenrt_vulkan *vk, const struct kgenrt_gpu_target *target,
                                const struct kgenrt_graph *graph, void *commands, size_t part,
                                int is_to_device) {
  const struct kgenrt_cpu_step *step = &target->cpu_steps[graph->first_cpu_step + part];
  const size_t first = step->first_tensor + (is_to_device ? step->inputs : 0);
  for (size_t i = first; i < first + (is_to_device ? step->outputs : step->inputs); ++i) {
    const struct kgenrt_cpu_tensor *tensor = &target->cpu_tensors[i];
    const uint64_t offset =
        kgenrt_binding_offset(target, graph, &tensor->device) - target->weight_bytes;
    const uint64_t host = vk->host_offset + tensor->host;
    const struct kgenrt_vk_copy copy = {is_to_device ? host : offset, is_to_device ? offset : host,
                                        tensor->device.bytes};
    if (copy.size != 0)
      vk->calls.CmdCopyBuffer(commands, is_to_device ? vk->staging_buffer : vk->buffer,
                              is_to_device ? vk->buffer : vk->staging_buffer, 1, &copy);
  }
}

static void kgenrt_dispatch(struct kgenrt_vulkan *vk, const struct kgenrt_gpu_target *target,
                            void *commands, size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) {
    const struct kgenrt_launch *launch = &target->launches[i];
    if (launch->waits)
      kgenrt_barrier(vk, commands, kgenrt_vk_pipeline_compute, kgenrt_vk_access_shader_write,
                     kgenrt_vk_pipeline_compute, kgenrt_shader_access);
    vk->calls.CmdBindPipeline(commands, kgenrt_vk_bind_compute,
                              *kgenrt_kernel_handle(vk, launch->kernel, kgenrt_pipeline_handle));
    vk->calls.CmdBindDescriptorSets(
        commands, kgenrt_vk_bind_compute,
        *kgenrt_kernel_handle(vk, launch->kernel, kgenrt_pipeline_layout_handle), 0, 1,
        kgenrt_set_handle(vk, target, i), 0, NULL);
    vk->calls.CmdDispatch(commands, launch->blocks[0], launch->blocks[1], launch->blocks[2]);
  }
}

/* Part number `part` of a graph, which calls on the CPU divide. */
static enum kgenrt_status kgenrt_record(struct kgenrt_vulkan *vk,
                                        const struct kgenrt_gpu_target *target, size_t index,
                                        size_t part) {
  const struct kgenrt_graph *graph = &target->graphs[index];
  void *const commands = kgenrt_commands(vk, target, kgenrt_commands_number(target, index, part));
  const struct kgenrt_vk_begin begin = {.type = kgenrt_vk_command_buffer_begin_info};
  const uint32_t both = kgenrt_vk_pipeline_compute | kgenrt_vk_pipeline_transfer;
  const uint32_t written = kgenrt_vk_access_shader_write | kgenrt_vk_access_transfer_write;
  KGENRT_VULKAN(BeginCommandBuffer, (commands, &begin));
  if (part == 0) {
    kgenrt_copy_tensors(vk, target, commands, graph->first_tensor, graph->inputs, 1);
  } else { /* what earlier commands of the queue have written is seen from here on */
    kgenrt_barrier(vk, commands, both, written, both,
                   kgenrt_shader_access | kgenrt_transfer_access);
    kgenrt_copy_for_cpu(vk, target, graph, commands, part - 1, 1);
  }
  kgenrt_barrier(vk, commands, kgenrt_vk_pipeline_transfer, kgenrt_vk_access_transfer_write,
                 kgenrt_vk_pipeline_compute, kgenrt_shader_access);
  kgenrt_dispatch(vk, target, commands,
                  part == 0 ? graph->first_launch : kgenrt_end_of_launches(target, graph, part - 1),
                  kgenrt_end_of_launches(target, graph, part));
  kgenrt_barrier(vk, commands, both, written, kgenrt_vk_pipeline_transfer,
                 kgenrt_vk_access_transfer_read);
  if (part < graph->cpu_steps)
    kgenrt_copy_for_cpu(vk, target, graph, commands, part, 0);
  else
    kgenrt_copy_tensors(vk, target, commands, graph->first_tensor + graph->inputs, graph->outputs,
                        0);
  kgenrt_barrier(vk, commands, kgenrt_vk_pipeline_transfer, kgenrt_vk_access_transfer_write,
                 kgenrt_vk_pipeline_host, kgenrt_vk_access_host_read);
  KGENRT_VULKAN(EndCommandBuffer, (commands));
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_create_commands(struct kgenrt_vulkan *vk,
                                                 const struct kgenrt_gpu_target *target) {
  const struct kgenrt_vk_command_pool pool = {.type = kgenrt_vk_command_pool_create_info,
                                              .flags = kgenrt_vk_reset_command_buffers,
                                              .family = vk->family};
  KGENRT_VULKAN(CreateCommandPool, (vk->device, &pool, NULL, &vk->command_pool));
  for (size_t i = 0; i <= kgenrt_commands_of_weights(target); ++i) {
    const struct kgenrt_vk_command_buffers info = {
        .type = kgenrt_vk_command_buffer_allocate_info, .pool = vk->command_pool, .count = 1};
    void *commands = NULL;
    KGENRT_VULKAN(AllocateCommandBuffers, (vk->device, &info, &commands));
    *kgenrt_commands_handle(vk, target, i) = (uintptr_t)commands;
  }
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_vulkan_open(struct kgenrt_gpu *gpu,
                                             const struct kgenrt_gpu_target *target,
                                             const struct kgenrt_gpu_options *options) {
  struct kgenrt_vulkan *const vk = kgenrt_vulkan_of(gpu);
  if (options->context != NULL || options->memory != 0) {
    kgenrt_say(gpu, "a context and memory of the caller's are for CUDA");
    return kgenrt_bad_options;
  }
  enum kgenrt_status status = kgenrt_ok;
  if (options->weights != NULL)
    kgenrt_share_device(vk, kgenrt_vulkan_of(options->weights), target);
  else
    status = kgenrt_open_instance(vk, options->vulkan);
  if (status == kgenrt_ok && !vk->is_shared)
    status = kgenrt_choose_device(vk, target, options->device);
  if (status == kgenrt_ok)
    status = kgenrt_create_memory(vk, target);
  if (status == kgenrt_ok && !vk->is_shared)
    status = kgenrt_create_kernels(vk, target);
  if (status == kgenrt_ok)
    status = kgenrt_bind_all(vk, target);
  if (status == kgenrt_ok)
    status = kgenrt_create_commands(vk, target);
  if (status == kgenrt_ok && !vk->is_shared)
    status =
        kgenrt_upload(vk, target, kgenrt_commands(vk, target, kgenrt_commands_of_weights(target)));
  for (size_t i = 0; status == kgenrt_ok && i < target->graph_count; ++i)
    for (size_t part = 0; status == kgenrt_ok && part <= target->graphs[i].cpu_steps; ++part)
      status = kgenrt_record(vk, target, i, part);
  return status;
}

/* Destroys what was made, after work that still runs. Nulls may be destroyed. */
static void kgenrt_close_device(struct kgenrt_vulkan *vk, const struct kgenrt_gpu_target *target) {
  if (vk->queue == NULL) { /* functions of the device are missing */
    vk->calls.DestroyDevice(vk->device, NULL);
    return;
  }
  vk->calls.DeviceWaitIdle(vk->device);
  vk->calls.DestroyCommandPool(vk->device, vk->command_pool, NULL);
  vk->calls.DestroyDescriptorPool(vk->device, vk->descriptor_pool, NULL);
  vk->calls.DestroyBuffer(vk->device, vk->staging_buffer, NULL);
  vk->calls.FreeMemory(vk->device, vk->staging_memory, NULL);
  vk->calls.DestroyBuffer(vk->device, vk->buffer, NULL);
  vk->calls.FreeMemory(vk->device, vk->memory, NULL);
  if (vk->is_shared)
    return;
  vk->calls.DestroyBuffer(vk->device, vk->weights_buffer, NULL);
  vk->calls.FreeMemory(vk->device, vk->weights_memory, NULL);
  for (size_t i = 0; i < target->kernel_count; ++i) {
    vk->calls.DestroyPipeline(vk->device, *kgenrt_kernel_handle(vk, i, kgenrt_pipeline_handle),
                              NULL);
    vk->calls.DestroyPipelineLayout(
        vk->device, *kgenrt_kernel_handle(vk, i, kgenrt_pipeline_layout_handle), NULL);
    vk->calls.DestroyDescriptorSetLayout(vk->device,
                                         *kgenrt_kernel_handle(vk, i, kgenrt_layout_handle), NULL);
  }
  vk->calls.DestroyDevice(vk->device, NULL);
}

static void kgenrt_vulkan_close(struct kgenrt_gpu *gpu, const struct kgenrt_gpu_target *target) {
  struct kgenrt_vulkan *const vk = kgenrt_vulkan_of(gpu);
  if (vk->device != NULL)
    kgenrt_close_device(vk, target);
  if (vk->instance != NULL && !vk->is_shared && vk->calls.DestroyInstance != NULL)
    vk->calls.DestroyInstance(vk->instance, NULL);
}

/* Runs what the device computes, and what the CPU computes between. */
static enum kgenrt_status kgenrt_run_parts(struct kgenrt_vulkan *vk,
                                           const struct kgenrt_gpu_target *target, size_t index) {
  const struct kgenrt_graph *graph = &target->graphs[index];
  for (size_t part = 0; part <= graph->cpu_steps; ++part) {
    const enum kgenrt_status status =
        kgenrt_submit(vk, kgenrt_commands(vk, target, kgenrt_commands_number(target, index, part)));
    if (status != kgenrt_ok || part == graph->cpu_steps)
      return status;
    const int returned =
        kgenrt_call_cpu(&vk->gpu, target, &target->cpu_steps[graph->first_cpu_step + part],
                        vk->staging + vk->host_offset);
    if (returned != 0) {
      kgenrt_say(&vk->gpu, "a function on the CPU has returned %d", returned);
      return kgenrt_extern_failed;
    }
  }
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_vulkan_run(struct kgenrt_gpu *gpu, size_t index,
                                            const void *const *inputs, void *const *outputs) {
  struct kgenrt_vulkan *const vk = kgenrt_vulkan_of(gpu);
  const struct kgenrt_gpu_target *target = gpu->target;
  const struct kgenrt_graph *graph = &target->graphs[index];
  const struct kgenrt_tensor *tensors = &target->tensors[graph->first_tensor];
  if (vk->is_running) { /* an earlier call could not wait */
    KGENRT_VULKAN(QueueWaitIdle, (vk->queue));
    vk->is_running = 0;
  }
  for (size_t i = 0; i < graph->inputs; ++i)
    if (tensors[i].bytes != 0)
      memcpy(vk->staging + (tensors[i].offset - target->tensor_offset), inputs[i],
             (size_t)tensors[i].bytes);
  const enum kgenrt_status status = kgenrt_run_parts(vk, target, index);
  if (status != kgenrt_ok)
    return status;
  tensors += graph->inputs;
  for (size_t i = 0; i < graph->outputs; ++i)
    if (tensors[i].bytes != 0)
      memcpy(outputs[i], vk->staging + (tensors[i].offset - target->tensor_offset),
             (size_t)tensors[i].bytes);
  return kgenrt_ok;
}

static const struct kgenrt_driver kgenrt_vulkan_driver = {kgenrt_vulkan_open, kgenrt_vulkan_close,
                                                          kgenrt_vulkan_run, NULL, NULL};
