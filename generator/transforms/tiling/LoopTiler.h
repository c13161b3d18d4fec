// Chooses task tile sizes loop by loop: candidates, and the makespan that tells the better one.
#pragma once

#include "costmodel/TaskTiles.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Operation.h>

#include <llvm/Support/MathExtras.h>

namespace kgen {

/// Tiles the loops of an operation one after another until there are enough tasks.
class LoopTiler {
public:
  /// `isEven`: only tile sizes that divide the loop. `keepsRejected`: for `rejected`.
  LoopTiler(mlir::Operation *op, int64_t wantedTasks, bool isEven, bool keepsRejected = false);

  /// Tiles `loop` by a multiple of `unit`; only the last tile may be smaller than `minTile`. A task
  /// works on `grain` iterations at a time: tile sizes that would leave much of the last `grain`
  /// idle are no candidates. Does nothing if there are enough tasks, or if the loop is tiled.
  void tile(int64_t loop, int64_t unit, int64_t minTile, int64_t grain = 1);

  /// True if tiles of `size` iterations of `loop` give enough tasks.
  bool givesEnoughTasks(int64_t loop, int64_t size) const {
    return taskCount * (sizes[loop] / size) >= enough();
  }

  bool hasEnoughTasks() const { return wantedTasks < 2 || taskCount >= enough(); }
  bool isEven() const { return onlyEven; }
  int64_t tasks() const { return taskCount; }

  /// Candidates that other ones were preferred to, by loop.
  llvm::ArrayRef<std::pair<int64_t, RejectedTile>> rejected() const { return rejectedTiles; }

  /// Tile sizes; 0 where a loop stays whole.
  llvm::SmallVector<int64_t> result() const;

private:
  int64_t enough() const;
  int64_t tilesOf(int64_t loop) const {
    return tiles[loop] ? llvm::divideCeil(sizes[loop], tiles[loop]) : 1;
  }

  llvm::SmallVector<int64_t> sizes, tiles;
  int64_t wantedTasks, taskCount = 1;
  bool onlyEven, keepsRejected;
  llvm::SmallVector<std::pair<int64_t, RejectedTile>> rejectedTiles;
  const Cpu &cpu;
};

} // namespace kgen
