#include "costmodel/GpuTiles.h"

#include "costmodel/Rounding.h"

#include <algorithm>
#include <limits>

namespace kgen {
namespace {

constexpr int64_t otherRegisters = 24; ///< of a thread: addresses, counters, what is on its way

int64_t registersOf(const GpuTile &tile) {
  return tile.threadM * tile.threadN + tile.threadM + tile.threadN + otherRegisters;
}

bool hasRoom(const GpuFacts &gpu, const GpuTile &tile) {
  return tile.threads() <= gpu.threadsOfBlock && tile.sharedBytes() <= gpu.sharedBytes &&
         registersOf(tile) <= gpu.registers;
}

/// Blocks that a core runs at a time.
int64_t blocksOfCore(const GpuFacts &gpu, const GpuTile &tile) {
  return std::max<int64_t>(
      1, std::min({gpu.threadsOfCore / tile.threads(), gpu.sharedBytesOfCore / tile.sharedBytes(),
                   gpu.registersOfCore / (tile.threads() * registersOf(tile))}));
}

} // namespace

double gpuProductCycles(const GpuFacts &gpu, const GpuProduct &product, const GpuTile &tile) {
  const double blocks = static_cast<double>(product.batch) *
                        static_cast<double>(divideCeil(product.m, tile.blockM)) *
                        static_cast<double>(divideCeil(product.n, tile.blockN));
  const int64_t atATime = blocksOfCore(gpu, tile);
  // Blocks of one core share its units: more of them hide waits, and add up to the same work.
  const double perCore = std::max(1.0, blocks / static_cast<double>(gpu.cores));
  const double k = static_cast<double>(divideCeil(product.k, tile.blockK) * tile.blockK);
  const double sums = static_cast<double>(tile.blockM * tile.blockN);
  const double arithmetic = k * sums / gpu.multiplyAddsPerCycle;
  const double fromShared =
      4 * k * sums *
      (1.0 / static_cast<double>(tile.threadM) + 1.0 / static_cast<double>(tile.threadN)) /
      gpu.sharedBytesPerCycle;
  const double traffic = 4 * k * static_cast<double>(tile.blockM + tile.blockN);
  const double fromMemory =
      traffic * std::min(static_cast<double>(gpu.cores), blocks) / gpu.bytesPerCycle;
  // Threads that are too few leave units idle between dependent instructions.
  const double resident =
      static_cast<double>(std::min(atATime, static_cast<int64_t>(perCore) + 1) * tile.threads());
  const double idle = std::max(1.0, 4.0 * static_cast<double>(gpu.subgroup) / resident);
  return std::max({arithmetic * idle, fromShared, fromMemory}) * perCore;
}

GpuTile chooseGpuTile(const GpuFacts &gpu, const GpuProduct &product) {
  static constexpr GpuTile candidates[] = {
      {128, 128, 16, 8, 8}, {128, 64, 16, 8, 4}, {64, 128, 16, 4, 8}, {64, 64, 16, 4, 4},
      {32, 64, 16, 4, 4},   {64, 32, 16, 4, 4},  {32, 32, 16, 2, 2},  {16, 64, 16, 2, 4},
      {64, 16, 16, 4, 2},   {16, 16, 16, 1, 1},  {8, 64, 32, 1, 4},   {4, 64, 32, 1, 2},
      {1, 64, 64, 1, 1},    {64, 4, 32, 2, 1},   {64, 1, 64, 1, 1}};
  const GpuTile *best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const GpuTile &tile : candidates) {
    if (!hasRoom(gpu, tile))
      continue;
    double cycles = gpuProductCycles(gpu, product, tile);
    if (cycles < least) {
      least = cycles;
      best = &tile;
    }
  }
  return best ? *best : GpuTile{16, 16, 16, 1, 1};
}

} // namespace kgen
