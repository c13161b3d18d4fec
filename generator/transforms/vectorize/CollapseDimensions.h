// Fewer and longer loops for operations on tensors.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Dimensions that every operand walks through together, without gaps in memory, become one. The
/// operation is replaced by the one that is returned; it is `op` itself if there is nothing to do.
mlir::linalg::GenericOp collapseDimensions(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op);

/// Whether loops `d - 1` and `d` of an operation walk through each of its operands as one, without
/// a copy.
bool followWithoutGaps(mlir::linalg::GenericOp op, int64_t d);

} // namespace kgen
