// What a view of memory, or a part of a tensor, is a part of.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Operation.h>

namespace kgen {

/// Whether `op` shows (a part of) its first operand, a buffer or tensor, in another shape.
bool isViewLike(mlir::Operation *op);

/// Bytes of the tensor that a view shows a part of; 0 if that is not known.
int64_t bytesOfSource(mlir::Value memory);

/// What a view shows a part of.
mlir::Value viewSource(mlir::Value memory);

/// What a tensor is a part of, and so on out of and through the loops that carry it.
mlir::Value viewSourceThroughLoops(mlir::Value tensor);

/// Whether so many bytes are more than any cache of the target's will have kept when they are
/// needed again.
bool exceedsLastLevelCache(int64_t bytes, TargetAttr target);

} // namespace kgen
