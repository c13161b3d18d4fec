#include "measure/Bandwidth.h"

#include "backend/HostCpu.h"
#include "measure/Caches.h"

#include <vector>

namespace kgen {
namespace {

constexpr size_t memoryFloats = 2 << 20; ///< of each array: flushing more only takes longer

/// The three arrays of a thread.
struct Arrays {
  std::vector<float> a, b, c;
  explicit Arrays(size_t count) : a(count, 0.0f), b(count, 1.0f), c(count, 2.0f) {}

  void run(int times) {
    for (int time = 0; time < times; ++time)
      hostCpu().triad(a.data(), b.data(), c.data(), static_cast<float>(time), a.size());
  }
  void flush() const {
    for (const std::vector<float> *array : {&a, &b, &c})
      hostCpu().flushFromCaches(array->data(), array->size() * sizeof(float));
  }
};

} // namespace

double triadRate(MemoryLevel level, const ThreadPool &pool) {
  bool inCache = level == MemoryLevel::secondCache;
  size_t floats = inCache ? static_cast<size_t>(secondLevelCacheBytes()) / 2 / 3 / sizeof(float)
                          : memoryFloats / pool.threads();
  int times = inCache ? 16 : 1;
  std::vector<Arrays> arrays(pool.threads(), Arrays(floats));
  auto run = [&](uint32_t i) { arrays[i].run(times); };
  pool.run(pool.threads(), run); // pages and threads are there
  if (!inCache)
    for (const Arrays &each : arrays)
      each.flush();
  return 3.0 * sizeof(float) * static_cast<double>(floats) * times * pool.rate(run) * 1e-9;
}

} // namespace kgen
