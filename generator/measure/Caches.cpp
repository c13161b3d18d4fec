#include "measure/Caches.h"

#include <unistd.h>

namespace kgen {

int64_t secondLevelCacheBytes() {
  long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : 256 << 10;
}

} // namespace kgen
