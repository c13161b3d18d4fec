#include "measure/Bandwidth.h"

#include "measure/Caches.h"
#include "target/HostCpu.h"

#include <algorithm>
#include <vector>

namespace kgen {
namespace {

constexpr int64_t memoryBytes = 24 << 20; ///< of all threads: flushing more only takes longer
constexpr int64_t bytesOfRun = 2 << 20;   ///< a clock's reading is short beside it
constexpr int64_t lineFloats = 16;        ///< of 64 bytes

/// Begins with a line of the cache: loads across two lines take twice as long.
class AlignedFloats {
public:
  AlignedFloats(size_t count, float value) : storage(count + lineFloats, value), count(count) {}

  float *data() {
    size_t past = reinterpret_cast<uintptr_t>(storage.data()) / sizeof(float) % lineFloats;
    return storage.data() + (lineFloats - past) % lineFloats;
  }
  size_t size() const { return count; }

private:
  std::vector<float> storage;
  size_t count;
};

/// The three arrays of a thread. Reads go through one after the other.
struct Arrays {
  AlignedFloats a, b, c;
  uint64_t read = 0; ///< depends on all that was read, so that it is

  explicit Arrays(size_t count) : a(count, 0.0f), b(count, 1.0f), c(count, 2.0f) {}

  void run(BandwidthKind kind, int64_t times) {
    for (int64_t time = 0; time < times; ++time)
      if (kind == BandwidthKind::triad)
        hostCpu().triad(a.data(), b.data(), c.data(), static_cast<float>(time), a.size());
      else
        for (AlignedFloats *array : {&a, &b, &c})
          read ^= hostCpu().read(array->data(), array->size());
  }
  void flush() {
    for (AlignedFloats *array : {&a, &b, &c})
      hostCpu().flushFromCaches(array->data(), array->size() * sizeof(float));
  }
};

/// Bytes of a thread's three arrays; 0 if there is no such level.
int64_t bytesAt(MemoryLevel level, int64_t threads) {
  switch (level) {
  case MemoryLevel::firstCache:
    return firstLevelCacheBytes() / 2;
  case MemoryLevel::secondCache:
    return secondLevelCacheBytes() / 2;
  case MemoryLevel::lastCache: {
    // Virtual machines report the cache of all cores: four times the second level is within the
    // share of one.
    int64_t share = std::min(lastLevelCacheBytes() / 2 / threads, 4 * secondLevelCacheBytes());
    return share > 2 * secondLevelCacheBytes() ? share : 0;
  }
  case MemoryLevel::memory:
    return memoryBytes / threads;
  }
  return 0;
}

} // namespace

std::string bandwidthName(MemoryLevel level, BandwidthKind kind) {
  static const char *const names[] = {"first-level cache", "second-level cache", "last-level cache",
                                      "memory"};
  return std::string(names[static_cast<size_t>(level)]) +
         (kind == BandwidthKind::reads ? ", reads" : ", triad");
}

struct Bandwidth::State {
  const MemoryLevel level;
  const ThreadPool &pool;
  int64_t moved = 0; ///< bytes of a thread's three arrays
  std::vector<Arrays> arrays{};
};

Bandwidth::Bandwidth(MemoryLevel level, const ThreadPool &pool) : state(new State{level, pool}) {
  int64_t bytes = bytesAt(level, pool.threads()),
          floats = bytes / 3 / static_cast<int64_t>(sizeof(float)) / lineFloats * lineFloats;
  state->moved = 3 * floats * static_cast<int64_t>(sizeof(float));
  for (unsigned i = 0; floats != 0 && i < pool.threads(); ++i)
    state->arrays.emplace_back(static_cast<size_t>(floats));
}

Bandwidth::~Bandwidth() = default;

std::optional<double> Bandwidth::measure(BandwidthKind kind) {
  if (state->arrays.empty())
    return std::nullopt;
  bool isMemory = state->level == MemoryLevel::memory;
  int64_t times = isMemory ? 1 : std::max<int64_t>(1, bytesOfRun / state->moved);
  auto run = [&](uint32_t i) { state->arrays[i].run(kind, times); };
  state->pool.run(state->pool.threads(), run); // pages and threads are there
  if (isMemory)
    for (Arrays &each : state->arrays)
      each.flush();
  return static_cast<double>(state->moved * times) * state->pool.rate(run) * 1e-9;
}

} // namespace kgen
