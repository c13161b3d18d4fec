// kgen.top_k: verifier, and its definition: one element after another is searched for among those
// that come after the one before.
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/NamedOps.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/TensorSlice.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

using FloatOrder = arith::CmpFPredicate;
using Order = arith::CmpIPredicate;

/// The comparisons of one operation, in its type to compute in.
class Comparison {
public:
  explicit Comparison(TopKOp op)
      : compute(accumulatorOf(op.getInputType().getElementType())), isSmallest(op.getSmallest()),
        isUnsigned(op.getIsUnsigned()) {}

  /// Nothing comes before the first of these, and nothing after the last one.
  TypedAttr first() const { return extreme(!isSmallest); }
  TypedAttr last() const { return extreme(isSmallest); }
  Value earlier(OpBuilder &b, Location loc, Value x, Value y) const;
  Value areEqual(OpBuilder &b, Location loc, Value x, Value y) const;
  /// True if x, whose index is i, comes after y, whose index is j.
  Value comesAfter(OpBuilder &b, Location loc, Value x, Value i, Value y, Value j) const;

private:
  TypedAttr extreme(bool isLargest) const;

  Type compute;
  bool isSmallest, isUnsigned;
};

/// The largest or smallest of all; NaN is larger than any number.
TypedAttr Comparison::extreme(bool isLargest) const {
  if (auto type = dyn_cast<FloatType>(compute)) {
    const llvm::fltSemantics &format = type.getFloatSemantics();
    return FloatAttr::get(type, isLargest ? APFloat::getNaN(format)
                                          : APFloat::getInf(format, /*Negative=*/true));
  }
  unsigned width = compute.getIntOrFloatBitWidth();
  if (isUnsigned)
    return IntegerAttr::get(compute, isLargest ? APInt::getMaxValue(width) : APInt::getZero(width));
  return IntegerAttr::get(compute, isLargest ? APInt::getSignedMaxValue(width)
                                             : APInt::getSignedMinValue(width));
}

/// The one of two elements that comes first.
Value Comparison::earlier(OpBuilder &b, Location loc, Value x, Value y) const {
  if (isa<FloatType>(compute))
    return isSmallest ? arith::MinNumFOp::create(b, loc, x, y).getResult()
                      : arith::MaximumFOp::create(b, loc, x, y).getResult();
  if (isUnsigned)
    return isSmallest ? arith::MinUIOp::create(b, loc, x, y).getResult()
                      : arith::MaxUIOp::create(b, loc, x, y).getResult();
  return isSmallest ? arith::MinSIOp::create(b, loc, x, y).getResult()
                    : arith::MaxSIOp::create(b, loc, x, y).getResult();
}

Value Comparison::areEqual(OpBuilder &b, Location loc, Value x, Value y) const {
  if (isa<IntegerType>(compute))
    return arith::CmpIOp::create(b, loc, Order::eq, x, y);
  Value areNaN = arith::AndIOp::create(b, loc, arith::CmpFOp::create(b, loc, FloatOrder::UNO, x, x),
                                       arith::CmpFOp::create(b, loc, FloatOrder::UNO, y, y));
  return arith::OrIOp::create(b, loc, arith::CmpFOp::create(b, loc, FloatOrder::OEQ, x, y), areNaN);
}

Value Comparison::comesAfter(OpBuilder &b, Location loc, Value x, Value i, Value y, Value j) const {
  Value smaller = isSmallest ? y : x, larger = isSmallest ? x : y, isLess;
  if (isa<IntegerType>(compute)) {
    isLess = arith::CmpIOp::create(b, loc, isUnsigned ? Order::ult : Order::slt, smaller, larger);
  } else {
    // Without an order, the larger one is NaN if the smaller one is none.
    Value isNumber = arith::CmpFOp::create(b, loc, FloatOrder::ORD, smaller, smaller);
    Value isNotMore = arith::CmpFOp::create(b, loc, FloatOrder::ULT, smaller, larger);
    isLess = arith::AndIOp::create(b, loc, isNumber, isNotMore);
  }
  Value isLater = arith::AndIOp::create(b, loc, areEqual(b, loc, x, y),
                                        arith::CmpIOp::create(b, loc, Order::sgt, i, j));
  return arith::OrIOp::create(b, loc, isLess, isLater);
}

