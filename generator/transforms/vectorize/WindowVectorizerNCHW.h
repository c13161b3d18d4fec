// Sums and extremes over windows of images whose columns come last, as pools of images have them
// that come in the graph's order.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Replaces `op`, and an elementwise operation that is the only one to read its result, by loops
/// over vectors of neighbours in a row of the result. What the taps of a column read is combined
/// first, as it lies in memory; then columns are, every n-th element of them where windows move by
/// n. False where `op` is no such operation, which has not changed then.
bool vectorizeWindowNCHW(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op, TargetAttr target);

} // namespace kgen
