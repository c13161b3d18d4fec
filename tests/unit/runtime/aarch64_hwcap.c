/* The table of AArch64's features next to the bits of Linux's own header. A cross compiler compiles
 * this, and nothing runs. */
#include <asm/hwcap.h>

enum {
#define KGEN_CPU_FEATURE(name, identifier, baseline, word, bit, sysctl)                            \
  word_of_##identifier = word, bit_of_##identifier = bit,
#include "backend/aarch64/runtime/cpu_features.def"
  /* Each feature is compared below. */
  count = 0
#define KGEN_CPU_FEATURE(name, identifier, baseline, word, bit, sysctl) +1
#include "backend/aarch64/runtime/cpu_features.def"
};

#define SAME(identifier, word, mask)                                                               \
  _Static_assert(word_of_##identifier == (word) && 1ul << bit_of_##identifier == (mask),           \
                 #identifier " is at " #mask)

SAME(fp_armv8, 0, HWCAP_FP);
SAME(neon, 0, HWCAP_ASIMD);
SAME(lse, 0, HWCAP_ATOMICS);
SAME(fullfp16, 0, HWCAP_ASIMDHP);
SAME(rdm, 0, HWCAP_ASIMDRDM);
SAME(dotprod, 0, HWCAP_ASIMDDP);
SAME(fp16fml, 0, HWCAP_ASIMDFHM);
SAME(i8mm, 1, HWCAP2_I8MM);
SAME(bf16, 1, HWCAP2_BF16);
_Static_assert(count == 9, "a feature of the table is not compared");
