/* What is used of Vulkan 1.1: an independent declaration, so that no header of others is needed.
 * Dispatchable handles are pointers, all others 64-bit numbers. */
#include <stddef.h>
#include <stdint.h>

enum kgenrt_vulkan_numbers {
  kgenrt_vk_version_1_1 = 1 << 22 | 1 << 12,
  kgenrt_vk_version_1_2 = 1 << 22 | 2 << 12,
  kgenrt_vk_error_out_of_host_memory = -1,
  kgenrt_vk_error_out_of_device_memory = -2,
  kgenrt_vk_error_device_lost = -4,
  kgenrt_vk_error_extension_not_present = -7,
  kgenrt_vk_error_feature_not_present = -8,
  kgenrt_vk_error_incompatible_driver = -9,
  kgenrt_vk_device_types = 5,
  kgenrt_vk_queue_compute = 2,
  kgenrt_vk_memory_device_local = 1,
  kgenrt_vk_memory_host_visible = 2,
  kgenrt_vk_memory_host_coherent = 4,
  kgenrt_vk_memory_host_cached = 8,
  kgenrt_vk_usage_transfer_source = 1,
  kgenrt_vk_usage_transfer_target = 2,
  kgenrt_vk_usage_storage = 0x20,
  kgenrt_vk_descriptor_storage_buffer = 7,
  kgenrt_vk_stage_compute = 0x20,
  kgenrt_vk_bind_compute = 1,
  kgenrt_vk_reset_command_buffers = 2,
  kgenrt_vk_pipeline_compute = 0x800,
  kgenrt_vk_pipeline_transfer = 0x1000,
  kgenrt_vk_pipeline_host = 0x4000,
  kgenrt_vk_access_shader_read = 0x20,
  kgenrt_vk_access_shader_write = 0x40,
  kgenrt_vk_access_transfer_read = 0x800,
  kgenrt_vk_access_transfer_write = 0x1000,
  kgenrt_vk_access_host_read = 0x2000
};

/* The values of `type`, the first member of structs. */
enum kgenrt_vulkan_type {
  kgenrt_vk_application_info = 0,
  kgenrt_vk_instance_create_info = 1,
  kgenrt_vk_device_queue_create_info = 2,
  kgenrt_vk_device_create_info = 3,
  kgenrt_vk_submit_info = 4,
  kgenrt_vk_memory_allocate_info = 5,
  kgenrt_vk_buffer_create_info = 12,
  kgenrt_vk_shader_module_create_info = 16,
  kgenrt_vk_shader_stage_create_info = 18,
  kgenrt_vk_compute_pipeline_create_info = 29,
  kgenrt_vk_pipeline_layout_create_info = 30,
  kgenrt_vk_descriptor_set_layout_create_info = 32,
  kgenrt_vk_descriptor_pool_create_info = 33,
  kgenrt_vk_descriptor_set_allocate_info = 34,
  kgenrt_vk_write_descriptor_set = 35,
  kgenrt_vk_command_pool_create_info = 39,
  kgenrt_vk_command_buffer_allocate_info = 40,
  kgenrt_vk_command_buffer_begin_info = 42,
  kgenrt_vk_memory_barrier = 46,
  kgenrt_vk_features_2 = 1000059000,
  kgenrt_vk_properties_2 = 1000059001,
  kgenrt_vk_float16_int8_features = 1000082000,
  kgenrt_vk_16_bit_features = 1000083000,
  kgenrt_vk_maintenance_3_properties = 1000168000,
  kgenrt_vk_8_bit_features = 1000177000,
  kgenrt_vk_float_controls_properties = 1000197000
};

struct kgenrt_vk_application {
  int32_t type;
  const void *next;
  const char *name;
  uint32_t version;
  const char *engine;
  uint32_t engine_version, api_version;
};

struct kgenrt_vk_instance {
  int32_t type;
  const void *next;
  uint32_t flags;
  const struct kgenrt_vk_application *application;
  uint32_t layer_count;
  const char *const *layers;
  uint32_t extension_count;
  const char *const *extensions;
};

struct kgenrt_vk_limits {
  uint32_t of_images[7], storage_buffer_range, of_constants[3];
  uint64_t granularity, sparse;
  uint32_t bound_sets, of_stages[2], stage_storage_buffers, of_stage_images[3], stage_resources,
      of_sets[3], set_storage_buffers, of_shaders[26], shared_bytes, blocks[3], threads_of_block,
      threads[3], of_pixels[3], draws[2];
  float of_samplers[2];
  uint32_t of_viewports[3];
  float viewport_bounds[2];
  uint32_t viewport_bits;
  size_t map_alignment;
  uint64_t texel_alignment, uniform_alignment, storage_alignment;
  uint32_t of_texels[4];
  float of_interpolation[2];
  uint32_t of_framebuffers[16];
  float timestamp_period;
  uint32_t of_clips[4];
  float of_lines[6];
  uint32_t strict_lines, standard_samples;
  uint64_t copy_alignment, copy_pitch, atom;
};

