#include "costmodel/GpuTiles.h"

#include "costmodel/GpuOccupancy.h"
#include "costmodel/Rounding.h"

#include <algorithm>

namespace kgen {
namespace {

/// Returns why a block has no room for the tile; empty: it has.
std::string refusalOf(const GpuFacts &gpu, const GpuTile &tile) {
  auto tooMany = [](int64_t count, const char *what, int64_t most) {
    return std::to_string(count) + " " + what + ", a card has " + std::to_string(most);
  };
  if (tile.threads() > gpu.threadsOfBlock)
    return tooMany(tile.threads(), "threads", gpu.threadsOfBlock);
  if (tile.sharedBytes() > gpu.sharedBytes)
    return tooMany(tile.sharedBytes(), "bytes of shared memory", gpu.sharedBytes);
  if (tile.registers() > gpu.registers)
    return tooMany(tile.registers(), "registers", gpu.registers);
  return "";
}

/// Blocks that a core runs at a time.
int64_t blocksOfCore(const GpuFacts &gpu, const GpuTile &tile) {
  const GpuOccupancy occupancy =
      gpuOccupancy(gpu, {tile.threads(), tile.sharedBytes(), tile.registers()});
  return std::max<int64_t>(1, occupancy.blocks);
}

} // namespace

const char *GpuCycles::limit() const {
  const double most = total();
  return most == arithmetic ? "arithmetic" : most == sharedMemory ? "shared memory" : "memory";
}

int64_t GpuTile::registers() const {
  constexpr int64_t others = 24; // of a thread: addresses, counters, what is on its way
  return threadM * threadN + threadM + threadN + others;
}

GpuCycles gpuProductCycles(const GpuFacts &gpu, const GpuProduct &product, const GpuTile &tile) {
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
  return {arithmetic * idle * perCore, fromShared * perCore, fromMemory * perCore};
}

std::vector<GpuTileOffer> gpuTileOffers(const GpuFacts &gpu, const GpuProduct &product) {
  static constexpr GpuTile candidates[] = {
      {128, 128, 16, 8, 8}, {128, 64, 16, 8, 4}, {64, 128, 16, 4, 8}, {64, 64, 16, 4, 4},
      {32, 64, 16, 4, 4},   {64, 32, 16, 4, 4},  {32, 32, 16, 2, 2},  {16, 64, 16, 2, 4},
      {64, 16, 16, 4, 2},   {16, 16, 16, 1, 1},  {8, 64, 32, 1, 4},   {4, 64, 32, 1, 2},
      {1, 64, 64, 1, 1},    {64, 4, 32, 2, 1},   {64, 1, 64, 1, 1}};
  std::vector<GpuTileOffer> offers;
  for (const GpuTile &tile : candidates)
    offers.push_back({tile, gpuProductCycles(gpu, product, tile), refusalOf(gpu, tile)});
  return offers;
}

GpuTile chooseGpuTile(const std::vector<GpuTileOffer> &offers) {
  const GpuTileOffer *best = nullptr;
  for (const GpuTileOffer &offer : offers)
    if (offer.refusal.empty() && (!best || offer.cycles.total() < best->cycles.total()))
      best = &offer;
  return best ? best->tile : GpuTile{16, 16, 16, 1, 1};
}

} // namespace kgen
