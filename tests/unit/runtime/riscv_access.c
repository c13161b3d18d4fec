/* Includes RISC-V's runtime as a generated dispatcher does, but for the system it runs on. */
#include "riscv_access.h"

#include "backend/choice.c"

#include "backend/riscv/runtime/detect.c"
#include "backend/select.c"

#include <string.h>

static const struct kgenrt_feature features[] = {
#define KGEN_CPU_FEATURE(name, identifier, baseline, hwcap, probe, bytes)                          \
  {name, hwcap, probe, bytes},
#include "backend/riscv/runtime/cpu_features.def"
};

static uint64_t hwcap_of(void *user) { return ((struct riscv_system *)user)->hwcap; }

static int probe(void *user, uint64_t *extensions) {
  const struct riscv_system *system = user;
  if (system->probes)
    *extensions = system->extensions;
  return system->probes;
}

static uint64_t vector_bytes(void *user) {
  struct riscv_system *system = user;
  ++system->asked;
  return system->vector_bytes;
}

size_t riscv_feature_count(void) { return sizeof features / sizeof *features; }
const char *riscv_feature_name(size_t index) { return features[index].name; }

/* The row of a feature. */
static uint8_t row_of(const char *name) {
  uint8_t row = 0;
  for (size_t i = 0; i < riscv_feature_count(); ++i)
    if (strcmp(features[i].name, name) == 0)
      row = (uint8_t)i;
  return row;
}

const char *riscv_select(struct riscv_system *system, const char *wanted) {
  const uint8_t longer[] = {row_of("v"), row_of("zvl256b")}, shorter[] = {row_of("v")},
                least[] = {row_of("c")};
  const struct kgenrt_variant variants[] = {
      {"longer", longer, 2}, {"shorter", shorter, 1}, {"least", least, 1}};
  struct kgenrt_machine machine = {hwcap_of, probe, vector_bytes, system};
  struct kgenrt_cpu cpu;
  size_t index = 0;
  kgenrt_detect(&machine, features, riscv_feature_count(), &cpu);
  return kgenrt_select(&machine, features, &cpu, variants, 3, wanted, &index) == kgenrt_chosen
             ? variants[index].name
             : "none";
}

uint64_t riscv_detect(struct riscv_system *system) {
  struct kgenrt_machine machine = {hwcap_of, probe, vector_bytes, system};
  struct kgenrt_cpu cpu;
  kgenrt_detect(&machine, features, riscv_feature_count(), &cpu);
  return cpu.present;
}
