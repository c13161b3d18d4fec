// How fast this machine moves bytes.
#pragma once

#include "measure/ThreadPool.h"

#include <array>
#include <optional>
#include <string>

namespace kgen {

enum class MemoryLevel { firstCache, secondCache, lastCache, memory };
constexpr std::array memoryLevels = {MemoryLevel::firstCache, MemoryLevel::secondCache,
                                     MemoryLevel::lastCache, MemoryLevel::memory};

/// What moves: all bytes are read, or a triad a[i] = b[i] + s * c[i] of floats, whose three arrays
/// count once each.
enum class BandwidthKind { reads, triad };

/// "second-level cache, reads" and so on.
std::string bandwidthName(MemoryLevel level, BandwidthKind kind);

/// Gigabytes a second, each thread on arrays of its own, which fit into half of the level and have
/// been touched before, or were flushed from all caches. Nothing where the threads' shares of the
/// last-level cache are not larger than their second-level caches.
std::optional<double> bandwidth(MemoryLevel level, BandwidthKind kind, const ThreadPool &pool);

} // namespace kgen
