// Memory that no cache holds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kgen {

/// Writes the lines of the bytes back to memory and removes them from all caches of all cores. That
/// needs no guess about the size of a cache that other programs or virtual machines share.
void flushFromCaches(const void *bytes, size_t count);

/// Bytes of this core's second-level cache, or 256 KiB where the system does not say.
int64_t secondLevelCacheBytes();

} // namespace kgen
