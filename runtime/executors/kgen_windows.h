/* Runs the tasks of generated libraries on the threads of Windows' thread pool, the caller among
 * them; see README.md. */
#ifndef KGEN_WINDOWS_H
#define KGEN_WINDOWS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The `run` of an executor; `user` is a pointer to the number of threads besides the caller's, an
 * uint32_t, or NULL: as many as there are processors besides the caller's. */
void kgen_windows_run(void *user, uint32_t tasks, void (*task)(void *argument, uint32_t index),
                      void *argument);

#ifdef __cplusplus
}
#endif

#endif
