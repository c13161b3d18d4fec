// Task tile sizes: the tiles that the tasks of an operation compute.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Operation.h>

namespace kgen {

/// Returns tile sizes for the loops of `op`, for at most `tasks` tasks; 0 where a loop stays whole.
/// The last tile of a loop may be smaller.
llvm::SmallVector<int64_t> taskTiles(mlir::Operation *op, int64_t tasks, TargetAttr target);

} // namespace kgen
