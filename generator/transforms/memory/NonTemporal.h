// What non-temporal stores need: a check of alignment, and a fence after them.
#pragma once
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Builders.h>

namespace kgen {

/// Builds the check whether the address of the first element of `memory` is a multiple of `bytes`,
/// a power of two.
mlir::Value isAlignedTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memory, int64_t bytes);

/// A store fence: non-temporal stores before it are visible to threads that see a store after it.
void createStoreFence(mlir::OpBuilder &b, mlir::Location loc);

} // namespace kgen
