// Operations that tasks and tiles can be made of: their loops, their operands and their work.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/AffineMap.h>
#include <mlir/IR/Operation.h>

namespace kgen {

/// Returns the trip counts of the loops of `op`, a tpp or a linalg operation, at their greatest.
llvm::SmallVector<int64_t> loopSizes(mlir::Operation *op);

/// Returns the work of `op` (a contraction, an elementwise operation or a reduction on tensors), in
/// scalar operations of a contraction that would take as long. Memory-bound operations and
/// mathematical functions count more than they compute.
int64_t workOf(mlir::Operation *op);

/// True if `op` reads an operand through overlapping windows.
bool readsThroughWindows(mlir::linalg::LinalgOp op);

/// Returns the map from loops to indices of operand `number`; null if it is no projected
/// permutation.
mlir::AffineMap operandMap(mlir::Operation *op, unsigned number);

/// True if `op` reads an operand at the members of a group of channels, and `loop` goes over the
/// channels that the groups consist of (tpp::IndexInGroup).
bool dividesLoop(mlir::Operation *op, unsigned loop);

/// True if `op` computes one result on tensors of which at least the greatest sizes are known, and
/// its tiles can be computed independently.
bool isTileable(mlir::Operation *op);

/// Checks the tiles of `lowering_config` in the function, which a test or a schedule may have
/// written; reports the first operation that they do not fit.
mlir::LogicalResult verifyUserTiles(mlir::func::FuncOp function);

} // namespace kgen
