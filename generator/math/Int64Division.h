// Division of vectors of i64 by way of f64: there is no instruction for it, but AVX-512 DQ converts
// between the types.
#pragma once

#include <mlir/IR/Builders.h>

namespace kgen {

/// x / y, rounded towards zero, of vectors of i64. y must not be 0, nor -1 if x is the smallest
/// integer.
mlir::Value int64Quotient(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y);

} // namespace kgen
