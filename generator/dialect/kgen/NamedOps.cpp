// Operators by name: verifiers, shapes, and what they are by definition.
#include "dialect/kgen/NamedOps.h"

#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/SizeForm.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <limits>

#include "dialect/kgen/NamedOpsEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/kgen/NamedOps.cpp.inc"

using namespace mlir;

namespace kgen {
namespace {

/// True if both are computed in one type.
bool haveOneAccumulator(Type a, Type b) {
  return accumulatorOf(getElementTypeOrSelf(a)) == accumulatorOf(getElementTypeOrSelf(b));
}

/// Dimensions are ascending ones of the tensor.
LogicalResult verifyDimensions(Operation *op, RankedTensorType input,
                               ArrayRef<int64_t> dimensions) {
  int64_t rank = input.getRank(), last = -1;
  for (int64_t d : dimensions) {
    if (d <= last || d >= rank)
      return op->emitOpError() << "'dimensions' must be ascending and less than the rank " << rank
                               << ", found " << d;
    last = d;
  }
  return last < 0 ? op->emitOpError("needs at least one of 'dimensions'") : success();
}

/// Besides, elements are of one type to compute in.
template <typename Op> LogicalResult verifyFloats(Op op) {
  if (failed(verifyDimensions(op, op.getInputType(), op.getDimensions())))
    return failure();
  Type input = op.getInputType().getElementType(), result = op.getResultType().getElementType();
  if (!haveOneAccumulator(input, result))
    return op.emitOpError() << "computes " << result << " of " << input
                            << ": both must be f64, or neither";
  return success();
}

/// A scale or a bias, if it is there, has dimensions of the input.
LogicalResult verifyParameter(NormalizationOp op, Value parameter, ArrayRef<int64_t> dimensions,
                              StringRef name) {
  if (!parameter)
    return dimensions.empty() ? success()
                              : op.emitOpError() << "has dimensions of a " << name << " without it";
  auto type = cast<RankedTensorType>(parameter.getType());
  RankedTensorType input = op.getInputType();
  if (!haveOneAccumulator(type, input))
    return op.emitOpError() << "has a " << name << " of " << type.getElementType() << " for "
                            << input.getElementType() << ": both must be f64, or neither";
  SmallVector<int64_t> shape;
  for (auto [i, d] : llvm::enumerate(dimensions)) {
    if (d < 0 || d >= input.getRank() || llvm::is_contained(dimensions.take_front(i), d))
      return op.emitOpError() << "'" << name
                              << "_dimensions' must differ and be less than the rank "
                              << input.getRank() << ", found " << d;
    shape.push_back(input.getDimSize(d));
  }
  if (type.getShape() != ArrayRef(shape))
    return op.emitOpError() << "needs " << type.clone(shape) << " as its " << name << ", found "
                            << type;
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

bool isNamedOp(Operation *op) {
  return isa<SoftmaxOp, LogSumExpOp, NormalizationOp, ArgExtremumOp, CumulativeSumOp, TopKOp,
             GridSampleOp, RotaryEmbeddingOp, QuantizedProductOp>(op);
}

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyFloats(*this)))
    return failure();
  if (getInputType().getShape() != getResultType().getShape())
    return emitOpError() << "has a result of the shape of its input, found " << getResultType();
  if (getLogarithm() && (getMaskedToZero() || getRoundedQuotient()))
    return emitOpError("'masked_to_zero' and 'rounded_quotient' are not for logarithms");
  return success();
}

/// The result has the other dimensions of the input.
template <typename Op> static LogicalResult verifyRemainingShape(Op op) {
  if (ArrayRef(remainingShape(op)) == op.getResultType().getShape())
    return success();
  return op.emitOpError() << "has a result without 'dimensions' of its input, found "
                          << op.getResultType();
}

LogicalResult LogSumExpOp::verify() {
  return failed(verifyFloats(*this)) ? failure() : verifyRemainingShape(*this);
}

LogicalResult verifyDimension(Operation *op, RankedTensorType input, ArrayRef<int64_t> dimensions) {
  if (failed(verifyDimensions(op, input, dimensions)))
    return failure();
  if (dimensions.size() > 1)
    return op->emitOpError() << "has one of 'dimensions', found " << dimensions.size();
  return success();
}

LogicalResult verifySign(Operation *op, RankedTensorType input, bool isUnsigned) {
  Type element = input.getElementType();
  if (isUnsigned && !isa<IntegerType>(element))
    return op->emitOpError() << "'is_unsigned' is for integers, found " << element;
  return success();
}

LogicalResult CumulativeSumOp::verify() {
  return verifyDimension(getOperation(), getInputType(), getDimensions());
}

LogicalResult ArgExtremumOp::verify() {
  if (failed(verifyDimension(getOperation(), getInputType(), getDimensions())) ||
      failed(verifyRemainingShape(*this)))
    return failure();
  return verifySign(getOperation(), getInputType(), getIsUnsigned());
}

LogicalResult NormalizationOp::verify() {
  if (failed(verifyFloats(*this)) ||
      failed(verifyParameter(*this, getScale(), getScaleDimensions(), "scale")) ||
      failed(verifyParameter(*this, getBias(), getBiasDimensions(), "bias")))
    return failure();
  if (getInputType().getShape() != getResultType().getShape())
    return emitOpError() << "has a result of the shape of its input, found " << getResultType();
  if (getStatistics().empty())
    return success();
  if (getStatistics().size() != 2 || !getCentered() || getRoundedQuotient())
    return emitOpError("has two more results, the mean and the inverse, or none; with "
                       "'rounded_quotient' or without 'centered', none");
  auto expected =
      RankedTensorType::get(remainingShape(*this), accumulatorOf(getInputType().getElementType()));
  for (Type type : getStatistics().getTypes())
    if (type != expected)
      return emitOpError() << "has a mean and an inverse of " << expected << ", found " << type;
  return success();
}

