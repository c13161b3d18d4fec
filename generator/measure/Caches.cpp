#include "measure/Caches.h"

#include <unistd.h>

namespace kgen {

static int64_t sizeOf(int name, int64_t otherwise) {
  long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

int64_t firstLevelCacheBytes() { return sizeOf(_SC_LEVEL1_DCACHE_SIZE, 32 << 10); }
int64_t secondLevelCacheBytes() { return sizeOf(_SC_LEVEL2_CACHE_SIZE, 256 << 10); }
int64_t lastLevelCacheBytes() { return sizeOf(_SC_LEVEL3_CACHE_SIZE, 0); }

} // namespace kgen
