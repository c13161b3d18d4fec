// Sums, products and extremes over windows of images whose channels come last, as depthwise
// convolutions and pools have them.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Replaces `op`, and an elementwise operation that is the only one to read its result, by loops
/// over vectors of channels: several pixels at once, so that an element of the filter that was
/// loaded, and one of the image that several windows share, is used several times. Returns the loop
/// over channels; nothing where `op` is no such operation, which has not changed then.
std::optional<unsigned> vectorizeWindowNHWC(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op,
                                            TargetAttr target);

} // namespace kgen
