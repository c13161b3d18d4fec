// Elementwise operations on rows that do not fill vectors, flattened to one long row.
#pragma once
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// True if an elementwise operation can be vectorized as flattened rows: each operand is full or
/// has one f32 per row, and rows of at least two thirds of a vector do not fill vectors but are
/// short enough for a table of row numbers in the L1.
bool canFlatten(mlir::linalg::LinalgOp op, TargetAttr target);

/// Vectorizes an operation as flattened rows; null if that is not possible or not worth it.
mlir::Value vectorizeFlattened(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op,
                               TargetAttr target);

} // namespace kgen
