// How fast this machine moves bytes.
#pragma once

#include "measure/ThreadPool.h"

namespace kgen {

enum class MemoryLevel { secondCache, memory };

/// Gigabytes a second of one triad a[i] = b[i] + s * c[i] of floats, each thread on arrays of its
/// own; the three arrays count once each. They fit into half of the second-level cache and have
/// been touched before, or were flushed from all caches.
double triadRate(MemoryLevel level, const ThreadPool &pool);

} // namespace kgen
