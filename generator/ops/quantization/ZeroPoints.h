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

/// True if zero points are known to be 0: a weight of nothing else. Those that are left out are.
bool isZero(const WeightData &zeroPoints);

/// Returns why dimension `d` of a matrix of `rank` dimensions has to be a number, or nothing if it
/// may be a size that is known at run time: rows and batches of A may, where B's zero point is
/// known to be 0, so that no rows are summed up.
std::string refusalOfSize(bool isLeft, size_t d, size_t rank, bool isAroundZero);

/// The shape in which a scale or zero point broadcasts over [batch..., m, n]: one for all, or one
/// for each row (column).
llvm::SmallVector<int64_t> parameterShape(const TensorType &type, bool isLeft);

/// scale of A * scale of B, and that divided by input `divisor`, rounded to f32 each time, at build
/// time or at run time alike; where rows and columns both have scales, these tensors as they are.
llvm::SmallVector<mlir::Value> scaleFactors(LoweringContext &c, const Side &left, const Side &right,
                                            std::optional<size_t> divisor = std::nullopt);

/// The matrix product of both sides less their zero points, as [batch..., m, n] of i32.
mlir::Value integerProduct(LoweringContext &c, const Side &left, const Side &right);

/// Sums over windows of an image around which `zero` stands and `filters` filters of these numbers,
/// as if the image had zero subtracted from it.
mlir::Value lessZeroOfImage(LoweringContext &c, mlir::Value sums, int64_t zero,
                            const std::vector<int64_t> &numbers, int64_t filters);

/// Scale and zero point of the result of QLinearMatMul and of QLinearConv by number of input.
constexpr size_t resultScale = 6, resultZeroPoint = 7;

/// saturate(round(sums * (scale of A * scale of B / scale)) + zero point), in the result's type;
/// scale and zero point of the result are inputs of those numbers. `bias`, of i32, is added to the
/// sums, if there is one.
mlir::Value requantized(LoweringContext &c, mlir::Value sums, const Side &left, const Side &right,
                        size_t scale, size_t zeroPoint, mlir::Value bias = {});

} // namespace kgen
