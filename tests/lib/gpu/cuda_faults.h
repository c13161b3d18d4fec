/* What a program asks of the tests' CUDA driver. It is `kgen_cuda_faults`, which dlsym finds in the
 * file that was opened as a driver. */
#include <stdint.h>

/* Of warps, in the blocks that are counted. */
struct cuda_counts {
  long shared_accesses, shared_cycles; /* more cycles than the least: conflicts of banks */
  long shared_least;
  long global_accesses, global_bytes; /* bytes that lanes have asked for */
  long sectors_read, sectors_written; /* of 32 bytes, which are moved as a whole */
};

struct cuda_faults {
  /* All but counts of what lives is as at the beginning. */
  void (*reset)(void);
  /* The n-th call from now on returns this error, and does nothing. */
  void (*fail_call)(long n, int32_t result);
  /* So does each call of the function. */
  void (*fail_function)(const char *name, int32_t result);
  /* An attribute ("threads_of_block", "capability", ...), "version" or "devices" is another one. */
  void (*pretend)(const char *what, int32_t value);
  long (*calls)(void);         /* since the last reset, those left out that pop contexts */
  long (*created)(void);       /* contexts, modules, streams and memory since the last reset */
  long (*living)(void);        /* created and not destroyed, ever */
  const char *(*failed)(void); /* the function that was made to fail last; "" if none was */
  const char *(*report)(void); /* the first fault of a kernel since the last reset; "" if none */
  /* Counts this block of each launch, by its number in the grid; -1: none. */
  void (*count_block)(long number);
  const struct cuda_counts *(*counts)(void); /* since the last reset */
};
