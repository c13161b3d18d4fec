/* The machine that the library runs on: the cpuid and xgetbv instructions, and Linux's permission
 * for AMX. */
#include "runtime.h"

/* But on Linux: */
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h> /* __cpuidex, _xgetbv */

static void kgenrt_host_cpuid(void *user, uint32_t leaf, uint32_t subleaf, uint32_t r[4]) {
  int registers[4];
  (void)user;
  __cpuidex(registers, (int)leaf, (int)subleaf);
  for (int i = 0; i < 4; ++i)
    r[i] = (uint32_t)registers[i];
}

static uint64_t kgenrt_host_xgetbv(void *user) {
  (void)user;
  return _xgetbv(0);
}
#else
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif
/* Everywhere: */
#if !defined(__x86_64__)
#error "the objects of this library are for x86-64"
#endif

static void kgenrt_host_cpuid(void *user, uint32_t leaf, uint32_t subleaf, uint32_t r[4]) {
  (void)user;
  __asm__ volatile("cpuid"
                   : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3])
                   : "a"(leaf), "c"(subleaf));
}

static uint64_t kgenrt_host_xgetbv(void *user) {
  uint32_t low, high;
  (void)user;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  /* But on Linux: */
#if defined(__APPLE__)
  /* macOS sets the bits of a thread's AVX-512 state when it is used for the first time. */
  int has = 0;
  size_t size = sizeof has;
  if (sysctlbyname("hw.optional.avx512f", &has, &size, NULL, 0) == 0 && has == 1)
    low |= 0xe0;
#endif
  /* Everywhere: */
  return (uint64_t)high << 32 | low;
}
/* But on Linux: */
#endif
/* Everywhere: */

/* Linux gives a process the 8 KiB of tile registers only when asked:
 * arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA). A bare system call, because the C library's wrapper
 * would set errno. */
static int kgenrt_host_request_amx(void *user) {
  (void)user;
#if defined(__linux__)
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(158L), "D"(0x1023L), "S"(18L)
                   : "rcx", "r11", "memory");
  return result == 0;
#else
  return 0;
#endif
}

static const struct kgenrt_machine kgenrt_host = {kgenrt_host_cpuid, kgenrt_host_xgetbv,
                                                  kgenrt_host_request_amx, NULL};
