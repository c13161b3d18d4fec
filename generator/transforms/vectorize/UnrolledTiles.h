// Unrolled tiles: a few vectors that stay in registers from the first operation to the last one.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Operation.h>

namespace kgen {

/// True if the target has registers for tiles besides those for constants of mathematical
/// functions.
bool hasRegistersForTiles(TargetAttr target);

/// True if all values of a tile stay in registers. `bytes`: the largest slice that the tile reads
/// or writes.
bool fitsInRegisters(llvm::ArrayRef<mlir::Operation *> operations, int64_t bytes,
                     TargetAttr target);

/// Sets `unroll` of the operations' `lowering_config`: kgen-vectorize writes them without loops, so
/// that vectors are handed over in registers.
void markUnrollFully(llvm::ArrayRef<mlir::Operation *> operations);
bool isUnrolledFully(mlir::Operation *op);

/// Unrolls all loops of constant trip count between `before` (null: begin of the block) and `end`.
void unrollBetween(mlir::Operation *before, mlir::Operation *end);

} // namespace kgen
