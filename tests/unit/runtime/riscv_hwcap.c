/* The table of RISC-V's features next to the letters of Linux's own header. A cross compiler
 * compiles this, and nothing runs. */
#include <asm/hwcap.h>

enum {
#define KGEN_CPU_FEATURE(name, identifier, baseline, hwcap, probe, bytes)                          \
  bit_of_##identifier = hwcap,
#include "backend/riscv/runtime/cpu_features.def"
};

#define SAME(identifier, mask)                                                                     \
  _Static_assert(1ul << bit_of_##identifier == (mask), #identifier " is at " #mask)

SAME(m, COMPAT_HWCAP_ISA_M);
SAME(a, COMPAT_HWCAP_ISA_A);
SAME(f, COMPAT_HWCAP_ISA_F);
SAME(d, COMPAT_HWCAP_ISA_D);
SAME(c, COMPAT_HWCAP_ISA_C);
SAME(v, 1ul << ('V' - 'A'));
SAME(zvl256b, 1ul << ('V' - 'A'));
SAME(zvl512b, 1ul << ('V' - 'A'));
