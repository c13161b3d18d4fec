// Caches of the machine that kgen runs on.
#pragma once

#include <cstdint>

namespace kgen {

/// Bytes of this core's data caches, as the system says, or what x86-64 CPUs have at least: 32 KiB
/// of the first level, 256 KiB of the second.
int64_t firstLevelCacheBytes();
int64_t secondLevelCacheBytes();

/// Bytes of the last-level cache that cores share, or 0 where the system does not say or there is
/// none beyond the second level.
int64_t lastLevelCacheBytes();

} // namespace kgen
