// Collapses loops of operations on tensors to fewer and longer ones.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Collapses dimensions that are contiguous in every operand; of those whose size is dynamic, at
/// most one is in a group, and none whose inner dimensions are vectors of `lanes` elements without
/// a remainder. Returns the operation that replaces `op`; `op` itself if there is nothing to do.
mlir::linalg::GenericOp collapseDimensions(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op,
                                           int64_t lanes);

/// True if loops `d - 1` and `d` are contiguous in each operand, so that collapsing them needs no
/// copy.
bool followWithoutGaps(mlir::linalg::GenericOp op, int64_t d);

} // namespace kgen
