/* An executor for libraries made by kgen that runs tasks on the threads of a pthreadpool:
 *
 *   <library>_executor executor = {kgen_pthreadpool_run, pthreadpool_create(0), 0};
 *
 * The pool must live as long as the contexts that use it; NULL is a pool that has only the caller's
 * thread. */
#ifndef KGEN_PTHREADPOOL_H
#define KGEN_PTHREADPOOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs task(argument, i) for each i < tasks; `user` is a pthreadpool_t. */
void kgen_pthreadpool_run(void *user, uint32_t tasks, void (*task)(void *argument, uint32_t index),
                          void *argument);

#ifdef __cplusplus
}
#endif

#endif
