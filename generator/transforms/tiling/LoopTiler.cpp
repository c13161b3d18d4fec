#include "transforms/tiling/LoopTiler.h"

#include "transforms/tiling/TileableOps.h"

#include <numeric>

using namespace mlir;

namespace kgen {

/// From this number of tasks on, no further loop is tiled: each tiled loop makes slices smaller.
static constexpr int64_t enoughTasks = 8;

LoopTiler::LoopTiler(Operation *op, int64_t wantedTasks, bool isEven)
    : sizes(loopSizes(op)), tiles(sizes), wantedTasks(wantedTasks), onlyEven(isEven) {}

int64_t LoopTiler::enough() const { return std::min(wantedTasks, enoughTasks); }

SmallVector<int64_t> LoopTiler::result() const {
  SmallVector<int64_t> result;
  for (auto [size, tile] : llvm::zip(sizes, tiles))
    result.push_back(tile < size ? tile : 0);
  return result;
}

void LoopTiler::tile(int64_t loop, int64_t unit, int64_t minTile, int64_t grain) {
  if (hasEnoughTasks() || tiles[loop] != sizes[loop])
    return;
  int64_t minCount = llvm::divideCeil(wantedTasks, taskCount);
  chooseEvenTile(loop, minCount, unit, minTile, grain);
  if (!onlyEven && taskCount * tilesOf(loop) < enough())
    chooseUnevenTile(loop, minCount, std::lcm(unit, grain), minTile);
  taskCount *= tilesOf(loop);
}

/// Chooses the largest tile that divides the loop into at least `minCount` tiles; the smallest
/// candidate if none is small enough.
void LoopTiler::chooseEvenTile(int64_t loop, int64_t minCount, int64_t unit, int64_t minTile,
                               int64_t grain) {
  int64_t size = sizes[loop];
  for (int64_t count = 2; count <= std::min(size, maxTasksOfOperation); ++count) {
    int64_t tile = size / count;
    // At most a sixteenth of the work may be padding to `grain`.
    bool isWasteful = static_cast<int64_t>(llvm::alignTo(tile, grain)) > tile + tile / 16;
    if (size % count != 0 || tile % unit != 0 || tile < minTile || isWasteful)
      continue;
    tiles[loop] = tile;
    if (count >= minCount)
      break;
  }
}

/// Returns the time, in iterations, until `threads` threads have done `whole` equal tiles of `tile`
/// iterations and a last one of `last`. Each thread takes the next tile when it has done one.
static int64_t makespan(int64_t threads, int64_t whole, int64_t tile, int64_t last) {
  int64_t rounds = whole / threads * tile;
  return whole % threads == 0 ? rounds + last : rounds + tile;
}

/// Chooses the tile that two and four threads together are done with soonest.
void LoopTiler::chooseUnevenTile(int64_t loop, int64_t minCount, int64_t unit, int64_t minTile) {
  int64_t size = sizes[loop], step = std::max<int64_t>(unit, 1), best = 0, bestTime = 0;
  int64_t first =
      llvm::alignTo(std::max(minTile, size / std::min(maxTasksOfOperation, 2 * minCount)), step);
  for (int64_t tile = first; tile > 0 && tile < size && tile <= (size + 1) / 2 + step;
       tile += step) {
    int64_t whole = size / tile, rest = size % tile;
    // However few iterations a remainder has, it costs as many as a quarter of the smallest tile.
    int64_t last = rest ? std::max(rest, minTile / 4) : 0;
    // Threads do not end at the same time: a quarter of a tile. The start of a task costs as much
    // as 1/1024 of the loop.
    int64_t time = makespan(2, whole, tile, last) + makespan(4, whole, tile, last) + tile / 4 +
                   whole * (size / 1024);
    if (best == 0 || time < bestTime) {
      best = tile;
      bestTime = time;
    }
  }
  if (best > 0)
    tiles[loop] = std::min(tiles[loop], best);
}

} // namespace kgen
