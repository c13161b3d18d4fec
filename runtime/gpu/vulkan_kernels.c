#include "vulkan_memory.c"
/* Kernels, and what their launches read and write. */

enum { kgenrt_most_bindings = 64 };

static enum kgenrt_status kgenrt_create_layouts(struct kgenrt_vulkan *vk, uint32_t bindings,
                                                uint64_t *layout, uint64_t *pipeline_layout) {
  struct kgenrt_vk_layout_binding of_set[kgenrt_most_bindings];
  if (bindings > kgenrt_most_bindings)
    return kgenrt_too_small(&vk->gpu, "the number of a kernel's buffers", kgenrt_most_bindings,
                            bindings);
  memset(of_set, 0, sizeof of_set);
  for (uint32_t i = 0; i < bindings; ++i) {
    of_set[i].binding = i;
    of_set[i].descriptor = kgenrt_vk_descriptor_storage_buffer;
    of_set[i].count = 1;
    of_set[i].stages = kgenrt_vk_stage_compute;
  }
  const struct kgenrt_vk_set_layout set = {
      .type = kgenrt_vk_descriptor_set_layout_create_info, .count = bindings, .bindings = of_set};
  KGENRT_VULKAN(CreateDescriptorSetLayout, (vk->device, &set, NULL, layout));
  const struct kgenrt_vk_pipeline_layout info = {
      .type = kgenrt_vk_pipeline_layout_create_info, .set_count = 1, .sets = layout};
  KGENRT_VULKAN(CreatePipelineLayout, (vk->device, &info, NULL, pipeline_layout));
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_create_pipeline(struct kgenrt_vulkan *vk,
                                                 const struct kgenrt_kernel *kernel,
                                                 uint64_t layout, uint64_t *pipeline) {
  const struct kgenrt_vk_shader code = {.type = kgenrt_vk_shader_module_create_info,
                                        .bytes = kernel->code_bytes,
                                        .code = kernel->code};
  uint64_t shader = 0;
  KGENRT_VULKAN(CreateShaderModule, (vk->device, &code, NULL, &shader));
  const struct kgenrt_vk_pipeline info = {.type = kgenrt_vk_compute_pipeline_create_info,
                                          .stage = {.type = kgenrt_vk_shader_stage_create_info,
                                                    .stage = kgenrt_vk_stage_compute,
                                                    .shader = shader,
                                                    .name = kernel->name},
                                          .layout = layout};
  const int32_t result = vk->calls.CreateComputePipelines(vk->device, 0, 1, &info, NULL, pipeline);
  vk->calls.DestroyShaderModule(vk->device, shader, NULL);
  if (result != 0) { /* no pipeline in any case */
    kgenrt_say(&vk->gpu, "%s: ", kernel->name);
    return kgenrt_vulkan_failed(vk, "vkCreateComputePipelines", result);
  }
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_create_kernels(struct kgenrt_vulkan *vk,
                                                const struct kgenrt_gpu_target *target) {
  for (size_t i = 0; i < target->kernel_count; ++i) {
    uint64_t *const layout = kgenrt_kernel_handle(vk, i, kgenrt_pipeline_layout_handle);
    enum kgenrt_status status = kgenrt_create_layouts(
        vk, target->kernels[i].bindings, kgenrt_kernel_handle(vk, i, kgenrt_layout_handle), layout);
    if (status == kgenrt_ok)
      status = kgenrt_create_pipeline(vk, &target->kernels[i], *layout,
                                      kgenrt_kernel_handle(vk, i, kgenrt_pipeline_handle));
    if (status != kgenrt_ok)
      return status;
  }
  return kgenrt_ok;
}

/* Says where the arguments of a launch lie. */
static enum kgenrt_status kgenrt_bind(struct kgenrt_vulkan *vk,
                                      const struct kgenrt_gpu_target *target,
                                      const struct kgenrt_graph *graph, size_t index) {
  const struct kgenrt_launch *launch = &target->launches[index];
  uint64_t *const set = kgenrt_set_handle(vk, target, index);
  const struct kgenrt_vk_set info = {
      .type = kgenrt_vk_descriptor_set_allocate_info,
      .pool = vk->descriptor_pool,
      .count = 1,
      .layouts = kgenrt_kernel_handle(vk, launch->kernel, kgenrt_layout_handle)};
  KGENRT_VULKAN(AllocateDescriptorSets, (vk->device, &info, set));
  for (uint32_t i = 0; i < target->kernels[launch->kernel].bindings; ++i) {
    const struct kgenrt_binding *binding = &target->bindings[launch->first_binding + i];
    const uint64_t offset = kgenrt_binding_offset(target, graph, binding);
    const int is_weight = offset < target->weight_bytes;
    const struct kgenrt_vk_buffer_range range = {is_weight ? vk->weights_buffer : vk->buffer,
                                                 is_weight ? offset : offset - target->weight_bytes,
                                                 binding->bytes};
    const struct kgenrt_vk_write write = {.type = kgenrt_vk_write_descriptor_set,
                                          .set = *set,
                                          .binding = i,
                                          .count = 1,
                                          .descriptor = kgenrt_vk_descriptor_storage_buffer,
                                          .buffer = &range};
    vk->calls.UpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
  }
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_bind_all(struct kgenrt_vulkan *vk,
                                          const struct kgenrt_gpu_target *target) {
  if (target->launch_count == 0)
    return kgenrt_ok;
  const struct kgenrt_vk_pool_size size = {kgenrt_vk_descriptor_storage_buffer,
                                           (uint32_t)kgenrt_most(target->binding_count, 1)};
  const struct kgenrt_vk_descriptor_pool info = {.type = kgenrt_vk_descriptor_pool_create_info,
                                                 .sets = (uint32_t)target->launch_count,
                                                 .size_count = 1,
                                                 .sizes = &size};
  KGENRT_VULKAN(CreateDescriptorPool, (vk->device, &info, NULL, &vk->descriptor_pool));
  for (size_t g = 0; g < target->graph_count; ++g)
    for (size_t i = 0; i < target->graphs[g].launches; ++i) {
      const enum kgenrt_status status =
          kgenrt_bind(vk, target, &target->graphs[g], target->graphs[g].first_launch + i);
      if (status != kgenrt_ok)
        return status;
    }
  return kgenrt_ok;
}
