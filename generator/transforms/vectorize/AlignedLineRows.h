// Elementwise operations on rows that begin within lines of the cache, written by whole lines.
#pragma once
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Rows of so many elements after which the next one begins with a line, too.
int64_t rowsToLineBoundary(mlir::RankedTensorType type);

/// Whether an elementwise operation makes rows of a line or more, but of no whole number of them
/// nor of parts that can be streamed, from operands with an element for each of the result, for
/// each row, or for each column.
bool canStoreFullLines(mlir::linalg::LinalgOp op);

/// The result of such an operation, if it goes past the caches, in vectors that are whole lines of
/// it, some of which end a row and begin the next one; null for others.
mlir::Value vectorizeFullLines(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op,
                               TargetAttr target);

} // namespace kgen
