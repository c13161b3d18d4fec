// Operators by name: verifiers, shapes, and what they are by definition.
#include "dialect/kgen/NamedOps.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/SizeForm.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <limits>

#define GET_OP_CLASSES
#include "dialect/kgen/NamedOps.cpp.inc"

using namespace mlir;

namespace kgen {
namespace {

/// Dimensions are ascending ones of the tensor, and elements of one type to compute in.
template <typename Op> LogicalResult verifyDimensions(Op op) {
  int64_t rank = op.getInputType().getRank(), last = -1;
  for (int64_t d : op.getDimensions()) {
    if (d <= last || d >= rank)
      return op.emitOpError() << "'dimensions' must be ascending and less than the rank " << rank
                              << ", found " << d;
    last = d;
  }
  if (last < 0)
    return op.emitOpError("needs at least one of 'dimensions'");
  Type input = op.getInputType().getElementType(), result = op.getResultType().getElementType();
  if (accumulatorOf(input) != accumulatorOf(result))
    return op.emitOpError() << "computes " << result << " of " << input
                            << ": both must be f64, or neither";
  return success();
}

/// The sizes of a tensor but for those along some dimensions.
template <typename Op> SmallVector<int64_t> remainingShape(Op op) {
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(op.getInputType().getShape()))
    if (!op.isAlong(d))
      shape.push_back(size);
  return shape;
}

using Scalars = ValueRange;

/// The maximum of what is reduced. A NaN may be lost: it is in sums of exponentials, too. With
/// `isFinite` it is at least the lowest number.
Value maximumOf(GenericBuilder &build, Value x, const ReducedSpace &space, bool isFinite) {
  const llvm::fltSemantics &format = cast<FloatType>(space.compute).getFloatSemantics();
  APFloat lowest = isFinite ? APFloat::getLargest(format, /*Negative=*/true)
                            : APFloat::getInf(format, /*Negative=*/true);
  Value init = build.filled(space.keptSizes, FloatAttr::get(space.compute, lowest));
  return build.generic(init, x, {space.full, space.kept},
                       [](OpBuilder &b, Location loc, Scalars v) -> Value {
                         return arith::MaxNumFOp::create(b, loc, v[1], v[0]);
                       });
}

/// The number itself, or the largest one instead of infinity.
Value atMostLargest(OpBuilder &b, Location loc, Value x) {
  const llvm::fltSemantics &format = cast<FloatType>(x.getType()).getFloatSemantics();
  Value limit =
      arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), APFloat::getLargest(format)));
  Value isMore = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, limit);
  return arith::SelectOp::create(b, loc, isMore, limit, x);
}

Value sumOf(GenericBuilder &build, Value x, const ReducedSpace &space) {
  return build.generic(build.filled(space.keptSizes, space.compute, 0.0), x,
                       {space.full, space.kept},
                       [](OpBuilder &b, Location loc, Scalars v) -> Value {
                         return arith::AddFOp::create(b, loc, v[1], v[0]);
                       });
}

} // namespace

bool isNamedOp(Operation *op) { return isa<SoftmaxOp, LogSumExpOp>(op); }

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyDimensions(*this)))
    return failure();
  if (getInputType().getShape() != getResultType().getShape())
    return emitOpError() << "has a result of the shape of its input, found " << getResultType();
  if (getLogarithm() && (getMaskedToZero() || getRoundedQuotient()))
    return emitOpError("'masked_to_zero' and 'rounded_quotient' are not for logarithms");
  return success();
}

LogicalResult LogSumExpOp::verify() {
  if (failed(verifyDimensions(*this)))
    return failure();
  if (ArrayRef(remainingShape(*this)) != getResultType().getShape())
    return emitOpError() << "has a result without 'dimensions' of its input, found "
                         << getResultType();
  return success();
}

LogicalResult SoftmaxOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(sizesOf(b, getLoc(), getInput()));
  return success();
}

LogicalResult LogSumExpOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  ReducedSpace space(b, getLoc(), getInput(), [&](int64_t d) { return isAlong(d); });
  shapes.push_back(std::move(space.keptSizes));
  return success();
}

FailureOr<SmallVector<Value>> SoftmaxOp::decomposeOperation(OpBuilder &b) {
  GenericBuilder build(b, getLoc());
  ReducedSpace space(b, getLoc(), getInput(), [&](int64_t d) { return isAlong(d); });
  Value max = maximumOf(build, getInput(), space, /*isFinite=*/getMaskedToZero());
  Value exps = build.generic(
      emptyTensor(b, getLoc(), space.sizes, space.compute), {getInput(), max},
      {space.full, space.kept, space.full}, [](OpBuilder &b, Location loc, Scalars v) -> Value {
        return math::ExpOp::create(b, loc, arith::SubFOp::create(b, loc, v[0], v[1]));
      });
  Value sum = sumOf(build, exps, space);
  Value out = emptyTensor(b, getLoc(), space.sizes, getResultType().getElementType());
  if (getLogarithm())
    return SmallVector<Value>{build.generic(
        out, {getInput(), max, sum}, {space.full, space.kept, space.kept, space.full},
        [](OpBuilder &b, Location loc, Scalars v) -> Value {
          return arith::SubFOp::create(b, loc, arith::SubFOp::create(b, loc, v[0], v[1]),
                                       math::LogOp::create(b, loc, v[2]));
        })};
  bool maskedToZero = getMaskedToZero();
  return SmallVector<Value>{build.generic(
      out, {exps, sum}, {space.full, space.kept, space.full},
      [=](OpBuilder &b, Location loc, Scalars v) -> Value {
        Value quotient = arith::DivFOp::create(b, loc, v[0], v[1]);
        if (!maskedToZero)
          return quotient;
        Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(v[1].getType(), 0.0));
        Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, v[1], zero);
        return arith::SelectOp::create(b, loc, isZero, zero, quotient);
      })};
}

FailureOr<SmallVector<Value>> LogSumExpOp::decomposeOperation(OpBuilder &b) {
  GenericBuilder build(b, getLoc());
  ReducedSpace space(b, getLoc(), getInput(), [&](int64_t d) { return isAlong(d); });
  Value max = maximumOf(build, getInput(), space, /*isFinite=*/true);
  Value sum = build.generic(
      build.filled(space.keptSizes, space.compute, 0.0), {getInput(), max},
      {space.full, space.kept, space.kept}, [](OpBuilder &b, Location loc, Scalars v) -> Value {
        Value difference =
            arith::SubFOp::create(b, loc, atMostLargest(b, loc, v[0]), atMostLargest(b, loc, v[1]));
        return arith::AddFOp::create(b, loc, math::ExpOp::create(b, loc, difference), v[2]);
      });
  AffineMap identity = b.getMultiDimIdentityMap(space.keptSizes.size());
  Value out = emptyTensor(b, getLoc(), space.keptSizes, getResultType().getElementType());
  return SmallVector<Value>{build.generic(out, {sum, max}, {identity, identity, identity},
                                          [](OpBuilder &b, Location loc, Scalars v) -> Value {
                                            Value log = math::LogOp::create(b, loc, v[0]);
                                            return arith::AddFOp::create(b, loc, log, v[1]);
                                          })};
}

} // namespace kgen
