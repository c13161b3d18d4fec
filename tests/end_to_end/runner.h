/* The table that OperatorCompiler writes and runner.c runs: compiled cases with their inputs and
 * expected results. */
#ifndef KGEN_TESTS_RUNNER_H
#define KGEN_TESTS_RUNNER_H

#include <stddef.h>

enum { RUNNER_MAX_TENSORS = 32, RUNNER_MAX_SIZES = 2 };

typedef enum { RUNNER_F32, RUNNER_F64, RUNNER_BF16, RUNNER_F16, RUNNER_INTEGER } runner_kind;

typedef struct {
  size_t offset; /* in the data file */
  size_t count;  /* elements */
  size_t width;  /* bytes of an element */
  runner_kind kind;
} runner_tensor;

/* All compiled graphs take their sizes, inputs, outputs, workspace and executor in this order; the
 * caller passes more than enough. A size is passed as a pointer is. */
typedef void (*runner_function)(void *, void *, void *, void *, void *, void *, void *, void *,
                                void *, void *, void *, void *, void *, void *, void *, void *,
                                void *, void *, void *, void *, void *, void *, void *, void *,
                                void *, void *, void *, void *, void *, void *, void *, void *,
                                void *, void *, void *, void *);

typedef struct {
  const char *name;
  runner_function function;
  size_t workspace;
  size_t inputs, outputs;
  runner_tensor tensors[RUNNER_MAX_TENSORS]; /* inputs, then expected outputs */
  long ulps;                         /* allowed distance, or -1: `bounds` are absolute errors */
  size_t bounds[RUNNER_MAX_TENSORS]; /* by output: where its doubles are in the data file */
  size_t size_count, sizes[RUNNER_MAX_SIZES]; /* that the function is given */
} runner_case;

extern const runner_case runner_cases[];
extern const size_t runner_case_count;
extern const char runner_data_file[];
int runner_cpu_supports_target(void);

#endif
