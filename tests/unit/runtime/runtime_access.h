/* The runtime's static functions for tests in C++; the feature table is the whole of
 * cpu_features.def. */
#ifndef RUNTIME_ACCESS_H
#define RUNTIME_ACCESS_H

#define KGENRT_MODELS 1
#include "backend/x86/runtime/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* kgenrt_choice's values */
enum test_choice { test_chosen, test_unknown_name, test_unsupported_name, test_nothing_fits };

size_t test_feature_count(void);
const struct kgenrt_feature *test_features(void);
const struct kgenrt_machine *test_host(void);
void test_detect(const struct kgenrt_machine *machine, struct kgenrt_cpu *cpu);
int test_select(const struct kgenrt_machine *machine, const struct kgenrt_variant *variants,
                size_t count, const char *wanted, size_t *index);

#ifdef __cplusplus
}
#endif

#endif
