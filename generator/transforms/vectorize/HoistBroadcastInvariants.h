// What an elementwise operation would compute again and again, computed once.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Divisions and functions in the body of `op`, on tensors, whose operands are the same along some
/// of its loops, like 1 / sum of a row's elements, become an operation in front of it, over the
/// other loops. The operation that takes the place of `op`: `op` itself if there are none.
mlir::linalg::GenericOp hoistBroadcastInvariants(mlir::RewriterBase &rewriter,
                                                 mlir::linalg::GenericOp op);

} // namespace kgen
