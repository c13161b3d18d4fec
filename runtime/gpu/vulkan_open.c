#include "vulkan_object.c"

#include <dlfcn.h>
/* The driver, and the device that runs the kernels. */

static enum kgenrt_status kgenrt_no_function(struct kgenrt_vulkan *vk, const char *name) {
  kgenrt_say(&vk->gpu, "the driver has no %s", name);
  return kgenrt_old_driver;
}

#define KGENRT_LOAD(result, name, parameters)                                                      \
  vk->calls.name = (result(*) parameters)find(from, "vk" #name);                                   \
  if (vk->calls.name == NULL)                                                                      \
    return kgenrt_no_function(vk, "vk" #name);

static enum kgenrt_status kgenrt_load_global(struct kgenrt_vulkan *vk, kgenrt_vk_find find) {
  void *const from = NULL;
  KGENRT_VULKAN_GLOBAL_CALLS(KGENRT_LOAD)
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_load_instance(struct kgenrt_vulkan *vk, kgenrt_vk_find find,
                                               void *from) {
  KGENRT_VULKAN_INSTANCE_CALLS(KGENRT_LOAD)
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_load_device(struct kgenrt_vulkan *vk, kgenrt_vk_find find,
                                             void *from) {
  KGENRT_VULKAN_DEVICE_CALLS(KGENRT_LOAD)
  return kgenrt_ok;
}

/* The library is never closed: drivers have threads that would run into nothing. */
static enum kgenrt_status kgenrt_open_instance(struct kgenrt_vulkan *vk, const char *library) {
  const char *file = library != NULL ? library : "libvulkan.so.1";
  void *const driver = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void *const symbol = driver != NULL ? dlsym(driver, "vkGetInstanceProcAddr") : NULL;
  if (symbol == NULL) {
    const char *const why = dlerror();
    kgenrt_say(&vk->gpu, "%s", why != NULL ? why : file);
    return kgenrt_no_driver;
  }
  kgenrt_vk_find find;
  memcpy(&find, &symbol, sizeof find);
  const enum kgenrt_status has_global = kgenrt_load_global(vk, find);
  if (has_global != kgenrt_ok)
    return has_global;
  uint32_t version = 0;
  KGENRT_VULKAN(EnumerateInstanceVersion, (&version));
  if (version < kgenrt_vk_version_1_1) {
    kgenrt_say(&vk->gpu, "%s is of Vulkan %u.%u, needed is 1.1", file, version >> 22,
               version >> 12 & 1023);
    return kgenrt_old_driver;
  }
  /* The newest version that is used where devices have it. */
  const struct kgenrt_vk_application application = {.type = kgenrt_vk_application_info,
                                                    .api_version = kgenrt_vk_version_1_2};
  const struct kgenrt_vk_instance info = {.type = kgenrt_vk_instance_create_info,
                                          .application = &application};
  KGENRT_VULKAN(CreateInstance, (&info, NULL, &vk->instance));
  return kgenrt_load_instance(vk, find, vk->instance);
}

/* What is looked at of a device. */
struct kgenrt_vulkan_device {
  struct kgenrt_vk_properties properties;
  struct kgenrt_vk_maintenance_3 sizes;
  struct kgenrt_vk_float_controls floats;
  struct kgenrt_vk_features features;
  struct kgenrt_vk_float16_int8 float16_int8;
  struct kgenrt_vk_8_bit bits8;
  struct kgenrt_vk_16_bit bits16;
};

static void kgenrt_look_at(struct kgenrt_vulkan *vk, void *physical,
                           struct kgenrt_vulkan_device *device) {
  memset(device, 0, sizeof *device);
  device->sizes.type = kgenrt_vk_maintenance_3_properties;
  device->floats.type = kgenrt_vk_float_controls_properties;
  device->sizes.next = &device->floats;
  device->properties.type = kgenrt_vk_properties_2;
  device->float16_int8.type = kgenrt_vk_float16_int8_features;
  device->bits8.type = kgenrt_vk_8_bit_features;
  device->bits8.next = &device->float16_int8;
  device->bits16.type = kgenrt_vk_16_bit_features;
  device->bits16.next = &device->bits8;
  device->features.type = kgenrt_vk_features_2;
  if (vk->calls.GetPhysicalDeviceProperties2 == NULL)
    return;
  vk->calls.GetPhysicalDeviceProperties2(physical, &device->properties);
  if (device->properties.api_version < kgenrt_vk_version_1_1)
    return; /* it need not know what follows */
  device->properties.next = &device->sizes;
  vk->calls.GetPhysicalDeviceProperties2(physical, &device->properties);
  device->features.next = &device->bits16;
  vk->calls.GetPhysicalDeviceFeatures2(physical, &device->features);
}

static enum kgenrt_status kgenrt_check_features(struct kgenrt_gpu *gpu,
                                                const struct kgenrt_features *needs,
                                                const struct kgenrt_vulkan_device *has) {
  if (needs->float16 && !has->float16_int8.float16)
    return kgenrt_lacks(gpu, "shaderFloat16");
  if (needs->int8 && !has->float16_int8.int8)
    return kgenrt_lacks(gpu, "shaderInt8");
  if (needs->int16 && !has->features.int16)
    return kgenrt_lacks(gpu, "shaderInt16");
  if (needs->int64 && !has->features.int64)
    return kgenrt_lacks(gpu, "shaderInt64");
  if (needs->float64 && !has->features.float64)
    return kgenrt_lacks(gpu, "shaderFloat64");
  if (needs->storage8 && !has->bits8.storage)
    return kgenrt_lacks(gpu, "storageBuffer8BitAccess");
  if (needs->storage16 && !has->bits16.storage)
    return kgenrt_lacks(gpu, "storageBuffer16BitAccess");
  static const char *const specials[] = {"shaderSignedZeroInfNanPreserveFloat16",
                                         "shaderSignedZeroInfNanPreserveFloat32",
                                         "shaderSignedZeroInfNanPreserveFloat64"};
  for (size_t i = 0; i < 3; ++i)
    if (needs->specials[i] && !has->floats.specials[i])
      return kgenrt_lacks(gpu, specials[i]);
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_check_kernel(struct kgenrt_gpu *gpu,
                                              const struct kgenrt_kernel *kernel,
                                              const struct kgenrt_vk_limits *has) {
  const uint64_t threads = (uint64_t)kernel->threads[0] * kernel->threads[1] * kernel->threads[2];
  for (size_t i = 0; i < 3; ++i)
    if (kernel->threads[i] > has->threads[i])
      return kgenrt_too_small(gpu, "maxComputeWorkGroupSize", has->threads[i], kernel->threads[i]);
  if (threads > has->threads_of_block)
    return kgenrt_too_small(gpu, "maxComputeWorkGroupInvocations", has->threads_of_block, threads);
  if (kernel->bindings > has->stage_storage_buffers)
    return kgenrt_too_small(gpu, "maxPerStageDescriptorStorageBuffers", has->stage_storage_buffers,
                            kernel->bindings);
  if (kernel->bindings > has->stage_resources)
    return kgenrt_too_small(gpu, "maxPerStageResources", has->stage_resources, kernel->bindings);
  if (kernel->bindings > has->set_storage_buffers)
    return kgenrt_too_small(gpu, "maxDescriptorSetStorageBuffers", has->set_storage_buffers,
                            kernel->bindings);
  return kgenrt_ok;
}

static enum kgenrt_status kgenrt_check_launches(struct kgenrt_gpu *gpu,
                                                const struct kgenrt_gpu_target *target,
                                                const struct kgenrt_vk_limits *has) {
  for (size_t i = 0; i < target->launch_count; ++i)
    for (size_t k = 0; k < 3; ++k)
      if (target->launches[i].blocks[k] > has->blocks[k])
        return kgenrt_too_small(gpu, "maxComputeWorkGroupCount", has->blocks[k],
                                target->launches[i].blocks[k]);
  for (size_t i = 0; i < target->binding_count; ++i)
    if (target->bindings[i].bytes > has->storage_buffer_range)
      return kgenrt_too_small(gpu, "maxStorageBufferRange", has->storage_buffer_range,
                              target->bindings[i].bytes);
  return kgenrt_ok;
}

/* Whether the device runs all kernels. */
static enum kgenrt_status kgenrt_check_device(struct kgenrt_gpu *gpu,
                                              const struct kgenrt_gpu_target *target,
                                              const struct kgenrt_vulkan_device *has) {
  const struct kgenrt_vk_limits *limits = &has->properties.limits;
  const uint32_t version = has->properties.api_version;
  if (version < kgenrt_vk_version_1_1) {
    kgenrt_say(gpu, "Vulkan %u.%u, needed is 1.1", version >> 22, version >> 12 & 1023);
    return kgenrt_old_driver;
  }
  enum kgenrt_status status = kgenrt_check_features(gpu, &target->features, has);
  for (size_t i = 0; status == kgenrt_ok && i < target->kernel_count; ++i)
    status = kgenrt_check_kernel(gpu, &target->kernels[i], limits);
  if (status == kgenrt_ok)
    status = kgenrt_check_launches(gpu, target, limits);
  if (status != kgenrt_ok)
    return status;
  if (target->features.shared_bytes > limits->shared_bytes)
    return kgenrt_too_small(gpu, "maxComputeSharedMemorySize", limits->shared_bytes,
                            target->features.shared_bytes);
  if (limits->storage_alignment > kgenrt_memory_alignment)
    return kgenrt_too_small(gpu, "minStorageBufferOffsetAlignment", limits->storage_alignment,
                            kgenrt_memory_alignment);
  const uint64_t memory =
      kgenrt_most(target->weight_bytes, target->memory_bytes - target->weight_bytes);
  if (memory > has->sizes.allocation_size)
    return kgenrt_too_small(gpu, "maxMemoryAllocationSize", has->sizes.allocation_size, memory);
  return kgenrt_ok;
}

/* A family of queues that compute; all of them can copy. */
static enum kgenrt_status kgenrt_find_family(struct kgenrt_vulkan *vk, void *physical) {
  struct kgenrt_vk_queue_family families[16];
  uint32_t count = sizeof families / sizeof *families;
  vk->calls.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
  for (vk->family = 0; vk->family < count; ++vk->family)
    if (families[vk->family].flags & kgenrt_vk_queue_compute)
      return kgenrt_ok;
  return kgenrt_lacks(&vk->gpu, "queue that computes");
}

/* The device with what the kernels need of it, and a queue. */
static enum kgenrt_status kgenrt_create_device(struct kgenrt_vulkan *vk,
                                               const struct kgenrt_features *needs,
                                               uint32_t version) {
  static const float priority = 1;
  const struct kgenrt_vk_queue queue = {.type = kgenrt_vk_device_queue_create_info,
                                        .family = vk->family,
                                        .count = 1,
                                        .priorities = &priority};
  struct kgenrt_vk_float16_int8 float16_int8 = {
      .type = kgenrt_vk_float16_int8_features, .float16 = needs->float16, .int8 = needs->int8};
  struct kgenrt_vk_8_bit bits8 = {.type = kgenrt_vk_8_bit_features, .storage = needs->storage8};
  struct kgenrt_vk_16_bit bits16 = {.type = kgenrt_vk_16_bit_features, .storage = needs->storage16};
  struct kgenrt_vk_features features = {.type = kgenrt_vk_features_2,
                                        .next = &bits16,
                                        .float64 = needs->float64,
                                        .int64 = needs->int64,
                                        .int16 = needs->int16};
  const char *extensions[3];
  uint32_t extension_count = 0;
  void **last = &bits16.next; /* a device of 1.1 knows the others by extensions */
  if (needs->float16 || needs->int8) {
    *last = &float16_int8;
    last = &float16_int8.next;
    if (version < kgenrt_vk_version_1_2)
      extensions[extension_count++] = "VK_KHR_shader_float16_int8";
  }
  if (needs->storage8) {
    *last = &bits8;
    if (version < kgenrt_vk_version_1_2)
      extensions[extension_count++] = "VK_KHR_8bit_storage";
  }
  if ((needs->specials[0] || needs->specials[1] || needs->specials[2]) &&
      version < kgenrt_vk_version_1_2)
    extensions[extension_count++] = "VK_KHR_shader_float_controls";
  const struct kgenrt_vk_device info = {.type = kgenrt_vk_device_create_info,
                                        .next = &features,
                                        .queue_count = 1,
                                        .queues = &queue,
                                        .extension_count = extension_count,
                                        .extensions = extensions};
  KGENRT_VULKAN(CreateDevice, (vk->physical, &info, NULL, &vk->device));
  const enum kgenrt_status status = kgenrt_load_device(vk, vk->calls.GetDeviceProcAddr, vk->device);
  if (status == kgenrt_ok)
    vk->calls.GetDeviceQueue(vk->device, vk->family, 0, &vk->queue);
  return status;
}

/* Takes the device if it runs the kernels; else says what it lacks. */
static enum kgenrt_status kgenrt_try_device(struct kgenrt_vulkan *vk,
                                            const struct kgenrt_gpu_target *target, void *physical,
                                            const struct kgenrt_vulkan_device *device) {
  kgenrt_say(&vk->gpu, vk->gpu.error[strlen(vk->gpu.error) - 1] == ' ' ? "%s: " : "; %s: ",
             device->properties.name);
  enum kgenrt_status status = kgenrt_check_device(&vk->gpu, target, device);
  if (status == kgenrt_ok)
    status = kgenrt_find_family(vk, physical);
  if (status != kgenrt_ok)
    return status;
  vk->physical = physical;
  vk->calls.GetPhysicalDeviceMemoryProperties(physical, &vk->memories);
  memcpy(vk->gpu.device, device->properties.name, sizeof vk->gpu.device);
  return kgenrt_create_device(vk, &target->features, device->properties.api_version);
}

/* A card of its own before one in the CPU, a CPU last; the place in this order. */
static uint32_t kgenrt_device_order(uint32_t device_type) {
  static const uint32_t places[kgenrt_vk_device_types] = {3, 1, 0, 2, 4};
  return places[device_type < kgenrt_vk_device_types ? device_type : 0];
}

/* Takes the device with this number, or the best one that runs the kernels. */
static enum kgenrt_status kgenrt_choose_device(struct kgenrt_vulkan *vk,
                                               const struct kgenrt_gpu_target *target,
                                               size_t wanted) {
  void *physical[16];
  uint32_t count = sizeof physical / sizeof *physical;
  struct kgenrt_vulkan_device device;
  enum kgenrt_status furthest = kgenrt_no_driver; /* of those that are tried */
  KGENRT_VULKAN(EnumeratePhysicalDevices, (vk->instance, &count, physical));
  if (count == 0 || wanted > count) {
    kgenrt_say(&vk->gpu, "the driver has %u devices", (unsigned)count);
    return kgenrt_no_device;
  }
  for (uint32_t order = 0; order < kgenrt_vk_device_types; ++order)
    for (uint32_t i = 0; i < count; ++i) {
      kgenrt_look_at(vk, physical[i], &device);
      if ((wanted != 0 && wanted != i + 1) ||
          kgenrt_device_order(device.properties.device_type) != order)
        continue;
      const enum kgenrt_status status = kgenrt_try_device(vk, target, physical[i], &device);
      if (status == kgenrt_ok || status > kgenrt_lacks_feature)
        return status;
      if (status > furthest || wanted != 0)
        furthest = status;
    }
  return furthest;
}

/* Takes the device and the kernels of an object, and its weights. */
static void kgenrt_share_device(struct kgenrt_vulkan *vk, const struct kgenrt_vulkan *other,
                                const struct kgenrt_gpu_target *target) {
  vk->is_shared = 1;
  vk->calls = other->calls;
  vk->instance = other->instance;
  vk->physical = other->physical;
  vk->device = other->device;
  vk->queue = other->queue;
  vk->family = other->family;
  vk->memories = other->memories;
  vk->weights_buffer = other->weights_buffer;
  memcpy(vk->gpu.device, other->gpu.device, sizeof vk->gpu.device);
  memcpy(vk->handles, other->handles, 3 * target->kernel_count * sizeof *vk->handles);
}
