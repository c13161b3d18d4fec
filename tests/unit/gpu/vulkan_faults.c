/* A Vulkan driver of the tests' own: it forwards to the one that KGEN_TEST_VULKAN names, counts
 * what is created and destroyed, and fails on demand. */
#include "vulkan_faults.h"

#include "../../../runtime/gpu/vulkan_calls.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { most_lies = 8 };
static struct {
  long calls, created, fail_at;
  int32_t result, function_result;
  const char *function, *hidden, *failed;
  struct {
    const char *what;
    uint64_t value;
  } lies[most_lies];
  int lie_count;
} faults;
static long living;
static struct kgenrt_vulkan_calls real;
static kgenrt_vk_find find_real;

static void reset(void) {
  memset(&faults, 0, sizeof faults);
  faults.failed = "";
}
static void fail_call(long n, int32_t result) {
  faults.fail_at = faults.calls + n;
  faults.result = result;
}
static void fail_function(const char *name, int32_t result) {
  faults.function = name;
  faults.function_result = result;
}
static void hide(const char *name) { faults.hidden = name; }
static void pretend(const char *what, uint64_t value) {
  if (faults.lie_count == most_lies)
    abort();
  faults.lies[faults.lie_count].what = what;
  faults.lies[faults.lie_count++].value = value;
}
static long calls(void) { return faults.calls; }
static long created(void) { return faults.created; }
static long count_living(void) { return living; }
static const char *failed(void) { return faults.failed; }

__attribute__((visibility("default"))) const struct vulkan_faults kgen_vulkan_faults = {
    reset, fail_call, fail_function, hide, pretend, calls, created, count_living, failed};

/* What a call is made to return; 0: it is forwarded. */
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

static int32_t count(int32_t result) {
  faults.created += result == 0;
  living += result == 0;
  return result;
}

/* Functions that create: the last parameter is what they make. */
#define CREATE(name, info_type, made_type)                                                         \
  static int32_t my_##name(void *from, const struct info_type *info, const void *allocator,        \
                           made_type *made) {                                                      \
    const int32_t result = fault("vk" #name);                                                      \
    return result != 0 ? result : count(real.name(from, info, allocator, made));                   \
  }
CREATE(CreateDevice, kgenrt_vk_device, void *)
CREATE(CreateBuffer, kgenrt_vk_buffer, uint64_t)
CREATE(AllocateMemory, kgenrt_vk_memory, uint64_t)
CREATE(CreateShaderModule, kgenrt_vk_shader, uint64_t)
CREATE(CreateDescriptorSetLayout, kgenrt_vk_set_layout, uint64_t)
CREATE(CreatePipelineLayout, kgenrt_vk_pipeline_layout, uint64_t)
CREATE(CreateDescriptorPool, kgenrt_vk_descriptor_pool, uint64_t)
CREATE(CreateCommandPool, kgenrt_vk_command_pool, uint64_t)

#define DESTROY(name)                                                                              \
  static void my_##name(void *from, uint64_t made, const void *allocator) {                        \
    living -= made != 0;                                                                           \
    real.name(from, made, allocator);                                                              \
  }
DESTROY(DestroyBuffer)
DESTROY(FreeMemory)
DESTROY(DestroyShaderModule)
DESTROY(DestroyDescriptorSetLayout)
DESTROY(DestroyPipelineLayout)
DESTROY(DestroyPipeline)
DESTROY(DestroyDescriptorPool)
DESTROY(DestroyCommandPool)

/* Functions that make nothing of their own to destroy. */
#define FORWARD(name, parameters, arguments)                                                       \
  static int32_t my_##name parameters {                                                            \
    const int32_t result = fault("vk" #name);                                                      \
    return result != 0 ? result : real.name arguments;                                             \
  }
FORWARD(DeviceWaitIdle, (void *device), (device))
FORWARD(BindBufferMemory, (void *device, uint64_t buffer, uint64_t memory, uint64_t offset),
        (device, buffer, memory, offset))
FORWARD(MapMemory,
        (void *device, uint64_t memory, uint64_t offset, uint64_t size, uint32_t flags, void **at),
        (device, memory, offset, size, flags, at))
