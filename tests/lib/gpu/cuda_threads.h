/* Kernels on the CPU: a fibre a thread, blocks one after the other. */
#include "cuda_faults.h"

#include <stddef.h>

struct cuda_launch {
  const char *kernel;
  void (*code)(uint64_t, ...);
  char *shared_begin, *shared_end;
  unsigned blocks[3], threads[3];
  const uint64_t *arguments; /* 32, those that it has not are 0 */
};

/* Runs all blocks; 0, or the error of CUDA that a card would report. */
int cuda_launch(const struct cuda_launch *launch);

/* Notes the first fault; the text ends with where it is. */
void cuda_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True if all bytes are device memory. */
int cuda_is_device_memory(uintptr_t address, size_t bytes);

extern struct cuda_counts cuda_counts;
extern char cuda_report_text[300];
