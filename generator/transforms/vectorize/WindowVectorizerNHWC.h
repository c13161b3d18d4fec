// Vectorizer for sums, products and extrema over windows of NHWC images, as in depthwise
// convolutions and pools.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Replaces `op`, and an elementwise operation that alone reads its result, by loops over vectors
/// of channels. Several pixels at once reuse filter elements, and image elements that windows
/// share. Returns the loop over channels; nothing, with `op` unchanged, if it has another form.
std::optional<unsigned> vectorizeWindowNHWC(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op,
                                            TargetAttr target);

} // namespace kgen
