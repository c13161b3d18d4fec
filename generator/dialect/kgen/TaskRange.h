// Which tasks of a grid do an operation, and how often it runs.
#pragma once

#include <mlir/Interfaces/LoopLikeInterface.h>

namespace kgen {

/// Some of a grid's tasks.
struct TaskRange {
  int64_t first, end;
};

/// The tasks of `loop`, which has `tasks` of them, that do `op`: where several grids were joined
/// into one, the index of a task decides which body it runs. All of them if `op` is not in `loop`,
/// as one that is about to be replaced by what is.
TaskRange tasksOf(mlir::Operation *op, mlir::LoopLikeOpInterface loop, int64_t tasks);

/// How often `op` runs when its function runs once; loops whose bounds are not known count as one
/// iteration.
int64_t runsOf(mlir::Operation *op);

} // namespace kgen
