/* Calls a function of a library on tensors from a file, where its code cannot run in kgen itself:
 *
 *   program VARIANT FUNCTION THREADS REQUEST ANSWER
 *
 * REQUEST has the function's sizes, and the bytes of each input and output as numbers of 64 bits;
 * then the inputs. ANSWER gets the outputs. kgen puts the library's header in front of this text,
 * and macros: LIBRARY(name) and STATUS(name) are names of the library's, TAKES_SIZES is 1 if its
 * functions are given sizes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_threads = 256 };

static void fail(const char *what, const char *of) {
  fprintf(stderr, "%s%s\n", what, of);
  exit(3);
}

/* At a multiple of 64 bytes, none of them 0. */
static void *memory(size_t bytes) {
  unsigned char *block = (unsigned char *)malloc(bytes + 64);
  if (block == NULL)
    fail("there is not enough memory", "");
  memset(block, 0xa5, bytes + 64);
  return block + (64 - ((size_t)block & 63));
}

static void take(void *bytes, size_t count, FILE *file) {
  if (fread(bytes, 1, count, file) != count)
    fail("the request is truncated", "");
}

static size_t number(FILE *file) {
  uint64_t value;
  take(&value, sizeof value, file);
  return (size_t)value;
}

struct work {
  void (*task)(void *argument, uint32_t index);
  void *argument;
  uint32_t tasks, next;
};

static void *help(void *user) {
  struct work *work = (struct work *)user;
  for (;;) {
    uint32_t index = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED);
    if (index >= work->tasks)
      return NULL;
    work->task(work->argument, index);
  }
}

/* An executor whose `user` is a number of threads, the caller's included. */
static void run_tasks(void *user, uint32_t tasks, void (*task)(void *argument, uint32_t index),
                      void *argument) {
  pthread_t threads[max_threads];
  struct work work = {task, argument, tasks, 0};
  unsigned i, started = 0, wanted = *(const unsigned *)user - 1;
  while (started < wanted && started + 1 < tasks &&
         pthread_create(&threads[started], NULL, help, &work) == 0)
    ++started;
  help(&work);
  for (i = 0; i < started; ++i)
    pthread_join(threads[i], NULL);
}

static void initialize(LIBRARY(context) * context, const char *variant, unsigned *threads) {
  LIBRARY(executor) executor = {run_tasks, threads, *threads};
  LIBRARY(options) options = {sizeof options, variant, *threads > 1 ? &executor : NULL};
  LIBRARY(status) status = LIBRARY(init)(context, &options);
  if (status != STATUS(OK))
    fail("the library cannot be initialized: ", LIBRARY(status_string)(status));
}

int main(int argc, char **argv) {
  LIBRARY(context) context;
  LIBRARY(status) status;
  const LIBRARY(function) * function;
  void **tensors, *workspace;
  size_t i, index, count, *sizes, *bytes;
  unsigned threads;
  FILE *file;
  if (argc != 6)
    fail("expected 5 arguments", "");
  index = (size_t)atoi(argv[2]);
  threads = (unsigned)atoi(argv[3]);
  threads = threads > max_threads ? max_threads : threads;
  initialize(&context, argv[1], &threads);
  function = LIBRARY(function_info)(index);
  file = fopen(argv[4], "rb");
  if (function == NULL || file == NULL)
    fail("there is no such function or file", "");
  sizes = NULL;
#if TAKES_SIZES
  sizes = (size_t *)memory(function->dim_count * sizeof *sizes);
  for (i = 0; i < function->dim_count; ++i)
    sizes[i] = number(file);
#endif
  count = function->input_count + function->output_count;
  tensors = (void **)memory(count * sizeof *tensors);
  bytes = (size_t *)memory(count * sizeof *bytes);
  for (i = 0; i < count; ++i) {
    bytes[i] = number(file);
    tensors[i] = memory(bytes[i]);
  }
  for (i = 0; i < function->input_count; ++i)
    take(tensors[i], bytes[i], file);
  fclose(file);
  workspace = memory(function->workspace_size);
  (void)sizes;
  status = LIBRARY(call)(&context, index,
#if TAKES_SIZES
                         sizes,
#endif
                         (const void *const *)tensors, tensors + function->input_count, workspace,
                         function->workspace_size);
  if (status != STATUS(OK))
    fail("the function returned ", LIBRARY(status_string)(status));
  file = fopen(argv[5], "wb");
  if (file == NULL)
    fail("cannot write the answer", "");
  for (i = function->input_count; i < count; ++i)
    if (fwrite(tensors[i], 1, bytes[i], file) != bytes[i])
      fail("cannot write the answer", "");
  if (fclose(file) != 0)
    fail("cannot write the answer", "");
  return 0;
}
