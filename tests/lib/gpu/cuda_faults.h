/* What a program asks of the tests' CUDA driver. It is `kgen_cuda_faults`, which dlsym finds in the
 * file that was opened as a driver. */
#include <stdint.h>

struct cuda_counts {
  long shared_accesses, shared_cycles; /* of warps; more cycles than accesses need: conflicts */
  long shared_least;                   /* cycles without any conflict */
  long global_sectors;                 /* of 32 bytes that warps have moved */
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
  const struct cuda_counts *(*counts)(void);
};
