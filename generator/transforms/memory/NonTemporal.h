// What non-temporal stores need: a proof or a check of alignment.
#pragma once
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/IR/Builders.h>

namespace kgen {

/// A number that divides `index` in every iteration of the loops around it; 1 if nothing is known,
/// 0 if `index` is always 0.
int64_t knownDivisor(mlir::OpFoldResult index);

/// True if `index` is `other` or an arith.addi with `other` as an operand (one level only).
bool isOrAddsTo(mlir::Value index, mlir::Value other);

/// Builds the check whether the address of the first element of `memory` is a multiple of `bytes`,
/// a power of two.
mlir::Value isAlignedTo(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memory, int64_t bytes);

} // namespace kgen
