// Elementwise operations on pairs of neighbours in which each element reads the other one of its
// pair, like interleaved rotary embeddings: a vector holds several pairs, and elements change
// places in it.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Returns the value that replaces the operation's result; null if the operation has another form.
mlir::Value vectorizePairs(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op,
                           TargetAttr target);

} // namespace kgen