/// Of the elements that have not been found yet: the first one, and where it stands.
std::pair<Value, Value> next(TopKOp op, GenericBuilder &build, const ReducedSpace &space,
                             Value before, Value indexBefore) {
  Comparison order(op);
  int64_t axis = op.getDimensions().front();
  Type i64 = build.b.getI64Type();
  auto here = [&](OpBuilder &b, Location loc) -> Value {
    return arith::IndexCastOp::create(b, loc, i64, linalg::IndexOp::create(b, loc, axis));
  };
  Value found = build.generic(
      build.filled(space.keptSizes, order.last()), {op.getInput(), before, indexBefore},
      {space.full, space.kept, space.kept, space.kept},
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value isLeft = order.comesAfter(b, loc, v[0], here(b, loc), v[1], v[2]);
        Value last = arith::ConstantOp::create(b, loc, order.last());
        return order.earlier(b, loc, arith::SelectOp::create(b, loc, isLeft, v[0], last), v[3]);
      });
  TypedAttr nowhere = build.b.getI64IntegerAttr(std::numeric_limits<int64_t>::max());
  Value index = build.generic(
      build.filled(space.keptSizes, nowhere), {op.getInput(), before, indexBefore, found},
      {space.full, space.kept, space.kept, space.kept, space.kept},
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value at = here(b, loc);
        Value isIt = arith::AndIOp::create(b, loc, order.comesAfter(b, loc, v[0], at, v[1], v[2]),
                                           order.areEqual(b, loc, v[0], v[3]));
        Value none = arith::ConstantOp::create(b, loc, nowhere);
        return arith::MinSIOp::create(b, loc, arith::SelectOp::create(b, loc, isIt, at, none),
                                      v[4]);
      });
  return {found, index};
}

} // namespace

LogicalResult TopKOp::verify() {
  if (failed(verifyDimension(getOperation(), getInputType(), getDimensions())) ||
      failed(verifySign(getOperation(), getInputType(), getIsUnsigned())))
    return failure();
  int64_t axis = getDimensions().front(), size = getInputType().getDimSize(axis);
  RankedTensorType expected = getInputType();
  if (getResultType().getRank() == expected.getRank()) {
    SmallVector<int64_t> shape(expected.getShape());
    shape[axis] = getResultType().getDimSize(axis);
    expected = expected.clone(shape);
  }
  bool isPart = getResultType() == expected && !ShapedType::isDynamic(size) &&
                !ShapedType::isDynamic(expected.getDimSize(axis)) &&
                expected.getDimSize(axis) <= size;
  if (!isPart)
    return emitOpError() << "takes a known number of the elements along 'dimensions', found "
                         << getResultType() << " of " << getInputType();
  RankedTensorType indices = expected.clone(IntegerType::get(getContext(), 64));
  if (getIndices() && getIndices().getType() != indices)
    return emitOpError() << "has indices of " << indices << ", found " << getIndices().getType();
  return success();
}

SmallVector<OpFoldResult> TopKOp::resultSizes(OpBuilder &b) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, getLoc(), getInput());
  int64_t axis = getDimensions().front();
  sizes[axis] = b.getIndexAttr(getResultType().getDimSize(axis));
  return sizes;
}

LogicalResult TopKOp::reifyResultShapes(OpBuilder &b, ReifiedRankedShapedTypeDims &shapes) {
  shapes.assign(getNumResults(), resultSizes(b));
  return success();
}

FailureOr<SmallVector<Value>> TopKOp::decomposeOperation(OpBuilder &b) {
  Location loc = getLoc();
  GenericBuilder build(b, loc);
  int64_t axis = getDimensions().front(), k = getResultType().getDimSize(axis);
  ReducedSpace space(b, loc, getInput(), [&](int64_t d) { return d == axis; });
  SmallVector<OpFoldResult> sizes = resultSizes(b);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  SmallVector<Value> start{emptyTensor(b, loc, sizes, b.getI64Type()),
                           build.filled(space.keptSizes, Comparison(*this).first()),
                           build.filled(space.keptSizes, b.getI64IntegerAttr(-1))};
  auto step = [&](OpBuilder &b, Location loc, Value i, ValueRange carried) {
    GenericBuilder inside(b, loc);
    auto [found, at] = next(*this, inside, space, carried[1], carried[2]);
    TensorSlice slice;
    slice.offsets.assign(sizes.size(), b.getIndexAttr(0));
    slice.sizes = sizes;
    slice.offsets[axis] = i;
    slice.sizes[axis] = b.getIndexAttr(1);
    scf::YieldOp::create(b, loc, ValueRange{insert(b, loc, at, carried[0], slice), found, at});
  };
  Value indices =
      scf::ForOp::create(b, loc, index(0), index(k), index(1), start, step).getResult(0);
  AffineMap all = b.getMultiDimIdentityMap(sizes.size());
  Value out = emptyTensor(b, loc, sizes, getResultType().getElementType());
  Value values =
      build.generic(out, indices, {all, all}, [&](OpBuilder &b, Location loc, ValueRange v) {
        SmallVector<Value> at;
        for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
          at.push_back(linalg::IndexOp::create(b, loc, d));
        at[axis] = arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
        return tensor::ExtractOp::create(b, loc, getInput(), at).getResult();
      });
  SmallVector<Value> results{values};
  if (getIndices())
    results.push_back(indices);
  return results;
}

} // namespace kgen