FORWARD(AllocateDescriptorSets, (void *device, const struct kgenrt_vk_set *info, uint64_t *sets),
        (device, info, sets))
FORWARD(AllocateCommandBuffers,
        (void *device, const struct kgenrt_vk_command_buffers *info, void **buffers),
        (device, info, buffers))
FORWARD(BeginCommandBuffer, (void *commands, const struct kgenrt_vk_begin *info), (commands, info))
FORWARD(EndCommandBuffer, (void *commands), (commands))
FORWARD(QueueSubmit,
        (void *queue, uint32_t submits, const struct kgenrt_vk_submit *info, uint64_t fence),
        (queue, submits, info, fence))
FORWARD(QueueWaitIdle, (void *queue), (queue))

static int32_t my_CreateComputePipelines(void *device, uint64_t cache, uint32_t pipelines,
                                         const struct kgenrt_vk_pipeline *info,
                                         const void *allocator, uint64_t *made) {
  const int32_t result = fault("vkCreateComputePipelines");
  return result != 0
             ? result
             : count(real.CreateComputePipelines(device, cache, pipelines, info, allocator, made));
}

static int32_t my_CreateInstance(const struct kgenrt_vk_instance *info, const void *allocator,
                                 void **made) {
  const int32_t result = fault("vkCreateInstance");
  return result != 0 ? result : count(real.CreateInstance(info, allocator, made));
}

static void my_DestroyInstance(void *instance, const void *allocator) {
  --living;
  real.DestroyInstance(instance, allocator);
}

static void my_DestroyDevice(void *device, const void *allocator) {
  --living;
  real.DestroyDevice(device, allocator);
}

/* Another value for what has this name, where there is one. */
static uint64_t lie(const char *what, uint64_t truth) {
  for (int i = 0; i < faults.lie_count; ++i)
    if (strcmp(faults.lies[i].what, what) == 0)
      return faults.lies[i].value;
  return truth;
}
#define LIE(place, what) place = (__typeof__(place))lie(what, place)

static int32_t my_EnumerateInstanceVersion(uint32_t *version) {
  const int32_t result = fault("vkEnumerateInstanceVersion");
  if (result != 0)
    return result;
  *version = (uint32_t)lie("instance_version", 1 << 22 | 3 << 12);
  return 0;
}

static int32_t my_EnumeratePhysicalDevices(void *instance, uint32_t *devices, void **made) {
  const int32_t result = fault("vkEnumeratePhysicalDevices");
  if (result != 0)
    return result;
  const int32_t done = real.EnumeratePhysicalDevices(instance, devices, made);
  LIE(*devices, "devices");
  return done;
}

static void my_GetPhysicalDeviceProperties2(void *physical, struct kgenrt_vk_properties *of) {
  real.GetPhysicalDeviceProperties2(physical, of);
  struct kgenrt_vk_limits *limits = &of->limits;
  LIE(of->api_version, "api_version");
  LIE(limits->storage_buffer_range, "storage_buffer_range");
  LIE(limits->stage_storage_buffers, "stage_storage_buffers");
  LIE(limits->stage_resources, "stage_resources");
  LIE(limits->set_storage_buffers, "set_storage_buffers");
  LIE(limits->shared_bytes, "shared_bytes");
  LIE(limits->threads_of_block, "threads_of_block");
  LIE(limits->threads[0], "threads");
  LIE(limits->blocks[0], "blocks");
  LIE(limits->storage_alignment, "storage_alignment");
  for (struct kgenrt_vk_maintenance_3 *next = of->next; next != NULL; next = next->next)
    if (next->type == kgenrt_vk_maintenance_3_properties)
      LIE(next->allocation_size, "allocation_size");
    else if (next->type == kgenrt_vk_float_controls_properties)
      LIE(((struct kgenrt_vk_float_controls *)(void *)next)->specials[1], "specials32");
}

