// Full-line stores for elementwise operations on rows that begin within cache lines.
#pragma once
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/PatternMatch.h>

namespace kgen {

/// Returns the number of rows after which a row begins with a cache line again.
int64_t rowsToLineBoundary(mlir::RankedTensorType type, const Cpu &cpu);

/// True if an elementwise operation writes rows of a cache line or more that begin within lines and
/// are not aligned for partial-line non-temporal stores. Its operands have an element for each
/// element, row or column of the result.
bool canStoreFullLines(mlir::linalg::LinalgOp op);

/// Vectorizes such an operation if its result exceeds the last-level cache: each vector is a full
/// cache line, some go across row ends. Null for other operations.
mlir::Value vectorizeFullLines(mlir::IRRewriter &rewriter, mlir::linalg::GenericOp op,
                               TargetAttr target);

} // namespace kgen
