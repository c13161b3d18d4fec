/* CPU detection: which rows of a feature table this machine has. A feature counts as present only
 * if cpuid has the leaf, the bit is set and the operating system saves the registers it needs. */
#include "runtime.h"

/* The highest leaf that may be asked for in the range (basic or extended) of `leaf`. */
static uint32_t kgenrt_max_leaf(const struct kgenrt_machine *machine, uint32_t leaf) {
  uint32_t base = leaf & 0x80000000u, r[4];
  machine->cpuid(machine->user, base, 0, r);
  /* CPUs without extended leaves answer with anything at all. */
  return r[0] >= base && r[0] - base < 0x10000u ? r[0] : base;
}

/* cpuid, with zeros for leaves and subleaves that the machine does not have. */
static void kgenrt_cpuid(const struct kgenrt_machine *machine, uint32_t leaf, uint32_t subleaf,
                         uint32_t r[4]) {
  r[0] = r[1] = r[2] = r[3] = 0;
  if (leaf > kgenrt_max_leaf(machine, leaf))
    return;
  machine->cpuid(machine->user, leaf, 0, r);
  if (subleaf == 0)
    return;
  if (leaf == 7 && subleaf > r[0])
    r[0] = r[1] = r[2] = r[3] = 0;
  else
    machine->cpuid(machine->user, leaf, subleaf, r);
}

/* XCR0, or 0 if the operating system has not enabled xgetbv (executing it would fault). */
static uint64_t kgenrt_os_state(const struct kgenrt_machine *machine) {
  uint32_t r[4];
  kgenrt_cpuid(machine, 1, 0, r);
  return (r[2] >> 27) & 1 ? machine->xgetbv(machine->user) : 0;
}

static void kgenrt_identify(const struct kgenrt_machine *machine, struct kgenrt_cpu *cpu) {
  static const uint8_t order[3] = {1, 3, 2}; /* the vendor's name is in ebx, edx, ecx */
  uint32_t r[4];
  machine->cpuid(machine->user, 0, 0, r);
  for (uint32_t i = 0; i < 12; ++i)
    cpu->vendor[i] = (char)((r[order[i / 4]] >> (8 * (i % 4))) & 0x7f);
  cpu->vendor[12] = 0;
  kgenrt_cpuid(machine, 1, 0, r);
#if KGENRT_MODELS
  cpu->model = (r[0] >> 4) & 0xf;
  if (((r[0] >> 8) & 0xf) == 0xf || ((r[0] >> 8) & 0xf) == 6)
    cpu->model += (r[0] >> 12) & 0xf0;
#endif
  cpu->family = (r[0] >> 8) & 0xf;
  if (cpu->family == 0xf)
    cpu->family += (r[0] >> 20) & 0xff;
}

static void kgenrt_detect(const struct kgenrt_machine *machine,
                          const struct kgenrt_feature *features, size_t count,
                          struct kgenrt_cpu *cpu) {
  uint64_t os = kgenrt_os_state(machine);
  uint32_t r[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < kgenrt_max_features / 64; ++i)
    cpu->present[i] = 0;
  kgenrt_identify(machine, cpu);
  for (size_t i = 0; i < count && i < kgenrt_max_features; ++i) {
    const struct kgenrt_feature *f = &features[i];
    if (i == 0 || f->leaf != f[-1].leaf || f->subleaf != f[-1].subleaf)
      kgenrt_cpuid(machine, f->leaf, f->subleaf, r);
    if (((r[f->reg] >> f->bit) & 1) && (os & f->os_state) == f->os_state)
      cpu->present[i / 64] |= (uint64_t)1 << (i % 64);
  }
}
