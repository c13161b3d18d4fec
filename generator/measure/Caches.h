// Caches of the machine that kgen runs on.
#pragma once

#include <cstdint>

namespace kgen {

/// Bytes of this core's second-level cache, or 256 KiB where the system does not say.
int64_t secondLevelCacheBytes();

} // namespace kgen
