// Loop-invariant code motion for elementwise operations with broadcast operands.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Hoists divisions and mathematical functions whose operands are broadcast along some loops, like
/// 1 / sum of a row, into an operation over the other loops in front of `op`. Returns the operation
/// that replaces `op`; `op` itself if there is nothing to hoist.
mlir::linalg::GenericOp hoistBroadcastInvariants(mlir::RewriterBase &rewriter,
                                                 mlir::linalg::GenericOp op);

} // namespace kgen
