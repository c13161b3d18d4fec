// Vectorizer for sums and extrema over windows of NCHW images, as in pools.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Replaces `op`, and an elementwise operation that alone reads its result, by loops over vectors
/// of neighbours in a row of the result. The taps of a column are combined first, then columns,
/// every n-th of them if n is the stride of the windows. Returns false, with `op` unchanged, if it
/// has another form.
bool vectorizeWindowNCHW(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op, TargetAttr target);

} // namespace kgen
