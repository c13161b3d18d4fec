/* The part of a table's module that is no case: an executor, which runs tasks backwards. An engine
 * compares the types of a call by address with those of the function, so it has to be C. */
#include <stdint.h>

typedef struct {
  void (*run)(void *user, uint32_t tasks, void (*task)(void *, uint32_t), void *argument);
  void *user;
  uint32_t concurrency;
} executor;

static uint32_t launches;

static void run_backwards(void *user, uint32_t tasks, void (*task)(void *, uint32_t),
                          void *argument) {
  ++*(uint32_t *)user;
  while (tasks > 0)
    task(argument, --tasks);
}

static const executor backwards = {run_backwards, &launches, 2};

__attribute__((export_name("runner_executor"))) const executor *runner_executor(void) {
  return &backwards;
}

__attribute__((export_name("runner_launches"))) uint32_t runner_launches(void) { return launches; }
