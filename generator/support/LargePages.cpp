#include "support/LargePages.h"

#include <cstdint>
#include <sys/mman.h>

namespace kgen {

constexpr uintptr_t pageBytes = uintptr_t(2) << 20; // of x86-64's second size

size_t largePageAlignment(size_t bytes) { return bytes >= pageBytes ? pageBytes : 64; }

void useLargePages(void *memory, size_t bytes) {
  auto begin = (reinterpret_cast<uintptr_t>(memory) + pageBytes - 1) & ~(pageBytes - 1);
  auto end = (reinterpret_cast<uintptr_t>(memory) + bytes) & ~(pageBytes - 1);
  if (end > begin)
    (void)madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

} // namespace kgen
