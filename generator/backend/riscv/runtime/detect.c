/* CPU detection: which rows of a feature table the system reports. */
#include "runtime.h"

static void kgenrt_detect(const struct kgenrt_machine *machine,
                          const struct kgenrt_feature *features, size_t count,
                          struct kgenrt_cpu *cpu) {
  uint64_t hwcap = machine->hwcap(machine->user), extensions = 0;
  int probed = machine->probe(machine->user, &extensions);
  cpu->present = 0;
  for (size_t i = 0; i < count && i < kgenrt_max_features; ++i) {
    const struct kgenrt_feature *f = &features[i];
    int has = f->hwcap != kgenrt_no_bit || (probed && f->probe != kgenrt_no_bit);
    if (f->hwcap != kgenrt_no_bit)
      has = (int)((hwcap >> (f->hwcap & 63)) & 1);
    if (probed && f->probe != kgenrt_no_bit)
      has = has && ((extensions >> (f->probe & 63)) & 1);
    /* Code for registers of one length computes wrong results, silently, in shorter ones. */
    if (has && f->vector_bytes != 0) {
      uint64_t bytes = machine->vector_bytes(machine->user);
      has = bytes >= f->vector_bytes && bytes <= kgenrt_longest;
    }
    if (has)
      cpu->present |= (uint64_t)1 << i;
  }
}
