// Who still needs a tensor's memory: asked by passes that want to write over it.
#pragma once

#include <mlir/IR/Value.h>

namespace kgen {

/// Whether `value` is computed here, in memory of its own, and nobody but `user` reads any of it,
/// now or later: not through a reshape, not from another block. Constants, arguments, slices and
/// tensors that stand for the caller's memory never die.
bool isLastUse(mlir::Value value, mlir::Operation *user);

/// Whether everything that reads `value`, perhaps under another shape or in part, stands in front
/// of `op`, but for `other`.
bool isLastReader(mlir::Value value, mlir::Operation *op, mlir::Operation *other);

/// Whether the memory of `value` is a tensor.empty of the same type, so that the memory of a result
/// that is written over it can be the caller's from the start.
bool startsFromEmpty(mlir::Value value);

} // namespace kgen