LogicalResult SoftmaxOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(sizesOf(b, getLoc(), getInput()));
  return success();
}

LogicalResult CumulativeSumOp::reifyResultShapes(OpBuilder &b,
                                                 ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(sizesOf(b, getLoc(), getInput()));
  return success();
}

/// The sizes of the input but for those along the dimensions.
template <typename Op> static SmallVector<OpFoldResult> remainingSizes(Op op, OpBuilder &b) {
  return ReducedSpace(b, op.getLoc(), op.getInput(), [&](int64_t d) { return op.isAlong(d); })
      .keptSizes;
}

LogicalResult LogSumExpOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(remainingSizes(*this, b));
  return success();
}

LogicalResult ArgExtremumOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(remainingSizes(*this, b));
  return success();
}

LogicalResult NormalizationOp::reifyResultShapes(OpBuilder &b,
                                                 ReifiedRankedShapedTypeDims &shapes) {
  ReducedSpace space(b, getLoc(), getInput(), [&](int64_t d) { return isAlong(d); });
  shapes.push_back(space.sizes);
  shapes.append(getStatistics().size(), space.keptSizes);
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

namespace {

/// Returns the inverse of sqrt(sum / count + epsilon), or of the root plus epsilon; with
/// `rounded_quotient`, what elements are divided by.
Value inverseOf(NormalizationOp op, OpBuilder &b, Location loc, Value sum, Value count) {
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(sum.getType(), value));
  };
  Value epsilon = constant(op.getEpsilon().convertToDouble());
  Value v = arith::DivFOp::create(b, loc, sum, count);
  if (!op.getEpsilonOutsideRoot())
    v = arith::AddFOp::create(b, loc, v, epsilon);
  v = math::SqrtOp::create(b, loc, v);
  if (op.getEpsilonOutsideRoot())
    v = arith::AddFOp::create(b, loc, v, epsilon);
  return op.getRoundedQuotient() ? v : arith::DivFOp::create(b, loc, constant(1.0), v);
}

/// The elements by the inverse of their row, scaled and shifted.
Value scaled(NormalizationOp op, GenericBuilder &build, const ReducedSpace &space, Value x,
             Value inverse) {
  SmallVector<Value> inputs{x, inverse};
  SmallVector<AffineMap> maps{space.full, space.kept};
  if (op.getScale()) {
    inputs.push_back(op.getScale());
    maps.push_back(op.scaleMap());
  }
  if (op.getBias()) {
    inputs.push_back(op.getBias());
    maps.push_back(op.biasMap());
  }
  maps.push_back(space.full);
  Value out = emptyTensor(build.b, build.loc, space.sizes, op.getResultType().getElementType());
  return build.generic(out, inputs, maps, [&](OpBuilder &b, Location loc, Scalars v) -> Value {
    Value y = op.getRoundedQuotient() ? arith::DivFOp::create(b, loc, v[0], v[1]).getResult()
                                      : arith::MulFOp::create(b, loc, v[0], v[1]).getResult();
    if (op.getScale())
      y = arith::MulFOp::create(b, loc, y, v[2]);
    return op.getBias() ? arith::AddFOp::create(b, loc, y, v.drop_back().back()).getResult() : y;
  });
}

} // namespace

AffineMap NormalizationOp::mapOf(ArrayRef<int64_t> dimensions) {
  SmallVector<AffineExpr> dims;
  for (int64_t d : dimensions)
    dims.push_back(getAffineDimExpr(d, getContext()));
  return AffineMap::get(getInputType().getRank(), 0, dims, getContext());
}

FailureOr<SmallVector<Value>> NormalizationOp::decomposeOperation(OpBuilder &b) {
  GenericBuilder build(b, getLoc());
  ReducedSpace space(b, getLoc(), getInput(), [&](int64_t d) { return isAlong(d); });
  ReducedCount count(b, getLoc(), space);
  AffineMap rows = b.getMultiDimIdentityMap(space.keptSizes.size());
  auto onRows = [&](Value row, GenericBuilder::Body body) {
    return build.generic(emptyTensor(b, getLoc(), space.keptSizes, space.compute), row,
                         {rows, rows}, body);
  };
  Value mean, x = getInput();
  if (getCentered()) {
    mean = onRows(sumOf(build, x, space), [&](OpBuilder &b, Location loc, Scalars v) -> Value {
      return arith::DivFOp::create(b, loc, v[0], count(b, loc));
    });
    x = build.generic(emptyTensor(b, getLoc(), space.sizes, space.compute), {x, mean},
                      {space.full, space.kept, space.full},
                      [](OpBuilder &b, Location loc, Scalars v) -> Value {
                        return arith::SubFOp::create(b, loc, v[0], v[1]);
                      });
  }
  Value squares = build.generic(
      build.filled(space.keptSizes, space.compute, 0.0), x, {space.full, space.kept},
      [](OpBuilder &b, Location loc, Scalars v) -> Value {
        return arith::AddFOp::create(b, loc, v[1], arith::MulFOp::create(b, loc, v[0], v[0]));
      });
  Value inverse = onRows(squares, [&](OpBuilder &b, Location loc, Scalars v) -> Value {
    return inverseOf(*this, b, loc, v[0], count(b, loc));
  });
  SmallVector<Value> results{scaled(*this, build, space, x, inverse)};
  if (!getStatistics().empty())
    results.append({mean, inverse});
  return results;
}

} // namespace kgen
