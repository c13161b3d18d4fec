// Reshapes on either side of kgen.softmax.
#pragma once

#include <mlir/IR/PatternMatch.h>

#include <functional>

namespace kgen {

/// Moves a reshape of the input after the softmax, and one of the result before it, where
/// `mayMove` says of the operand of the second operation that it may.
void populateSoftmaxReshapePatterns(mlir::RewritePatternSet &patterns,
                                    const std::function<bool(mlir::OpOperand *)> &mayMove);

} // namespace kgen
