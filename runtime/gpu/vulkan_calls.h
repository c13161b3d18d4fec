#include "vulkan.h"
/* The functions of Vulkan that are called. CALL(result, name, parameters): "vk" before the name. */

typedef void (*kgenrt_vk_function)(void);
typedef kgenrt_vk_function (*kgenrt_vk_find)(void *from, const char *name);

/* Of no instance. */
#define KGENRT_VULKAN_GLOBAL_CALLS(CALL)                                                           \
  CALL(int32_t, EnumerateInstanceVersion, (uint32_t *))                                            \
  CALL(int32_t, CreateInstance, (const struct kgenrt_vk_instance *, const void *, void **))

/* Of an instance. */
#define KGENRT_VULKAN_INSTANCE_CALLS(CALL)                                                         \
  CALL(void, DestroyInstance, (void *, const void *))                                              \
  CALL(int32_t, EnumeratePhysicalDevices, (void *, uint32_t *, void **))                           \
  CALL(void, GetPhysicalDeviceProperties2, (void *, struct kgenrt_vk_properties *))                \
  CALL(void, GetPhysicalDeviceFeatures2, (void *, struct kgenrt_vk_features *))                    \
  CALL(void, GetPhysicalDeviceMemoryProperties, (void *, struct kgenrt_vk_memories *))             \
  CALL(void, GetPhysicalDeviceQueueFamilyProperties,                                               \
       (void *, uint32_t *, struct kgenrt_vk_queue_family *))                                      \
  CALL(int32_t, CreateDevice, (void *, const struct kgenrt_vk_device *, const void *, void **))    \
  CALL(kgenrt_vk_function, GetDeviceProcAddr, (void *, const char *))                              \
  CALL(void, DestroyDevice, (void *, const void *))

/* Of a device. */
#define KGENRT_VULKAN_DEVICE_CALLS(CALL)                                                           \
  CALL(void, GetDeviceQueue, (void *, uint32_t, uint32_t, void **))                                \
  CALL(int32_t, DeviceWaitIdle, (void *))                                                          \
  CALL(int32_t, CreateBuffer, (void *, const struct kgenrt_vk_buffer *, const void *, uint64_t *)) \
  CALL(void, DestroyBuffer, (void *, uint64_t, const void *))                                      \
  CALL(void, GetBufferMemoryRequirements, (void *, uint64_t, struct kgenrt_vk_requirements *))     \
  CALL(int32_t, AllocateMemory,                                                                    \
       (void *, const struct kgenrt_vk_memory *, const void *, uint64_t *))                        \
  CALL(void, FreeMemory, (void *, uint64_t, const void *))                                         \
  CALL(int32_t, BindBufferMemory, (void *, uint64_t, uint64_t, uint64_t))                          \
  CALL(int32_t, MapMemory, (void *, uint64_t, uint64_t, uint64_t, uint32_t, void **))              \
  CALL(int32_t, CreateShaderModule,                                                                \
       (void *, const struct kgenrt_vk_shader *, const void *, uint64_t *))                        \
  CALL(void, DestroyShaderModule, (void *, uint64_t, const void *))                                \
  CALL(int32_t, CreateDescriptorSetLayout,                                                         \
       (void *, const struct kgenrt_vk_set_layout *, const void *, uint64_t *))                    \
  CALL(void, DestroyDescriptorSetLayout, (void *, uint64_t, const void *))                         \
  CALL(int32_t, CreatePipelineLayout,                                                              \
       (void *, const struct kgenrt_vk_pipeline_layout *, const void *, uint64_t *))               \
  CALL(void, DestroyPipelineLayout, (void *, uint64_t, const void *))                              \
  CALL(int32_t, CreateComputePipelines,                                                            \
       (void *, uint64_t, uint32_t, const struct kgenrt_vk_pipeline *, const void *, uint64_t *))  \
  CALL(void, DestroyPipeline, (void *, uint64_t, const void *))                                    \
  CALL(int32_t, CreateDescriptorPool,                                                              \
       (void *, const struct kgenrt_vk_descriptor_pool *, const void *, uint64_t *))               \
  CALL(void, DestroyDescriptorPool, (void *, uint64_t, const void *))                              \
  CALL(int32_t, AllocateDescriptorSets, (void *, const struct kgenrt_vk_set *, uint64_t *))        \
  CALL(void, UpdateDescriptorSets,                                                                 \
       (void *, uint32_t, const struct kgenrt_vk_write *, uint32_t, const void *))                 \
  CALL(int32_t, CreateCommandPool,                                                                 \
       (void *, const struct kgenrt_vk_command_pool *, const void *, uint64_t *))                  \
  CALL(void, DestroyCommandPool, (void *, uint64_t, const void *))                                 \
  CALL(int32_t, AllocateCommandBuffers,                                                            \
       (void *, const struct kgenrt_vk_command_buffers *, void **))                                \
  CALL(int32_t, BeginCommandBuffer, (void *, const struct kgenrt_vk_begin *))                      \
  CALL(int32_t, EndCommandBuffer, (void *))                                                        \
  CALL(void, CmdBindPipeline, (void *, int32_t, uint64_t))                                         \
  CALL(void, CmdBindDescriptorSets,                                                                \
       (void *, int32_t, uint64_t, uint32_t, uint32_t, const uint64_t *, uint32_t,                 \
        const uint32_t *))                                                                         \
  CALL(void, CmdDispatch, (void *, uint32_t, uint32_t, uint32_t))                                  \
  CALL(void, CmdPipelineBarrier,                                                                   \
       (void *, uint32_t, uint32_t, uint32_t, uint32_t, const struct kgenrt_vk_barrier *,          \
        uint32_t, const void *, uint32_t, const void *))                                           \
  CALL(void, CmdCopyBuffer, (void *, uint64_t, uint64_t, uint32_t, const struct kgenrt_vk_copy *)) \
  CALL(int32_t, QueueSubmit, (void *, uint32_t, const struct kgenrt_vk_submit *, uint64_t))        \
  CALL(int32_t, QueueWaitIdle, (void *))

struct kgenrt_vulkan_calls {
#define KGENRT_MEMBER(result, name, parameters) result(*name) parameters;
  KGENRT_VULKAN_GLOBAL_CALLS(KGENRT_MEMBER)
  KGENRT_VULKAN_INSTANCE_CALLS(KGENRT_MEMBER)
  KGENRT_VULKAN_DEVICE_CALLS(KGENRT_MEMBER)
#undef KGENRT_MEMBER
};
