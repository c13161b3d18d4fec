// Liveness of tensors, for passes that overwrite their memory.
#pragma once

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/IR/Value.h>

namespace kgen {

/// True if `value` is computed in `user`'s block, in memory of its own, and nothing but `user`
/// reads any of it, also not through a reshape. False for constants, arguments, slices and tensors
/// in the caller's memory.
bool isLastUse(mlir::Value value, mlir::Operation *user);

/// True if all users of `value`, of its reshapes and of its slices come before `op`, except
/// `others`.
bool isLastReader(mlir::Value value, mlir::Operation *op, llvm::ArrayRef<mlir::Operation *> others);

/// True if `value` starts from a tensor.empty, which the caller's memory can replace.
bool startsFromEmpty(mlir::Value value);

/// True if `value` may be computed in the memory of `start`: the destinations, loops, views and
/// branches that it comes from lead there.
bool mayStartFrom(mlir::Value value, mlir::Value start);

/// Takes the source of each bufferization.materialize_in_destination of tensors in `op` that may be
/// computed in its destination already, which the analysis of bufferization takes for a conflict.
void dropDestinationsOfStates(mlir::Operation *op);

/// True for the old value of a state of a function (kgen.state), in its memory.
bool isStateOfFunction(mlir::bufferization::ToTensorOp tensor);

/// Lets no state of a function (kgen.state) get a value that may lie in the memory of another one
/// once all values are computed, when that one has its next value already.
void separateStates(mlir::Operation *op);

} // namespace kgen
