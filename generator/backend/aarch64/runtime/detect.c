/* CPU detection: which rows of a feature table the system reports. */
#include "runtime.h"

static void kgenrt_detect(const struct kgenrt_machine *machine,
                          const struct kgenrt_feature *features, size_t count,
                          struct kgenrt_cpu *cpu) {
  cpu->present = 0;
  for (size_t i = 0; i < count && i < kgenrt_max_features; ++i) {
    const struct kgenrt_feature *f = &features[i];
    int has = 0;
    if (machine->word != NULL && f->word < 2 && f->bit < 64)
      has = (int)((machine->word(machine->user, f->word) >> f->bit) & 1);
    else if (machine->number != NULL && f->sysctl != NULL)
      has = machine->number(machine->user, f->sysctl);
    if (has)
      cpu->present |= (uint64_t)1 << i;
  }
}
