// Elementwise operations on rows that do not fill vectors, as if they were one long row.
#pragma once
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Whether an elementwise operation has operands with an element for each of the result or one for
/// each row only, and rows of two thirds of a vector and more that fill no whole vectors, but few
/// enough for a table of their lanes.
bool canFlatten(mlir::linalg::LinalgOp op, TargetAttr target);

/// The result of an operation whose operands have an element for each of its own, or one for each
/// row, in vectors that go from row to row; null where that is not possible or not worth it.
mlir::Value vectorizeFlattened(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op,
                               TargetAttr target);

} // namespace kgen
