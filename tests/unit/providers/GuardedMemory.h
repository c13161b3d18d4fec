// Memory between pages that nobody may touch.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <stdexcept>

namespace kgen::test {

/// `bytes` that end where a forbidden page begins, or begin where one ends.
class GuardedMemory {
public:
  GuardedMemory(size_t bytes, bool atEnd) {
    size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_t inner = (bytes + page - 1) / page * page;
    size = inner + 2 * page;
    void *mapped = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
      throw std::runtime_error("no memory");
    base = static_cast<char *>(mapped);
    if (inner > 0 && mprotect(base + page, inner, PROT_READ | PROT_WRITE) != 0)
      throw std::runtime_error("memory stays protected");
    start = base + page + (atEnd ? inner - bytes : 0);
  }
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;
  ~GuardedMemory() { munmap(base, size); }

  void *data() const { return start; }

private:
  char *base, *start;
  size_t size;
};

} // namespace kgen::test
