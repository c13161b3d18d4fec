// Tiles of a few vectors, all of which stay in registers from the first operation to the last one.
#pragma once

#include "dialect/kgen/Kgen.h"
#include "transforms/vectors/TileGroup.h"

namespace kgen {

/// Whether there are registers for tiles at all, beside those for the constants of functions.
bool hasRegistersForTiles(TargetAttr target);

/// Whether each of a group's tensors is so few vectors a tile that all that is computed of them can
/// stay in registers.
bool fitsInRegisters(const TileGroup &group, TargetAttr target);

/// Lets kgen-vectorize write a group's operations without loops, so that one hands its vectors to
/// the next.
void keepInRegisters(const TileGroup &group);
bool isKeptInRegisters(mlir::Operation *op);

/// Replaces all loops behind `before` (null: from the beginning of the block), up to `end`, by what
/// they do, time after time.
void unrollBetween(mlir::Operation *before, mlir::Operation *end);

} // namespace kgen
