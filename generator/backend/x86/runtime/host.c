/* The machine that the library runs on: the cpuid and xgetbv instructions, and Linux's permission
 * for AMX. */
#include "runtime.h"

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
  return (uint64_t)high << 32 | low;
}

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
