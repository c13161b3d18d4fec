#include "transforms/tiling/LoopTiler.h"

#include "transforms/tiling/TileableOps.h"

#include <numeric>

using namespace mlir;

namespace kgen {

LoopTiler::LoopTiler(Operation *op, int64_t wantedTasks, bool isEven, bool keepsRejected)
    : sizes(loopSizes(op)), tiles(sizes), wantedTasks(wantedTasks), onlyEven(isEven),
      keepsRejected(keepsRejected), cpu(cpuOf(op)) {}

int64_t LoopTiler::enough() const { return std::min(wantedTasks, sufficientTasksOf(cpu)); }

SmallVector<int64_t> LoopTiler::result() const {
  SmallVector<int64_t> result;
  for (auto [size, tile] : llvm::zip(sizes, tiles))
    result.push_back(tile < size ? tile : 0);
  return result;
}

void LoopTiler::tile(int64_t loop, int64_t unit, int64_t minTile, int64_t grain) {
  if (hasEnoughTasks() || tiles[loop] != sizes[loop])
    return;
  TaskTile wanted{sizes[loop], llvm::divideCeilSigned(wantedTasks, taskCount), unit, minTile,
                  grain};
  std::vector<RejectedTile> rejected, *kept = keepsRejected ? &rejected : nullptr;
  tiles[loop] = evenTile(cpu, wanted, kept);
  if (!onlyEven && taskCount * tilesOf(loop) < enough()) {
    wanted.unit = std::lcm(unit, grain);
    if (int64_t uneven = unevenTile(cpu, wanted, kept))
      tiles[loop] = std::min(tiles[loop], uneven);
  }
  for (RejectedTile &tile : rejected)
    if (tile.size != tiles[loop])
      rejectedTiles.push_back({loop, std::move(tile)});
  taskCount *= tilesOf(loop);
}

} // namespace kgen
