#include "measure/Processors.h"

#include <sched.h>

#include <algorithm>

namespace kgen {

unsigned cpuCount() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return 1;
  return std::max(1, CPU_COUNT(&set));
}

} // namespace kgen
