#include "measure/Caches.h"

#include <emmintrin.h>
#include <unistd.h>

namespace kgen {

constexpr size_t lineBytes = 64; // of every x86-64 CPU

void flushFromCaches(const void *bytes, size_t count) {
  auto begin = reinterpret_cast<uintptr_t>(bytes);
  for (uintptr_t line = begin / lineBytes * lineBytes; line < begin + count; line += lineBytes)
    _mm_clflush(reinterpret_cast<const void *>(line));
  _mm_mfence();
}

int64_t secondLevelCacheBytes() {
  long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : 256 << 10;
}

} // namespace kgen
