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
  uint8_t word, bit;  /* Linux: of the auxiliary vector's AT_HWCAP (0) and AT_HWCAP2 (1) */
  const char *sysctl; /* macOS */
};

enum { kgenrt_max_features = 64 };

/* How to ask the system; tests pass made-up ones. A system answers by words or by names. */
struct kgenrt_machine {
  uint64_t (*word)(void *user, int index);
  int (*number)(void *user, const char *name); /* 1 if the system says so of this name */
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
