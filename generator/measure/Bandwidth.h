// Measures how fast this machine moves bytes.
#pragma once

#include "measure/ThreadPool.h"

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace kgen {

enum class MemoryLevel { firstCache, secondCache, lastCache, memory };
constexpr std::array memoryLevels = {MemoryLevel::firstCache, MemoryLevel::secondCache,
                                     MemoryLevel::lastCache, MemoryLevel::memory};

/// Traffic that is measured: reads of all bytes, or a triad a[i] = b[i] + s * c[i] of floats, whose
/// three arrays count once each.
enum class BandwidthKind { reads, triad };

/// "second-level cache, reads" and so on.
std::string bandwidthName(MemoryLevel level, BandwidthKind kind);

/// Measures how fast the threads of a pool move the bytes of a level, each on arrays of its own,
/// which fit into half of the level and have been touched before, or are flushed from all caches.
/// To make and fill them takes longer than ten measurements: one object measures all kinds.
class Bandwidth {
public:
  Bandwidth(MemoryLevel level, const ThreadPool &pool);
  ~Bandwidth();

  /// Returns gigabytes a second; nothing where the threads' shares of the last-level cache are not
  /// larger than their second-level caches.
  std::optional<double> measure(BandwidthKind kind);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace kgen
