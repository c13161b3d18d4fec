#include "kgen_pthreadpool.h"

#include <pthreadpool.h>

struct launch {
  void (*task)(void *argument, uint32_t index);
  void *argument;
};

static void run_one(void *context, size_t index) {
  const struct launch *launch = context;
  launch->task(launch->argument, (uint32_t)index);
}

void kgen_pthreadpool_run(void *user, uint32_t tasks, void (*task)(void *argument, uint32_t index),
                          void *argument) {
  struct launch launch = {task, argument};
  pthreadpool_parallelize_1d(user, run_one, &launch, tasks, 0);
}