static void my_GetPhysicalDeviceFeatures2(void *physical, struct kgenrt_vk_features *of) {
  real.GetPhysicalDeviceFeatures2(physical, of);
  LIE(of->float64, "float64");
  LIE(of->int64, "int64");
  LIE(of->int16, "int16");
  for (struct kgenrt_vk_features *next = of->next; next != NULL; next = next->next)
    if (next->type == kgenrt_vk_float16_int8_features) {
      LIE(((struct kgenrt_vk_float16_int8 *)(void *)next)->float16, "float16");
      LIE(((struct kgenrt_vk_float16_int8 *)(void *)next)->int8, "int8");
    } else if (next->type == kgenrt_vk_8_bit_features) {
      LIE(((struct kgenrt_vk_8_bit *)(void *)next)->storage, "storage8");
    } else if (next->type == kgenrt_vk_16_bit_features) {
      LIE(((struct kgenrt_vk_16_bit *)(void *)next)->storage, "storage16");
    }
}

static void my_GetPhysicalDeviceQueueFamilyProperties(void *physical, uint32_t *families,
                                                      struct kgenrt_vk_queue_family *of) {
  real.GetPhysicalDeviceQueueFamilyProperties(physical, families, of);
  for (uint32_t i = 0; i < *families; ++i)
    LIE(of[i].flags, "queue_flags");
}

static void my_GetPhysicalDeviceMemoryProperties(void *physical, struct kgenrt_vk_memories *of) {
  real.GetPhysicalDeviceMemoryProperties(physical, of);
  LIE(of->type_count, "memory_types");
}

static kgenrt_vk_function my_GetDeviceProcAddr(void *device, const char *name);

/* Ours of the functions above, or the real one. */
static kgenrt_vk_function find(const char *name, kgenrt_vk_function found) {
  if (faults.hidden != NULL && strcmp(name, faults.hidden) == 0)
    return NULL;
#define OURS(function)                                                                             \
  if (strcmp(name, "vk" #function) == 0) {                                                         \
    memcpy(&real.function, &found, sizeof found);                                                  \
    return (kgenrt_vk_function)my_##function;                                                      \
  }
  OURS(EnumerateInstanceVersion)
  OURS(CreateInstance)
  OURS(DestroyInstance)
  OURS(EnumeratePhysicalDevices)
  OURS(GetPhysicalDeviceProperties2)
  OURS(GetPhysicalDeviceFeatures2)
  OURS(GetPhysicalDeviceQueueFamilyProperties)
  OURS(GetPhysicalDeviceMemoryProperties)
  OURS(CreateDevice)
  OURS(GetDeviceProcAddr)
  OURS(DestroyDevice)
  OURS(DeviceWaitIdle)
  OURS(CreateBuffer)
  OURS(DestroyBuffer)
  OURS(AllocateMemory)
  OURS(FreeMemory)
  OURS(BindBufferMemory)
  OURS(MapMemory)
  OURS(CreateShaderModule)
  OURS(DestroyShaderModule)
  OURS(CreateDescriptorSetLayout)
  OURS(DestroyDescriptorSetLayout)
  OURS(CreatePipelineLayout)
  OURS(DestroyPipelineLayout)
  OURS(CreateComputePipelines)
  OURS(DestroyPipeline)
  OURS(CreateDescriptorPool)
  OURS(DestroyDescriptorPool)
  OURS(AllocateDescriptorSets)
  OURS(CreateCommandPool)
  OURS(DestroyCommandPool)
  OURS(AllocateCommandBuffers)
  OURS(BeginCommandBuffer)
  OURS(EndCommandBuffer)
  OURS(QueueSubmit)
  OURS(QueueWaitIdle)
  return found;
}

static kgenrt_vk_function my_GetDeviceProcAddr(void *device, const char *name) {
  return find(name, real.GetDeviceProcAddr(device, name));
}

__attribute__((visibility("default"))) kgenrt_vk_function vkGetInstanceProcAddr(void *instance,
                                                                                const char *name);
kgenrt_vk_function vkGetInstanceProcAddr(void *instance, const char *name) {
  if (find_real == NULL) {
    const char *file = getenv("KGEN_TEST_VULKAN");
    void *driver = dlopen(file != NULL ? file : "libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    void *symbol = driver != NULL ? dlsym(driver, "vkGetInstanceProcAddr") : NULL;
    if (symbol == NULL)
      return NULL;
    memcpy(&find_real, &symbol, sizeof symbol);
  }
  return find(name, find_real(instance, name));
}
