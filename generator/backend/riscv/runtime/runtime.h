/* What the runtime's parts share: CPU detection (detect.c), the system it really runs on (host.c),
 * the choice of a variant (select.c). These files are C11 without dependencies but the system's own
 * headers; the generator copies their text into the dispatcher of every generated library, so all
 * names are static and begin with kgenrt_. */
#ifndef KGENRT_RUNTIME_H
#define KGENRT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* Where a CPU feature is reported: a row of cpu_features.def. */
struct kgenrt_feature {
  const char *name;
  uint8_t hwcap, probe;  /* bits; kgenrt_no_bit: not reported there */
  uint16_t vector_bytes; /* of a vector register at least; 0: any */
};

enum {
  kgenrt_max_features = 64,
  kgenrt_no_bit = 255,
  /* The size of a stack that a library states is for registers of up to 1024 bits, which it may
   * have to keep there. */
  kgenrt_longest = 128
};

/* How to ask the system; tests pass made-up ones. */
struct kgenrt_machine {
  uint64_t (*hwcap)(void *user);
  int (*probe)(void *user, uint64_t *extensions); /* 0: the system has no such call */
  uint64_t (*vector_bytes)(void *user);           /* asked of CPUs with vectors only */
  void *user;
};

struct kgenrt_cpu {
  uint64_t present; /* one bit for each row of the feature table it was detected with */
};

/* A variant as selection sees it. Lists of variants are ordered by rank, the best first. */
struct kgenrt_variant {
  const char *name;
  const uint8_t *required; /* rows of the feature table */
  size_t required_count;
};

#endif
