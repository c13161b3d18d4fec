// The number of blocks of threads that a core of a graphics card runs at a time.
#pragma once

#include "target/Gpu.h"

namespace kgen {

/// The part of a core that a block takes.
struct GpuBlock {
  int64_t threads = 1, sharedBytes = 0;
  int64_t registers = 0; ///< of a thread, of 32 bits; 0: not known, and not counted
};

struct GpuOccupancy {
  int64_t blocks = 0; ///< of a core, at a time; 0: a core has no room for one
  const char *limit;  ///< what there is too little of for one more: "threads", "registers", ...
  double share = 0;   ///< of a core's threads that are there
};

/// Threads are counted in whole subgroups. Where several limits allow for the same number the first
/// of threads, blocks, shared memory and registers is named.
GpuOccupancy gpuOccupancy(const GpuFacts &gpu, const GpuBlock &block);

} // namespace kgen
