/* What a program asks of the tests' driver, which forwards to the real one. Functions are found by
 * dlsym in the file that was opened as a driver. */
#include <stdint.h>

struct vulkan_faults {
  /* All but counts of what lives is as at the beginning. */
  void (*reset)(void);
  /* The n-th call from now on that returns a VkResult returns this one, and does nothing. */
  void (*fail_call)(long n, int32_t result);
  /* So does each call of the function. */
  void (*fail_function)(const char *name, int32_t result);
  /* The function is not found. */
  void (*hide)(const char *name);
  /* A limit, feature or version has another value: "storage_buffer_range", "float16", ... */
  void (*pretend)(const char *what, uint64_t value);
  long (*calls)(void);         /* that return a VkResult, since the last reset */
  long (*created)(void);       /* objects and memory, since the last reset */
  long (*living)(void);        /* created and not destroyed, ever */
  const char *(*failed)(void); /* the function that was made to fail last; "" if none was */
};
