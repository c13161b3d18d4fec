// The grid of a parallel loop: the number of tasks, and the index of a task's iteration.
#pragma once

#include "dialect/kgen/TaskRange.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

#include <optional>

namespace kgen {

/// A grid with known bounds. Where the end of a dimension is known at run time, its count is the
/// greatest.
struct TaskGrid {
  llvm::SmallVector<int64_t> lower, step, counts; ///< by dimension, from outside
  llvm::SmallVector<mlir::Value> ends; ///< likewise; null where the end is known at build time

  bool isStatic() const {
    return llvm::none_of(ends, [](mlir::Value end) { return end; });
  }
  /// The number of tasks, or the greatest.
  int64_t tasks() const;
  /// Builds the number of tasks; the first dimensions outermost.
  mlir::OpFoldResult countTasks(mlir::OpBuilder &b, mlir::Location loc) const;

  /// Builds the induction variables of a task, in the order of the dimensions.
  llvm::SmallVector<mlir::Value> variablesOf(mlir::OpBuilder &b, mlir::Location loc,
                                             mlir::Value task) const;
  /// Builds the task's index times `factor` plus `offset`, from the induction variables.
  mlir::Value taskOf(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange variables,
                     int64_t factor, int64_t offset) const;

private:
  mlir::OpFoldResult countOf(mlir::OpBuilder &b, mlir::Location loc, unsigned dimension) const;
};

/// The loop's grid; nothing if a bound is not known, or there are more tasks than a launch can have
/// (maxTasks).
std::optional<TaskGrid> gridOf(mlir::LoopLikeOpInterface loop);

/// The loop whose iterations become tasks, one of which contains `op` (or `op` itself): the
/// outermost parallel loop with a known grid of more than one task; null if there is none.
mlir::LoopLikeOpInterface taskLoopOf(mlir::Operation *op);

} // namespace kgen
