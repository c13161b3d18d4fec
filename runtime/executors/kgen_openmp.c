#include "kgen_openmp.h"

#ifndef _OPENMP
#error "compile this file with OpenMP (-fopenmp)"
#endif

void kgen_openmp_run(void *user, uint32_t tasks, void (*task)(void *argument, uint32_t index),
                     void *argument) {
  int64_t i;
  (void)user;
#pragma omp parallel for schedule(dynamic, 1)
  for (i = 0; i < (int64_t)tasks; ++i)
    task(argument, (uint32_t)i);
}
