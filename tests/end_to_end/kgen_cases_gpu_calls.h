/* Functions that runner.c calls as it does code for CPUs, around calls of a library for graphics
 * cards. All cases share one object, which the first of them initializes. */
#include "kgen_cases_gpu.h"
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>

static void kgen_case_run(size_t index, size_t inputs, void **tensors) {
  static kgen_cases_gpu gpu;
  static int is_open;
  kgen_cases_gpu_status status = is_open ? KGEN_CASES_GPU_OK : kgen_cases_gpu_init(NULL, &gpu);
  if (status == KGEN_CASES_GPU_OK) {
    if (!is_open)
      printf("%s on %s\n", kgen_cases_gpu_target(&gpu), kgen_cases_gpu_device_name(&gpu));
    is_open = 1;
    status = kgen_cases_gpu_call(&gpu, index, (const void *const *)tensors, tensors + inputs);
  }
  if (status == KGEN_CASES_GPU_OK)
    return;
  fprintf(stderr, "case %zu: %s: %s\n", index, kgen_cases_gpu_status_text(status),
          kgen_cases_gpu_error(&gpu));
  exit(1);
}

#define KGEN_CASE(name, index, inputs)                                                             \
  void name(void *p0, void *p1, void *p2, void *p3, void *p4, void *p5, void *p6, void *p7,        \
            void *p8, void *p9, void *p10, void *p11, void *p12, void *p13, void *p14, void *p15,  \
            void *p16, void *p17, void *p18, void *p19, void *p20, void *p21, void *p22,           \
            void *p23, void *p24, void *p25, void *p26, void *p27, void *p28, void *p29,           \
            void *p30, void *p31) {                                                                \
    void *tensors[] = {p0,  p1,  p2,  p3,  p4,  p5,  p6,  p7,  p8,  p9,  p10,                      \
                       p11, p12, p13, p14, p15, p16, p17, p18, p19, p20, p21,                      \
                       p22, p23, p24, p25, p26, p27, p28, p29, p30, p31};                          \
    kgen_case_run(index, inputs, tensors);                                                         \
  }
