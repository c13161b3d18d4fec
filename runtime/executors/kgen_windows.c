#ifndef _WIN32
#error "this file is for Windows"
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0601 /* Windows 7: the thread pool */
#endif
#define WIN32_LEAN_AND_MEAN
#include "kgen_windows.h"

#include <windows.h>

/* What the threads of a call share. */
struct kgen_windows_call {
  void (*task)(void *argument, uint32_t index);
  void *argument;
  uint32_t tasks;
  volatile LONG next; /* the first task that nobody has begun */
};

static void kgen_windows_work(struct kgen_windows_call *call) {
  for (;;) {
    uint32_t index = (uint32_t)(InterlockedIncrement(&call->next) - 1);
    if (index >= call->tasks)
      return;
    call->task(call->argument, index);
  }
}

static VOID CALLBACK kgen_windows_callback(PTP_CALLBACK_INSTANCE instance, PVOID call,
                                           PTP_WORK work) {
  (void)instance;
  (void)work;
  kgen_windows_work((struct kgen_windows_call *)call);
}

static uint32_t kgen_windows_helpers(const uint32_t *wanted, uint32_t tasks) {
  SYSTEM_INFO system;
  uint32_t helpers;
  if (wanted != NULL) {
    helpers = *wanted;
  } else {
    GetSystemInfo(&system);
    helpers = (uint32_t)system.dwNumberOfProcessors - 1;
  }
  return helpers < tasks ? helpers : tasks - 1;
}

void kgen_windows_run(void *user, uint32_t tasks, void (*task)(void *argument, uint32_t index),
                      void *argument) {
  struct kgen_windows_call call;
  PTP_WORK work = NULL;
  uint32_t helpers, i;
  if (tasks == 0)
    return;
  call.task = task;
  call.argument = argument;
  call.tasks = tasks;
  call.next = 0;
  helpers = kgen_windows_helpers((const uint32_t *)user, tasks);
  if (helpers != 0)
    work = CreateThreadpoolWork(kgen_windows_callback, &call, NULL);
  if (work == NULL) { /* the caller alone */
    kgen_windows_work(&call);
    return;
  }
  for (i = 0; i < helpers; ++i)
    SubmitThreadpoolWork(work);
  kgen_windows_work(&call);
  WaitForThreadpoolWorkCallbacks(work, TRUE); /* those that have not begun have nothing to do */
  CloseThreadpoolWork(work);
}
