// Tiles of a few vectors, all of which stay in registers from the first operation to the last one.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Operation.h>

namespace kgen {

/// Whether there are registers for tiles at all, beside those for the constants of functions.
bool hasRegistersForTiles(TargetAttr target);

/// Whether all that the operations of a tile compute can stay in registers; `bytes`: the largest
/// slice of a tensor that the tile reads or writes.
bool fitsInRegisters(llvm::ArrayRef<mlir::Operation *> operations, int64_t bytes,
                     TargetAttr target);

/// Lets kgen-vectorize write the operations of a tile without loops, so that one hands its vectors
/// to the next.
void markUnrollFully(llvm::ArrayRef<mlir::Operation *> operations);
bool isUnrolledFully(mlir::Operation *op);

/// Replaces all loops behind `before` (null: from the beginning of the block), up to `end`, by what
/// they do, time after time.
void unrollBetween(mlir::Operation *before, mlir::Operation *end);

} // namespace kgen
