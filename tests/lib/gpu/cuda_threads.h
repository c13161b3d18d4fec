/* Kernels on the CPU: a fibre a thread, blocks one after the other. */
#include "cuda_faults.h"

#include <stddef.h>

struct cuda_launch {
  const char *kernel;
  void (*code)(uint64_t, ...);
  char *shared_begin, *shared_end;
  int places;         /* of the code that access memory */
  long counted_block; /* number in the grid; -1: none */
  unsigned blocks[3], threads[3];
  const uint64_t *arguments; /* 32, those that it has not are 0 */
};

/* Runs all blocks; 0, or the error of CUDA that a card would report. */
int cuda_launch(const struct cuda_launch *launch);

/* Notes the first fault; the text ends with where it is. */
void cuda_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* True if all bytes are device memory. */
int cuda_is_device_memory(uintptr_t address, size_t bytes);

/* Begins and ends the counting of a block; an access of the block's thread number `thread`. */
void cuda_begin_counts(unsigned threads, int places);
void cuda_count(uintptr_t address, int bytes, int is_written, int place, unsigned thread,
                int is_shared);
void cuda_end_counts(void);

extern struct cuda_counts cuda_counts;
extern char cuda_report_text[300];
