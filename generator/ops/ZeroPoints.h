// Products of 8-bit matrices with scales and zero points, for every operator that has one.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// One side of the product by number of input. `scale` is absent for MatMulInteger.
struct Side {
  static constexpr size_t absent = ~size_t(0);
  size_t matrix, scale, zeroPoint;
  bool isLeft, isTransposed = false; ///< a matrix may be given transposed
};

/// The shape in which a scale or zero point broadcasts over [batch..., m, n]: one for all, or one
/// for each row (column).
llvm::SmallVector<int64_t> parameterShape(const TensorType &type, bool isLeft);

/// The elements of a weight of type f32, or nothing if input i is none.
std::optional<std::vector<float>> constantFloats(const InferenceContext &c, size_t i);

/// The matrix product of both sides less their zero points, as [batch..., m, n] of i32.
mlir::Value integerProduct(LoweringContext &c, const Side &left, const Side &right);

} // namespace kgen