struct kgenrt_vk_properties {
  int32_t type;
  void *next;
  uint32_t api_version, driver_version, vendor, device, device_type;
  char name[256];
  uint8_t cache[16];
  struct kgenrt_vk_limits limits;
  uint32_t sparse[5];
};

struct kgenrt_vk_maintenance_3 {
  int32_t type;
  void *next;
  uint32_t set_descriptors;
  uint64_t allocation_size;
};

/* By width: 16, 32, 64 bits. */
struct kgenrt_vk_float_controls {
  int32_t type;
  void *next;
  int32_t independence[2];
  uint32_t specials[3], keeps_subnormals[3], flushes_subnormals[3], rounds_to_even[3],
      rounds_to_zero[3];
};

struct kgenrt_vk_features {
  int32_t type;
  void *next;
  uint32_t of_graphics[39], float64, int64, int16, others[13];
};

struct kgenrt_vk_float16_int8 {
  int32_t type;
  void *next;
  uint32_t float16, int8;
};

struct kgenrt_vk_16_bit {
  int32_t type;
  void *next;
  uint32_t storage, uniform, push, input_output;
};

struct kgenrt_vk_8_bit {
  int32_t type;
  void *next;
  uint32_t storage, uniform, push;
};

struct kgenrt_vk_queue_family {
  uint32_t flags, count, timestamp_bits, granularity[3];
};

struct kgenrt_vk_memories {
  uint32_t type_count;
  struct {
    uint32_t flags, heap;
  } types[32];
  uint32_t heap_count;
  struct {
    uint64_t size;
    uint32_t flags;
  } heaps[16];
};

struct kgenrt_vk_queue {
  int32_t type;
  const void *next;
  uint32_t flags, family, count;
  const float *priorities;
};

struct kgenrt_vk_device {
  int32_t type;
  const void *next;
  uint32_t flags, queue_count;
  const struct kgenrt_vk_queue *queues;
  uint32_t layer_count;
  const char *const *layers;
  uint32_t extension_count;
  const char *const *extensions;
  const void *features;
};

struct kgenrt_vk_buffer {
  int32_t type;
  const void *next;
  uint32_t flags;
  uint64_t size;
  uint32_t usage, sharing, family_count;
  const uint32_t *families;
};

struct kgenrt_vk_requirements {
  uint64_t size, alignment;
  uint32_t types;
};

struct kgenrt_vk_memory {
  int32_t type;
  const void *next;
  uint64_t size;
  uint32_t memory_type;
};

struct kgenrt_vk_shader {
  int32_t type;
  const void *next;
  uint32_t flags;
  size_t bytes;
  const uint32_t *code;
};

struct kgenrt_vk_layout_binding {
  uint32_t binding;
  int32_t descriptor;
  uint32_t count, stages;
  const void *samplers;
};

struct kgenrt_vk_set_layout {
  int32_t type;
  const void *next;
  uint32_t flags, count;
  const struct kgenrt_vk_layout_binding *bindings;
};

struct kgenrt_vk_pipeline_layout {
  int32_t type;
  const void *next;
  uint32_t flags, set_count;
  const uint64_t *sets;
  uint32_t constant_count;
  const void *constants;
};

struct kgenrt_vk_stage {
  int32_t type;
  const void *next;
  uint32_t flags, stage;
  uint64_t shader;
  const char *name;
  const void *specialization;
};

struct kgenrt_vk_pipeline {
  int32_t type;
  const void *next;
  uint32_t flags;
  struct kgenrt_vk_stage stage;
  uint64_t layout, base;
  int32_t base_index;
};

struct kgenrt_vk_pool_size {
  int32_t descriptor;
  uint32_t count;
};

struct kgenrt_vk_descriptor_pool {
  int32_t type;
  const void *next;
  uint32_t flags, sets, size_count;
  const struct kgenrt_vk_pool_size *sizes;
};

struct kgenrt_vk_set {
  int32_t type;
  const void *next;
  uint64_t pool;
  uint32_t count;
  const uint64_t *layouts;
};

struct kgenrt_vk_buffer_range {
  uint64_t buffer, offset, range;
};

struct kgenrt_vk_write {
  int32_t type;
  const void *next;
  uint64_t set;
  uint32_t binding, element, count;
  int32_t descriptor;
  const void *image;
  const struct kgenrt_vk_buffer_range *buffer;
  const uint64_t *texels;
};

struct kgenrt_vk_command_pool {
  int32_t type;
  const void *next;
  uint32_t flags, family;
};

struct kgenrt_vk_command_buffers {
  int32_t type;
  const void *next;
  uint64_t pool;
  int32_t level;
  uint32_t count;
};

struct kgenrt_vk_begin {
  int32_t type;
  const void *next;
  uint32_t flags;
  const void *inheritance;
};

struct kgenrt_vk_barrier {
  int32_t type;
  const void *next;
  uint32_t source, target;
};

struct kgenrt_vk_copy {
  uint64_t source, target, size;
};

struct kgenrt_vk_submit {
  int32_t type;
  const void *next;
  uint32_t wait_count;
  const uint64_t *waits;
  const uint32_t *wait_stages;
  uint32_t buffer_count;
  void *const *buffers;
  uint32_t signal_count;
  const uint64_t *signals;
};
