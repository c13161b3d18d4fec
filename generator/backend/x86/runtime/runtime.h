/* What the runtime's parts share: CPU detection (detect.c), the machine it really runs on (host.c),
 * the choice of a variant (select.c). These files are C11 without dependencies; the generator
 * copies their text into the dispatcher of every generated library, so all names are static and
 * begin with kgenrt_. */
#ifndef KGENRT_RUNTIME_H
#define KGENRT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* Where a CPU feature is reported: a row of cpu_features.def. */
struct kgenrt_feature {
  const char *name;
  uint32_t leaf, subleaf;
  uint8_t reg; /* 0 eax, 1 ebx, 2 ecx, 3 edx */
  uint8_t bit;
  uint32_t os_state; /* bits of XCR0 that must be set; 0: none */
};

enum { kgenrt_max_features = 128, kgenrt_amx_state = 0x60000 };

/* How to ask the machine; tests pass made-up ones. */
struct kgenrt_machine {
  void (*cpuid)(void *user, uint32_t leaf, uint32_t subleaf, uint32_t registers[4]);
  uint64_t (*xgetbv)(void *user); /* XCR0; called only if OSXSAVE is set */
  int (*request_amx)(void *user); /* 1 if the operating system lets this process use AMX tiles */
  void *user;
};

struct kgenrt_cpu {
  char vendor[13];
  uint32_t family; /* extended family included */
#if KGENRT_MODELS
  uint32_t model; /* extended model included */
#endif
  uint64_t present[kgenrt_max_features /
                   64]; /* one bit for each row of the feature table it was detected with */
};

/* A variant as selection sees it. Lists of variants are ordered by rank, the best first. */
struct kgenrt_variant {
  const char *name;
  const uint8_t *required; /* rows of the feature table */
  size_t required_count;
  const char *vendor; /* the variant keeps its rank only on this vendor's CPUs; NULL: everywhere */
  const uint32_t *families; /* and only on these families; none: all of the vendor's */
  size_t family_count;
#if KGENRT_MODELS
  const uint32_t *models; /* and only on these models; none: all of the families' */
  size_t model_count;
#endif
};

#endif
