/* An executor for libraries made by kgen that runs tasks on OpenMP's threads:
 *
 *   <library>_executor executor = {kgen_openmp_run, NULL, 0};
 *
 * Compile kgen_openmp.c with OpenMP (-fopenmp). */
#ifndef KGEN_OPENMP_H
#define KGEN_OPENMP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs task(argument, i) for each i < tasks; `user` is not used. */
void kgen_openmp_run(void *user, uint32_t tasks, void (*task)(void *argument, uint32_t index),
                     void *argument);

#ifdef __cplusplus
}
#endif

#endif
