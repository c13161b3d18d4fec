// The tasks of kgen-decompose-attention: equal parts of the batch and of the queries.
#pragma once

#include "transforms/attention/AttentionPlan.h"

namespace kgen {

class AttentionTasks {
public:
  AttentionTasks(mlir::OpBuilder &b, AttentionOp op, const AttentionPlan &plan)
      : b(b), op(op), loc(op.getLoc()), plan(plan) {}

  /// Makes the sizes of the iteration space, before the operation.
  void makeSizes();
  /// Replaces the operation by an scf.forall over tasks: `body` gets a task's part of the result,
  /// and returns it written.
  void run(llvm::function_ref<mlir::Value(mlir::Value)> body);
  /// The size of a batch dimension or of m in the current task.
  mlir::OpFoldResult sizeInTask(unsigned dimension);

  llvm::SmallVector<mlir::OpFoldResult> values; ///< the sizes of the iteration space
  /// First index of the task along each batch dimension and along m.
  llvm::SmallVector<mlir::Value> start;

private:
  mlir::OpBuilder &b;
  AttentionOp op;
  mlir::Location loc;
  const AttentionPlan &plan;
};

} // namespace kgen
