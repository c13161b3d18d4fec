/* The system that the library runs on: Linux's auxiliary vector, or macOS' sysctlbyname. */
#include "runtime.h"

#if !defined(__aarch64__)
#error "the objects of this library are for AArch64"
#endif

#if defined(__linux__)
#include <sys/auxv.h>

static uint64_t kgenrt_host_word(void *user, int index) {
  (void)user;
  return getauxval(index == 0 ? 16 : 26); /* AT_HWCAP, AT_HWCAP2 */
}

static const struct kgenrt_machine kgenrt_host = {kgenrt_host_word, NULL, NULL};
#elif defined(__APPLE__)
#include <sys/sysctl.h>

static int kgenrt_host_number(void *user, const char *name) {
  int value = 0;
  size_t size = sizeof value;
  (void)user;
  return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value == 1;
}

static const struct kgenrt_machine kgenrt_host = {NULL, kgenrt_host_number, NULL};
#else
#error "the features of this system's CPUs are not known: Linux and macOS are"
#endif
