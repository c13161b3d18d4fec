// How an operation is cut into tasks: what is worth it, and how large the tiles are.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/IR/AffineMap.h>
#include <mlir/IR/Operation.h>

namespace kgen {

/// The loops of `op`, a tile operation or a linalg operation.
llvm::SmallVector<int64_t> loopSizes(mlir::Operation *op);

/// What moving an element takes, in multiplications and additions of a product in the same time.
constexpr int64_t costOfMove = 16;

/// Scalar operations of a product that take as long as one run of `op`, a contraction or
/// elementwise operation or reduction on tensors: more than it has, for what is bound by memory and
/// for functions.
int64_t workOf(mlir::Operation *op);

/// Whether `op` reads an operand through windows: elements of neighbours overlap.
bool readsThroughWindows(mlir::linalg::LinalgOp op);

/// Tile sizes for the loops of `op`, 0 where a loop stays whole, for up to `tasks` tasks. The last
/// tile of a loop may be smaller.
llvm::SmallVector<int64_t> taskTiles(mlir::Operation *op, int64_t tasks, TargetAttr target);

/// The elements of operand `number` that an iteration of `op` reads or writes, or null if that is
/// not known.
mlir::AffineMap operandMap(mlir::Operation *op, unsigned number);

/// Whether `op` reads an operand at what the index of `loop` is divided by.
bool dividesLoop(mlir::Operation *op, unsigned loop);

/// Whether `op` computes one result on tensors of static shape in a way that tasks can be cut from.
bool isTileable(mlir::Operation *op);

} // namespace kgen
