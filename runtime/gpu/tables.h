/* What runs a library's graphs on a graphics card: the tables that say what a target's code is, and
 * the object that <library>_gpu holds. kgen puts these files into <library>_gpu.c, one after the
 * other. */
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KGENRT_IN_OBJECT __attribute__((may_alias)) /* it lies in the caller's uint64_t */
#else
#define KGENRT_IN_OBJECT
#endif

/* Those of <library>_gpu_status. Up to `lacks_feature` the next target is tried. */
enum kgenrt_status {
  kgenrt_ok,
  kgenrt_no_driver,
  kgenrt_old_driver,
  kgenrt_no_device,
  kgenrt_lacks_feature,
  kgenrt_out_of_memory,
  kgenrt_lost_device,
  kgenrt_driver_failed,
  kgenrt_not_initialized,
  kgenrt_null_pointer,
  kgenrt_misaligned_pointer,
  kgenrt_bad_options,
  kgenrt_unknown_target,
  kgenrt_wrong_target,
  kgenrt_bad_index,
  kgenrt_extern_failed
};

enum { kgenrt_memory_alignment = 256, kgenrt_pointer_alignment = 16 };

/* Device memory is one range: weights, which objects may share, the workspace, and the tensors of
 * the graph that runs. Offsets are from its beginning. */
struct kgenrt_weight {
  const unsigned char *data;
  uint64_t offset, bytes;
};

struct kgenrt_tensor {
  uint64_t offset, bytes;
};

struct kgenrt_kernel {
  const char *name;
  const uint32_t *code; /* SPIR-V; NULL where the target has a module */
  size_t code_bytes;
  uint32_t bindings, threads[3];
};

/* A kernel's argument: `bytes` at `offset` of the tensor `tensor` of the graph, inputs before
 * outputs, counted from 1; 0: of device memory. */
struct kgenrt_binding {
  uint32_t tensor;
  uint64_t offset, bytes;
};

/* `waits`: it reads or writes what launches have written or read since the last one that waited. */
struct kgenrt_launch {
  uint32_t kernel, waits;
  size_t first_binding;
  uint32_t blocks[3];
};

/* What a function of the CPU's takes: a binding, and where it is copied to in the host's memory. */
struct kgenrt_cpu_tensor {
  struct kgenrt_binding device;
  uint64_t host;
};

/* A call on the CPU, before launch number `launch` of the target. It returns what an extern
 * function has returned, or 0. */
struct kgenrt_cpu_step {
  int (*call)(uint32_t variant, const struct kgenrt_cpu_tensor *tensors, unsigned char *host,
              unsigned char *workspace);
  size_t launch, first_tensor, inputs, outputs;
  uint64_t workspace; /* in the host's memory */
};

struct kgenrt_graph {
  const char *name;
  size_t first_launch, launches, first_tensor, inputs, outputs, first_cpu_step, cpu_steps;
};

/* What kernels need beyond 32-bit numbers. */
struct kgenrt_features {
  uint32_t float16, float64, int8, int16, int64, storage8, storage16, shared_bytes;
  uint32_t specials[3]; /* -0, infinities and NaN of floats of 16, 32, 64 bits are kept */
};

struct kgenrt_gpu;
struct kgenrt_gpu_target;

struct kgenrt_gpu_options {
  const char *target, *vulkan, *cuda; /* NULL: any, and the usual names of libraries */
  size_t device;                      /* counted from 1; 0: any */
  void *context;
  uint64_t memory, memory_size;
  struct kgenrt_gpu *weights; /* the object whose weights are used, too; NULL: its own */
  uint32_t variant;           /* of functions on the CPU */
};

struct kgenrt_driver {
  enum kgenrt_status (*open)(struct kgenrt_gpu *gpu, const struct kgenrt_gpu_target *target,
                             const struct kgenrt_gpu_options *options);
  void (*close)(struct kgenrt_gpu *gpu, const struct kgenrt_gpu_target *target);
  enum kgenrt_status (*run)(struct kgenrt_gpu *gpu, size_t graph, const void *const *inputs,
                            void *const *outputs);
  /* NULL where there is none: */
  enum kgenrt_status (*enqueue)(struct kgenrt_gpu *gpu, size_t graph, const uint64_t *tensors,
                                void *stream);
  enum kgenrt_status (*wait)(struct kgenrt_gpu *gpu, void *stream);
};

struct kgenrt_gpu_target {
  const char *name;
  const struct kgenrt_driver *driver;
  const uint32_t *module; /* PTX text that ends with zeros */
  uint32_t capability;    /* the least compute capability's first number */
  struct kgenrt_features features;
  uint64_t weight_bytes, tensor_offset, memory_bytes;
  const struct kgenrt_kernel *kernels;
  const struct kgenrt_weight *weights;
  const struct kgenrt_binding *bindings;
  const struct kgenrt_launch *launches;
  const struct kgenrt_tensor *tensors;
  const struct kgenrt_graph *graphs;
  const struct kgenrt_cpu_tensor *cpu_tensors;
  const struct kgenrt_cpu_step *cpu_steps;
  size_t kernel_count, weight_count, binding_count, launch_count, graph_count, cpu_step_count;
  uint64_t host_bytes; /* of the memory that functions on the CPU use, one after the other */
};

/* The beginning of the object; drivers have more after it. */
struct KGENRT_IN_OBJECT kgenrt_gpu {
  uint64_t mark;                          /* of the library: it was given to _gpu_init */
  const struct kgenrt_gpu_target *target; /* NULL: not initialized */
  uint32_t is_lost, variant;
  char error[500], device[256];
};
