// The grid of a parallel loop: how many tasks there are and which one an iteration is.
#pragma once

#include "dialect/kgen/TaskRange.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

#include <optional>

namespace kgen {

/// A grid whose bounds are known.
struct TaskGrid {
  llvm::SmallVector<int64_t> lower, step, counts; ///< by dimension, from outside

  int64_t tasks() const;

  /// The induction variables of a task, in the order of the dimensions.
  llvm::SmallVector<mlir::Value> variablesOf(mlir::OpBuilder &b, mlir::Location loc,
                                             mlir::Value task) const;
  /// The task's index times `factor` plus `offset`, from the induction variables.
  mlir::Value taskOf(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange variables,
                     int64_t factor, int64_t offset) const;
};

/// Nothing if a bound is not known, or if there would be more tasks than a launch can have.
std::optional<TaskGrid> gridOf(mlir::LoopLikeOpInterface loop);

/// The loop whose iterations become the tasks that `op`, which may be that loop, belongs to: of the
/// parallel loops around it the outermost one that has a known grid of more than one task. Null if
/// there is none.
mlir::LoopLikeOpInterface taskLoopOf(mlir::Operation *op);

} // namespace kgen
