// Task tile sizes: the tiles that the tasks of an operation compute.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Operation.h>

#include <string>

namespace kgen {

/// Tiles that others were preferred to, and why.
struct RejectedTiles {
  llvm::SmallVector<int64_t> tiles;
  std::string why;
};

/// Returns tile sizes for the loops of `op`, for at most `tasks` tasks; 0 where a loop stays whole.
/// The last tile of a loop may be smaller. `rejected`, if it is not null, gets what came next to
/// them.
llvm::SmallVector<int64_t> taskTiles(mlir::Operation *op, int64_t tasks, TargetAttr target,
                                     llvm::SmallVectorImpl<RejectedTiles> *rejected = nullptr);

} // namespace kgen
