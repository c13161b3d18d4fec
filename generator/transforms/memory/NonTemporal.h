// What stores that go past the caches need: aligned memory, and a fence after them.
#pragma once
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Builders.h>

namespace kgen {

/// A number that divides an index wherever its loops are; 0 if the index is 0.
int64_t knownDivisor(mlir::OpFoldResult index);

/// Whether a place is another one, or that and something.
bool isOrAddsTo(mlir::Value place, mlir::Value other);

/// Whether the first element of a memory lies at a multiple of `bytes`.
mlir::Value isAlignedTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memory, int64_t bytes);

/// For whoever reads the memory in another thread.
void createStoreFence(mlir::OpBuilder &b, mlir::Location loc);

} // namespace kgen
