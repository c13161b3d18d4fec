/* Includes the runtime as a generated dispatcher does. */
#include "runtime_access.h"

#include "backend/choice.c"

#include "backend/x86/runtime/detect.c"
#include "backend/x86/runtime/host.c"
#include "backend/x86/runtime/select.c"

enum { reg_eax, reg_ebx, reg_ecx, reg_edx };

static const struct kgenrt_feature features[] = {
#define KGEN_CPU_FEATURE(name, identifier, baseline, leaf, subleaf, reg, bit, os, ...)             \
  {name, leaf, subleaf, reg_##reg, bit, os},
#include "backend/x86/runtime/cpu_features.def"
};

_Static_assert((int)test_unknown_name == (int)kgenrt_unknown_name, "the same order");
_Static_assert((int)test_unsupported_name == (int)kgenrt_unsupported_name, "the same order");
_Static_assert((int)test_nothing_fits == (int)kgenrt_nothing_fits, "the same order");

size_t test_feature_count(void) { return sizeof features / sizeof *features; }
const struct kgenrt_feature *test_features(void) { return features; }
const struct kgenrt_machine *test_host(void) { return &kgenrt_host; }

void test_detect(const struct kgenrt_machine *machine, struct kgenrt_cpu *cpu) {
  kgenrt_detect(machine, features, test_feature_count(), cpu);
}

int test_select(const struct kgenrt_machine *machine, const struct kgenrt_variant *variants,
                size_t count, const char *wanted, size_t *index) {
  struct kgenrt_cpu cpu;
  test_detect(machine, &cpu);
  return (int)kgenrt_select(machine, features, &cpu, variants, count, wanted, index);
}
