#include "vulkan_open.c"
/* Memory of the device, and memory through which the program's tensors and weights reach it. */

enum { kgenrt_staged_weights = 4 << 20 }; /* bytes of weights that are copied at a time */

/* The first type of memory among those allowed that has all flags; 32 if there is none. */
static uint32_t kgenrt_memory_type(const struct kgenrt_vulkan *vk, uint32_t allowed,
                                   uint32_t flags) {
  for (uint32_t i = 0; i < vk->memories.type_count; ++i)
    if ((allowed >> i & 1) != 0 && (vk->memories.types[i].flags & flags) == flags)
      return i;
  return 32;
}

/* A buffer with memory of its own, of one of two kinds. */
static enum kgenrt_status kgenrt_create_buffer(struct kgenrt_vulkan *vk, uint64_t size,
                                               uint32_t usage, uint32_t better, uint32_t enough,
                                               uint64_t *buffer, uint64_t *memory) {
  const struct kgenrt_vk_buffer info = {
      .type = kgenrt_vk_buffer_create_info, .size = size, .usage = usage};
  struct kgenrt_vk_requirements needs;
  KGENRT_VULKAN(CreateBuffer, (vk->device, &info, NULL, buffer));
  vk->calls.GetBufferMemoryRequirements(vk->device, *buffer, &needs);
  uint32_t type = kgenrt_memory_type(vk, needs.types, better);
  if (type == 32)
    type = kgenrt_memory_type(vk, needs.types, enough);
  if (type == 32)
    return kgenrt_lacks(&vk->gpu, "memory for buffers");
  const struct kgenrt_vk_memory allocation = {
      .type = kgenrt_vk_memory_allocate_info, .size = needs.size, .memory_type = type};
  KGENRT_VULKAN(AllocateMemory, (vk->device, &allocation, NULL, memory));
  KGENRT_VULKAN(BindBufferMemory, (vk->device, *buffer, *memory, 0));
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_create_memory(struct kgenrt_vulkan *vk,
                                               const struct kgenrt_gpu_target *target) {
  const uint32_t copied = kgenrt_vk_usage_transfer_source | kgenrt_vk_usage_transfer_target;
  const uint32_t shared = kgenrt_vk_memory_host_visible | kgenrt_vk_memory_host_coherent;
  const uint64_t own_weights = vk->is_shared ? 0 : target->weight_bytes;
  const uint64_t weights = kgenrt_least(own_weights, kgenrt_staged_weights);
  enum kgenrt_status status = kgenrt_ok;
  if (own_weights != 0)
    status = kgenrt_create_buffer(vk, own_weights, kgenrt_vk_usage_storage | copied,
                                  kgenrt_vk_memory_device_local, 0, &vk->weights_buffer,
                                  &vk->weights_memory);
  if (status == kgenrt_ok)
    status = kgenrt_create_buffer(vk, target->memory_bytes - target->weight_bytes,
                                  kgenrt_vk_usage_storage | copied, kgenrt_vk_memory_device_local,
                                  0, &vk->buffer, &vk->memory);
  if (status != kgenrt_ok)
    return status;
  vk->host_offset = (kgenrt_most(target->memory_bytes - target->tensor_offset, weights) +
                     kgenrt_memory_alignment - 1) /
                    kgenrt_memory_alignment * kgenrt_memory_alignment;
  vk->staging_size = vk->host_offset + target->host_bytes;
  status = kgenrt_create_buffer(vk, vk->staging_size, copied, shared | kgenrt_vk_memory_host_cached,
                                shared, &vk->staging_buffer, &vk->staging_memory);
  if (status != kgenrt_ok)
    return status;
  void *mapped = NULL;
  KGENRT_VULKAN(MapMemory, (vk->device, vk->staging_memory, 0, vk->staging_size, 0, &mapped));
  vk->staging = mapped;
  return kgenrt_ok;
}

/* Submits commands and waits until they are done. */
static enum kgenrt_status kgenrt_submit(struct kgenrt_vulkan *vk, void *commands) {
  const struct kgenrt_vk_submit info = {
      .type = kgenrt_vk_submit_info, .buffer_count = 1, .buffers = &commands};
  KGENRT_VULKAN(QueueSubmit, (vk->queue, 1, &info, 0));
  vk->is_running = 1;
  KGENRT_VULKAN(QueueWaitIdle, (vk->queue));
  vk->is_running = 0;
  return kgenrt_ok;
}

/* Copies `size` bytes of weights, which are staged, to `offset` of their buffer. */
static enum kgenrt_status kgenrt_copy_staged(struct kgenrt_vulkan *vk, void *commands,
                                             uint64_t offset, uint64_t size) {
  const struct kgenrt_vk_begin begin = {.type = kgenrt_vk_command_buffer_begin_info};
  const struct kgenrt_vk_copy copy = {.target = offset, .size = size};
  KGENRT_VULKAN(BeginCommandBuffer, (commands, &begin));
  vk->calls.CmdCopyBuffer(commands, vk->staging_buffer, vk->weights_buffer, 1, &copy);
  KGENRT_VULKAN(EndCommandBuffer, (commands));
  return kgenrt_submit(vk, commands);
}

/* Copies the weights, a piece of device memory at a time. */
static enum kgenrt_status kgenrt_upload(struct kgenrt_vulkan *vk,
                                        const struct kgenrt_gpu_target *target, void *commands) {
  size_t next = 0; /* weight of which not all bytes have been copied */
  for (uint64_t begin = 0; begin < target->weight_bytes; begin += vk->staging_size) {
    const uint64_t end = kgenrt_least(begin + vk->staging_size, target->weight_bytes);
    for (size_t i = next; i < target->weight_count && target->weights[i].offset < end; ++i) {
      const struct kgenrt_weight *weight = &target->weights[i];
      const uint64_t from = kgenrt_most(weight->offset, begin);
      const uint64_t to = kgenrt_least(weight->offset + weight->bytes, end);
      if (from < to)
        memcpy(vk->staging + (from - begin), weight->data + (from - weight->offset),
               (size_t)(to - from));
      if (weight->offset + weight->bytes <= end)
        next = i + 1;
    }
    const enum kgenrt_status status = kgenrt_copy_staged(vk, commands, begin, end - begin);
    if (status != kgenrt_ok)
      return status;
  }
  return kgenrt_ok;
}
