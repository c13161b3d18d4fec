/* Includes AArch64's runtime as a generated dispatcher does, but for the system it runs on. */
#include "aarch64_access.h"

#include "backend/choice.c"

#include "backend/aarch64/runtime/detect.c"
#include "backend/select.c"

#include <string.h>

static const struct kgenrt_feature features[] = {
#define KGEN_CPU_FEATURE(name, identifier, baseline, word, bit, sysctl) {name, word, bit, sysctl},
#include "backend/aarch64/runtime/cpu_features.def"
};

_Static_assert((int)aarch64_unknown_name == (int)kgenrt_unknown_name, "the same order");
_Static_assert((int)aarch64_unsupported_name == (int)kgenrt_unsupported_name, "the same order");
_Static_assert((int)aarch64_nothing_fits == (int)kgenrt_nothing_fits, "the same order");

static uint64_t word(void *user, int index) {
  return ((const struct aarch64_system *)user)->words[index];
}

static int number(void *user, const char *name) {
  const struct aarch64_system *system = user;
  for (size_t i = 0; i < system->name_count; ++i)
    if (strcmp(system->names[i], name) == 0)
      return 1;
  return 0;
}

static struct kgenrt_machine machine_of(const struct aarch64_system *system) {
  struct kgenrt_machine machine = {system->words != NULL ? word : NULL,
                                   system->names != NULL ? number : NULL, (void *)system};
  return machine;
}

size_t aarch64_feature_count(void) { return sizeof features / sizeof *features; }
const char *aarch64_feature_name(size_t index) { return features[index].name; }

uint64_t aarch64_detect(const struct aarch64_system *system) {
  struct kgenrt_machine machine = machine_of(system);
  struct kgenrt_cpu cpu;
  kgenrt_detect(&machine, features, aarch64_feature_count(), &cpu);
  return cpu.present;
}

int aarch64_select(const struct aarch64_system *system, uint64_t mask, const char *wanted,
                   size_t *index) {
  struct kgenrt_machine machine = machine_of(system);
  struct kgenrt_cpu cpu;
  uint8_t best[sizeof features / sizeof *features], least[1];
  size_t count = 0;
  for (size_t i = 0; i < aarch64_feature_count(); ++i) {
    int is_neon = strcmp(features[i].name, "neon") == 0;
    if (is_neon || (mask >> i) & 1)
      best[count++] = (uint8_t)i;
    if (is_neon)
      least[0] = (uint8_t)i;
  }
  const struct kgenrt_variant variants[] = {{"best", best, count}, {"least", least, 1}};
  kgenrt_detect(&machine, features, aarch64_feature_count(), &cpu);
  return (int)kgenrt_select(&machine, features, &cpu, variants, 2, wanted, index);
}
