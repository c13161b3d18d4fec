#include "costmodel/GpuOccupancy.h"

#include "costmodel/Rounding.h"

namespace kgen {

GpuOccupancy gpuOccupancy(const GpuFacts &gpu, const GpuBlock &block) {
  const int64_t threads = divideCeil(block.threads, gpu.subgroup) * gpu.subgroup;
  GpuOccupancy result{gpu.threadsOfCore / threads, "threads", 0};
  auto limit = [&](int64_t blocks, const char *by) {
    if (blocks < result.blocks)
      result = {blocks, by, 0};
  };
  limit(gpu.blocksOfCore, "blocks");
  if (block.sharedBytes != 0)
    limit(gpu.sharedBytesOfCore / block.sharedBytes, "shared memory");
  if (block.registers != 0)
    limit(gpu.registersOfCore / (threads * block.registers), "registers");
  result.share =
      static_cast<double>(result.blocks * threads) / static_cast<double>(gpu.threadsOfCore);
  return result;
}

} // namespace kgen
