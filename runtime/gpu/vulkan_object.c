#include "object.c"
#include "vulkan_calls.h"
/* The object of a Vulkan device. */

struct KGENRT_IN_OBJECT kgenrt_vulkan {
  struct kgenrt_gpu gpu;
  struct kgenrt_vulkan_calls calls;
  void *instance, *physical, *device, *queue;
  uint64_t weights_memory, weights_buffer; /* of the device */
  uint64_t memory, buffer;                 /* of the device: what follows weights */
  uint64_t staging_memory, staging_buffer, staging_size;
  uint64_t descriptor_pool, command_pool;
  unsigned char *staging; /* where it is mapped; last comes memory of functions on the CPU */
  uint64_t host_offset;   /* of it */
  uint32_t family, is_running;
  uint32_t is_shared; /* the device, the kernels and the weights are another object's */
  struct kgenrt_vk_memories memories;
  /* Of each kernel the layout of its bindings, that of the pipeline and the pipeline; of each
   * launch its bindings; of each graph its commands, and those after each call on the CPU; and
   * commands that copy weights. */
  uint64_t handles[];
};

static struct kgenrt_vulkan *kgenrt_vulkan_of(struct kgenrt_gpu *gpu) {
  return (struct kgenrt_vulkan *)(void *)gpu;
}

static uint64_t kgenrt_least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static enum kgenrt_status kgenrt_lacks(struct kgenrt_gpu *gpu, const char *feature) {
  kgenrt_say(gpu, "no %s", feature);
  return kgenrt_lacks_feature;
}

enum { kgenrt_layout_handle, kgenrt_pipeline_layout_handle, kgenrt_pipeline_handle };

static uint64_t *kgenrt_kernel_handle(struct kgenrt_vulkan *vk, size_t kernel, size_t which) {
  return &vk->handles[3 * kernel + which];
}

static uint64_t *kgenrt_set_handle(struct kgenrt_vulkan *vk, const struct kgenrt_gpu_target *target,
                                   size_t launch) {
  return &vk->handles[3 * target->kernel_count + launch];
}

/* Those of a graph from its first launch or from a call on the CPU to the next call. */
static size_t kgenrt_commands_number(const struct kgenrt_gpu_target *target, size_t graph,
                                     size_t part) {
  return graph + target->graphs[graph].first_cpu_step + part;
}

/* The last ones copy weights. */
static size_t kgenrt_commands_of_weights(const struct kgenrt_gpu_target *target) {
  return target->graph_count + target->cpu_step_count;
}

static uint64_t *kgenrt_commands_handle(struct kgenrt_vulkan *vk,
                                        const struct kgenrt_gpu_target *target, size_t number) {
  return kgenrt_set_handle(vk, target, target->launch_count + number);
}

static void *kgenrt_commands(struct kgenrt_vulkan *vk, const struct kgenrt_gpu_target *target,
                             size_t number) {
  return (void *)(uintptr_t)*kgenrt_commands_handle(vk, target, number);
}

static const char *kgenrt_vulkan_result(int32_t result) {
  static const char *const names[] = {
      "VK_ERROR_OUT_OF_HOST_MEMORY",    "VK_ERROR_OUT_OF_DEVICE_MEMORY",
      "VK_ERROR_INITIALIZATION_FAILED", "VK_ERROR_DEVICE_LOST",
      "VK_ERROR_MEMORY_MAP_FAILED",     "VK_ERROR_LAYER_NOT_PRESENT",
      "VK_ERROR_EXTENSION_NOT_PRESENT", "VK_ERROR_FEATURE_NOT_PRESENT",
      "VK_ERROR_INCOMPATIBLE_DRIVER",   "VK_ERROR_TOO_MANY_OBJECTS",
      "VK_ERROR_FORMAT_NOT_SUPPORTED",  "VK_ERROR_FRAGMENTED_POOL"};
  const int32_t count = sizeof names / sizeof *names;
  return result < 0 && result >= -count ? names[-result - 1] : "VkResult";
}

/* Says which call has failed; the status that its result stands for. */
static enum kgenrt_status kgenrt_vulkan_failed(struct kgenrt_vulkan *vk, const char *call,
                                               int32_t result) {
  kgenrt_say(&vk->gpu, "%s: %s (%d)", call, kgenrt_vulkan_result(result), (int)result);
  switch (result) {
  case kgenrt_vk_error_out_of_host_memory:
  case kgenrt_vk_error_out_of_device_memory:
    return kgenrt_out_of_memory;
  case kgenrt_vk_error_device_lost:
    vk->gpu.is_lost = 1;
    return kgenrt_lost_device;
  case kgenrt_vk_error_extension_not_present:
  case kgenrt_vk_error_feature_not_present:
    return kgenrt_lacks_feature;
  case kgenrt_vk_error_incompatible_driver:
    return kgenrt_no_driver;
  default:
    return kgenrt_driver_failed;
  }
}

/* Calls a function, and returns from this one if it fails. Results above zero are no errors. */
#define KGENRT_VULKAN(name, arguments)                                                             \
  do {                                                                                             \
    const int32_t kgenrt_result = vk->calls.name arguments;                                        \
    if (kgenrt_result < 0)                                                                         \
      return kgenrt_vulkan_failed(vk, "vk" #name, kgenrt_result);                                  \
  } while (0)
