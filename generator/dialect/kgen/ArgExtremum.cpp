// kgen.arg_extremum by definition: plain loops over the extremum, and over where it stands.
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/NamedOps.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <limits>

using namespace mlir;

namespace kgen {
namespace {

/// The larger or smaller of two numbers; NaN if one of them is.
Value extremumOf(ArgExtremumOp op, OpBuilder &b, Location loc, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return op.getMinimum() ? arith::MinimumFOp::create(b, loc, x, y).getResult()
                           : arith::MaximumFOp::create(b, loc, x, y).getResult();
  if (op.getIsUnsigned())
    return op.getMinimum() ? arith::MinUIOp::create(b, loc, x, y).getResult()
                           : arith::MaxUIOp::create(b, loc, x, y).getResult();
  return op.getMinimum() ? arith::MinSIOp::create(b, loc, x, y).getResult()
                         : arith::MaxSIOp::create(b, loc, x, y).getResult();
}

/// True if an element is the extremum, or NaN as it is.
Value isExtremum(OpBuilder &b, Location loc, Value x, Value extremum) {
  if (isa<IntegerType>(x.getType()))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, extremum);
  Value equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, extremum);
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  return arith::OrIOp::create(b, loc, equal, isNaN);
}

} // namespace

TypedAttr ArgExtremumOp::startOfExtremum() {
  Type compute = accumulatorOf(getInputType().getElementType());
  bool isMax = !getMinimum();
  if (auto type = dyn_cast<FloatType>(compute))
    return FloatAttr::get(type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/isMax));
  unsigned width = compute.getIntOrFloatBitWidth();
  if (getIsUnsigned())
    return IntegerAttr::get(compute, isMax ? APInt::getZero(width) : APInt::getMaxValue(width));
  return IntegerAttr::get(compute, isMax ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width));
}

IntegerAttr ArgExtremumOp::startOfIndex() {
  return Builder(getContext())
      .getI32IntegerAttr(getLast() ? -1 : std::numeric_limits<int32_t>::max());
}

FailureOr<SmallVector<Value>> ArgExtremumOp::decomposeOperation(OpBuilder &b) {
  GenericBuilder build(b, getLoc());
  int64_t axis = getDimensions().front();
  ReducedSpace space(b, getLoc(), getInput(), [&](int64_t d) { return d == axis; });
  Value init = build.filled(space.keptSizes, startOfExtremum());
  Value extremum = build.generic(init, getInput(), {space.full, space.kept},
                                 [&](OpBuilder &b, Location loc, ValueRange v) {
                                   return extremumOf(*this, b, loc, v[0], v[1]);
                                 });
  bool isLast = getLast();
  TypedAttr none = startOfIndex();
  return SmallVector<Value>{build.generic(
      build.filled(space.keptSizes, none), {getInput(), extremum},
      {space.full, space.kept, space.kept}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value index = arith::IndexCastOp::create(b, loc, b.getI32Type(),
                                                 linalg::IndexOp::create(b, loc, axis));
        Value other = arith::ConstantOp::create(b, loc, none);
        Value found = arith::SelectOp::create(b, loc, isExtremum(b, loc, v[0], v[1]), index, other);
        return isLast ? arith::MaxSIOp::create(b, loc, found, v[2]).getResult()
                      : arith::MinSIOp::create(b, loc, found, v[2]).getResult();
      })};
}

} // namespace kgen
