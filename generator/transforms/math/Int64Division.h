// Vectors of integers of 64 bits divided by floats: processors have no instruction for it, but most
// have conversions.
#pragma once

#include <mlir/IR/Builders.h>

namespace kgen {

/// x / y, cut towards zero, of vectors of i64; y is not 0, and not -1 where x is the smallest
/// number.
mlir::Value int64Quotient(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y);

} // namespace kgen
