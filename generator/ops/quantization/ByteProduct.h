// Products of 8-bit matrices with scales and zero points, for every operator that has one.
#pragma once

#include "dialect/kgen/NamedOps.h"
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

/// The matrix product of both sides less their zero points, as [batch..., m, n] of i32; where they
/// have scales, of f32: times these, and divided by input `divisor`, if there is one.
mlir::Value byteProduct(LoweringContext &c, const Side &left, const Side &right,
                        std::optional<size_t> divisor = std::nullopt);

/// Scale and zero point of the result of QLinearMatMul and of QLinearConv by number of input.
constexpr size_t resultScale = 6, resultZeroPoint = 7;

/// saturate(round(x) + zero point) of an f32, in the result's type; input resultZeroPoint is the
/// zero point.
mlir::Value roundedToBytes(LoweringContext &c, mlir::Value x);

} // namespace kgen
