#include "tables.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
/* The object, whatever drives the device: its texts, and the choice among targets. */

/* Adds to the object's text; what does not fit is cut off. */
static void kgenrt_say(struct kgenrt_gpu *gpu, const char *format, ...) {
  const size_t length = strlen(gpu->error);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(gpu->error + length, sizeof gpu->error - length, format, arguments);
  va_end(arguments);
}

/* Says that a limit of the device is below what a kernel or buffer needs. */
static enum kgenrt_status kgenrt_too_small(struct kgenrt_gpu *gpu, const char *what, uint64_t has,
                                           uint64_t needs) {
  kgenrt_say(gpu, "%s is %llu, needed are %llu", what, (unsigned long long)has,
             (unsigned long long)needs);
  return kgenrt_lacks_feature;
}

static uint64_t kgenrt_most(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Where a binding begins in device memory. */
static uint64_t kgenrt_binding_offset(const struct kgenrt_gpu_target *target,
                                      const struct kgenrt_graph *graph,
                                      const struct kgenrt_binding *binding) {
  if (binding->tensor == 0)
    return binding->offset;
  return target->tensors[graph->first_tensor + binding->tensor - 1].offset + binding->offset;
}

/* The launch before which the graph's next call on the CPU is, or where its launches end. */
static size_t kgenrt_end_of_launches(const struct kgenrt_gpu_target *target,
                                     const struct kgenrt_graph *graph, size_t next_step) {
  return next_step < graph->cpu_steps ? target->cpu_steps[graph->first_cpu_step + next_step].launch
                                      : graph->first_launch + graph->launches;
}

/* Calls a function on the CPU, whose inputs are in the host's memory. */
static int kgenrt_call_cpu(const struct kgenrt_gpu *gpu, const struct kgenrt_gpu_target *target,
                           const struct kgenrt_cpu_step *step, unsigned char *host) {
  return step->call(gpu->variant, &target->cpu_tensors[step->first_tensor], host,
                    host + step->workspace);
}

/* Empties the object, but for the mark and the text. */
static void kgenrt_clear(struct kgenrt_gpu *gpu, size_t size, uint64_t mark) {
  char error[sizeof gpu->error];
  memcpy(error, gpu->error, sizeof error);
  memset((void *)gpu, 0, size);
  memcpy(gpu->error, error, sizeof error);
  gpu->mark = mark;
}

/* Opens the first of the targets that the machine has, or the one that the options name. A target
 * that the machine has and that fails is an error: no other one is tried. */
static enum kgenrt_status kgenrt_open(struct kgenrt_gpu *gpu, size_t size, uint64_t mark,
                                      const struct kgenrt_gpu_target *targets, size_t count,
                                      const struct kgenrt_gpu_options *options) {
  enum kgenrt_status furthest = kgenrt_unknown_target;
  int is_tried = 0;
  const struct kgenrt_gpu *const weights = options->weights;
  gpu->error[0] = 0;
  kgenrt_clear(gpu, size, mark);
  if (weights != NULL && (weights->mark != mark || weights->target == NULL || weights->is_lost)) {
    kgenrt_say(gpu, "options.weights is not initialized, or lost");
    return kgenrt_bad_options;
  }
  if (weights != NULL && (options->device != 0 || options->context != NULL)) {
    kgenrt_say(gpu, "device and context are those of options.weights");
    return kgenrt_bad_options;
  }
  for (size_t i = 0; i < count; ++i) {
    if ((options->target != NULL && strcmp(options->target, targets[i].name) != 0) ||
        (weights != NULL && weights->target != &targets[i]))
      continue;
    kgenrt_say(gpu, is_tried ? "; %s: " : "%s: ", targets[i].name);
    const enum kgenrt_status status = targets[i].driver->open(gpu, &targets[i], options);
    if (status == kgenrt_ok) {
      gpu->target = &targets[i];
      gpu->variant = options->variant;
      gpu->error[0] = 0;
      return kgenrt_ok;
    }
    targets[i].driver->close(gpu, &targets[i]);
    kgenrt_clear(gpu, size, mark);
    if (!is_tried || status > furthest)
      furthest = status;
    is_tried = 1;
    if (status > kgenrt_lacks_feature)
      return status;
  }
  if (!is_tried)
    kgenrt_say(gpu, "%s has no target '%s'",
               weights != NULL ? "the object with the weights" : "the library", options->target);
  return furthest;
}

static void kgenrt_finish(struct kgenrt_gpu *gpu, size_t size) {
  if (gpu->target != NULL)
    gpu->target->driver->close(gpu, gpu->target);
  gpu->error[0] = 0;
  kgenrt_clear(gpu, size, 0);
}

/* Whether the object may be used: 0, or what is wrong. Empties its text. */
static enum kgenrt_status kgenrt_usable(struct kgenrt_gpu *gpu, uint64_t mark) {
  if (gpu == NULL || gpu->mark != mark || gpu->target == NULL)
    return kgenrt_not_initialized;
  if (gpu->is_lost) /* the text says why */
    return kgenrt_lost_device;
  gpu->error[0] = 0;
  return kgenrt_ok;
}

/* Runs a graph on tensors in the program's memory. */
static enum kgenrt_status kgenrt_run(struct kgenrt_gpu *gpu, uint64_t mark, size_t index,
                                     const void *const *inputs, void *const *outputs) {
  const enum kgenrt_status status = kgenrt_usable(gpu, mark);
  if (status != kgenrt_ok)
    return status;
  if (index >= gpu->target->graph_count)
    return kgenrt_bad_index;
  const struct kgenrt_graph *graph = &gpu->target->graphs[index];
  const struct kgenrt_tensor *tensors = &gpu->target->tensors[graph->first_tensor];
  if ((inputs == NULL && graph->inputs != 0) || (outputs == NULL && graph->outputs != 0))
    return kgenrt_null_pointer;
  for (size_t i = 0; i < graph->inputs; ++i)
    if (inputs[i] == NULL && tensors[i].bytes != 0)
      return kgenrt_null_pointer;
  for (size_t i = 0; i < graph->outputs; ++i)
    if (outputs[i] == NULL && tensors[graph->inputs + i].bytes != 0)
      return kgenrt_null_pointer;
  return gpu->target->driver->run(gpu, index, inputs, outputs);
}
