#include "measure/HostCpu.h"

#include <cpuid.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace kgen {

std::string cpuName() {
  char name[49] = "";
  for (unsigned part = 0; part < 3; ++part) {
    unsigned r[4];
    if (!__get_cpuid(0x80000002 + part, &r[0], &r[1], &r[2], &r[3]))
      return "unknown";
    std::memcpy(name + 16 * part, r, sizeof r);
  }
  std::string text = name;
  size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "unknown" : text.substr(first, last - first + 1);
}

unsigned cpuCount() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  return std::max(1, CPU_COUNT(&set));
}

bool requestTileRegisters() {
  constexpr long requestPermission = 0x1023,
                 tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

} // namespace kgen
