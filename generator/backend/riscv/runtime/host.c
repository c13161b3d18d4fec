/* The system that the library runs on: Linux's auxiliary vector, its call riscv_hwprobe, and the
 * length of vector registers. */
#include "runtime.h"

#if !defined(__riscv) || __riscv_xlen != 64 || !defined(__riscv_float_abi_double)
#error "the objects of this library are for 64-bit RISC-V, with numbers in floating-point registers"
#endif

#if !defined(__linux__)
#error "the features of this system's CPUs are not known: Linux is"
#endif
#include <sys/auxv.h>

static uint64_t kgenrt_host_hwcap(void *user) {
  (void)user;
  return getauxval(16); /* AT_HWCAP */
}

static int kgenrt_host_probe(void *user, uint64_t *extensions) {
  struct {
    int64_t key;
    uint64_t value;
  } pair = {4, 0}; /* RISCV_HWPROBE_KEY_IMA_EXT_0 */
  /* Of all CPUs: riscv_hwprobe(&pair, 1, 0, NULL, 0). */
  register long number __asm__("a7") = 258;
  register long pairs __asm__("a0") = (long)&pair;
  register long count __asm__("a1") = 1;
  register long cpus __asm__("a2") = 0;
  register long set __asm__("a3") = 0;
  register long flags __asm__("a4") = 0;
  (void)user;
  __asm__ volatile("ecall"
                   : "+r"(pairs)
                   : "r"(number), "r"(count), "r"(cpus), "r"(set), "r"(flags)
                   : "memory");
  *extensions = pair.value;
  return pairs == 0 && pair.key == 4;
}

static uint64_t kgenrt_host_vector_bytes(void *user) {
  uint64_t bytes;
  (void)user;
  __asm__ volatile("csrr %0, 0xc22"
                   : "=r"(bytes)); /* vlenb, also where assemblers know no vectors */
  return bytes;
}

static const struct kgenrt_machine kgenrt_host = {kgenrt_host_hwcap, kgenrt_host_probe,
                                                  kgenrt_host_vector_bytes, NULL};
