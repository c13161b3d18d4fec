/* Calls a function of a library on tensors from a file, where its code cannot run in kgen itself:
 *
 *   program VARIANT FUNCTION THREADS REQUEST ANSWER
 *
 * REQUEST has numbers of 64 bits: the function's sizes; those that the
 * block of state is made for; how many states are among its inputs, the
 * bytes of each input, those of a state with its index; the same of outputs. Then come the inputs.
 * States are after all others; the block of state is made for the call. ANSWER gets the outputs.
 * kgen puts the library's header before this text, and macros: LIBRARY(name) and STATUS(name)
 * are names of the library's, TAKES_SIZES is 1 if its functions are given sizes, HAS_STATE if they
 * take the block, which is made for STATE_DIMS sizes, its arguments STATE_SIZES. */
#ifndef __wasm__
#include <pthread.h>
#endif

enum { max_threads = 256 };

#ifdef __wasm__
/* Without threads: all tasks, the last one first. */
static void run_tasks(void *user, uint32_t tasks, void (*task)(void *argument, uint32_t index),
                      void *argument) {
  (void)user;
  while (tasks > 0)
    task(argument, --tasks);
}
#else
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
#endif

static void check(LIBRARY(status) status, const char *what) {
  if (status != STATUS(OK))
    fail(what, LIBRARY(status_string)(status));
}

static void initialize(LIBRARY(context) * context, const char *variant, unsigned *threads) {
  LIBRARY(executor) executor = {run_tasks, threads, *threads};
  LIBRARY(options) options = {sizeof options, variant, *threads > 1 ? &executor : NULL};
  check(LIBRARY(init)(context, &options), "the library cannot be initialized: ");
}

/* Tensors of one direction: the caller's own, then states. */
struct tensors {
  size_t count, states;
  void **data;
  size_t *bytes, *indices;
};

static struct tensors tensors_of(size_t own, FILE *file) {
  struct tensors list;
  size_t i;
  list.states = number(file);
  list.count = own + list.states;
  list.data = (void **)memory(list.count * sizeof *list.data);
  list.bytes = (size_t *)memory(list.count * sizeof *list.bytes);
  list.indices = (size_t *)memory(list.count * sizeof *list.indices);
  for (i = 0; i < list.count; ++i) {
    list.bytes[i] = number(file);
    list.data[i] = memory(list.bytes[i]);
    if (i >= own)
      list.indices[i] = number(file);
  }
  return list;
}

int main(int argc, char **argv) {
  LIBRARY(context) context;
  const LIBRARY(function) * function;
  struct tensors inputs, outputs;
  void *workspace;
  size_t i, index, *sizes;
  unsigned threads;
  FILE *file;
#if HAS_STATE
  void *state = memory(STATUS(STATE_SIZE));
  size_t state_sizes[STATE_DIMS + 1];
#endif
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
#if HAS_STATE
  state_sizes[STATE_DIMS] = 0;
  for (i = 0; i + 1 < sizeof state_sizes / sizeof *state_sizes; ++i)
    state_sizes[i] = number(file);
#endif
  inputs = tensors_of(function->input_count, file);
  outputs = tensors_of(function->output_count, file);
  for (i = 0; i < inputs.count; ++i)
    take(inputs.data[i], inputs.bytes[i], file);
  fclose(file);
#if HAS_STATE
  check(LIBRARY(state_init)(&context, state, STATUS(STATE_SIZE) STATE_SIZES),
        "the state cannot be made: ");
  for (i = function->input_count; i < inputs.count; ++i)
    check(
        LIBRARY(state_set)(&context, state, STATUS(STATE_SIZE), inputs.indices[i], inputs.data[i]),
        "the state cannot be written: ");
#endif
  workspace = memory(function->workspace_size);
  (void)sizes;
  check(LIBRARY(call)(&context, index,
#if TAKES_SIZES
                      sizes,
#endif
                      (const void *const *)inputs.data,
#if HAS_STATE
                      state, STATUS(STATE_SIZE),
#endif
                      outputs.data, workspace, function->workspace_size),
        "the function returned ");
#if HAS_STATE
  for (i = function->output_count; i < outputs.count; ++i)
    check(LIBRARY(state_get)(&context, state, STATUS(STATE_SIZE), outputs.indices[i],
                             outputs.data[i]),
          "the state cannot be read: ");
#endif
  file = fopen(argv[5], "wb");
  if (file == NULL)
    fail("cannot write the answer", "");
  for (i = 0; i < outputs.count; ++i)
    if (fwrite(outputs.data[i], 1, outputs.bytes[i], file) != outputs.bytes[i])
      fail("cannot write the answer", "");
  if (fclose(file) != 0)
    fail("cannot write the answer", "");
  return 0;
}
