// The tasks of a grid that execute an operation, and how often they do.
#pragma once

#include <mlir/Interfaces/LoopLikeInterface.h>

namespace kgen {

/// The tasks of a grid with indices from `first` up to, not including, `end`.
struct TaskRange {
  int64_t first, end;
};

/// The tasks of `loop`, which has `tasks` of them, that execute `op`: if kgen-fuse-parallel-loops
/// fused several grids into one, the task's index selects the body. All tasks if `op` is not in
/// `loop`.
TaskRange taskRangeOf(mlir::Operation *op, mlir::LoopLikeOpInterface loop, int64_t tasks);

/// Returns how often `op` executes in one call of its function; loops with unknown bounds count as
/// one iteration.
int64_t executionCount(mlir::Operation *op);

} // namespace kgen
