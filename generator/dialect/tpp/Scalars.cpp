#include "dialect/tpp/Scalars.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen::tpp::scalar {

static Value number(OpBuilder &b, Location loc, Type type, double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

static Value choose(OpBuilder &b, Location loc, arith::CmpFPredicate predicate, Value left,
                    Value right, Value then, Value otherwise) {
  Value condition = arith::CmpFOp::create(b, loc, predicate, left, right);
  return arith::SelectOp::create(b, loc, condition, then, otherwise);
}

/// FloatOp or IntegerOp, by type.
template <typename FloatOp, typename IntegerOp>
static Value byType(OpBuilder &b, Location loc, ValueRange x) {
  if (isa<FloatType>(x[0].getType()))
    return FloatOp::create(b, loc, TypeRange{x[0].getType()}, x);
  return IntegerOp::create(b, loc, TypeRange{x[0].getType()}, x);
}

Value relu(OpBuilder &b, Location loc, ValueRange x) {
  Value zero = number(b, loc, x[0].getType(), 0.0);
  return choose(b, loc, arith::CmpFPredicate::OGT, zero, x[0], zero, x[0]);
}

Value leakyRelu(OpBuilder &b, Location loc, ValueRange x, double alpha) {
  Type type = x[0].getType();
  Value slope = number(b, loc, type, alpha), zero = number(b, loc, type, 0.0);
  Value scaled = arith::MulFOp::create(b, loc, x[0], slope);
  return choose(b, loc, arith::CmpFPredicate::OLT, x[0], zero, scaled, x[0]);
}

Value sigmoid(OpBuilder &b, Location loc, ValueRange x) {
  return kgen::SigmoidOp::create(b, loc, x[0].getType(), x[0]);
}

Value gelu(OpBuilder &b, Location loc, ValueRange x) {
  return kgen::GeluOp::create(b, loc, x[0].getType(), x[0]);
}

Value geluTanh(OpBuilder &b, Location loc, ValueRange x) {
  return GeluTanhOp::create(b, loc, x[0].getType(), x[0]);
}

Value tanh(OpBuilder &b, Location loc, ValueRange x) { return math::TanhOp::create(b, loc, x[0]); }
Value exp(OpBuilder &b, Location loc, ValueRange x) { return math::ExpOp::create(b, loc, x[0]); }
Value log(OpBuilder &b, Location loc, ValueRange x) { return math::LogOp::create(b, loc, x[0]); }
Value sqrt(OpBuilder &b, Location loc, ValueRange x) { return math::SqrtOp::create(b, loc, x[0]); }

Value reciprocal(OpBuilder &b, Location loc, ValueRange x) {
  return arith::DivFOp::create(b, loc, number(b, loc, x[0].getType(), 1.0), x[0]);
}

Value neg(OpBuilder &b, Location loc, ValueRange x) {
  if (isa<FloatType>(x[0].getType()))
    return arith::NegFOp::create(b, loc, x[0]);
  return arith::SubIOp::create(b, loc, zero(b, loc, x[0].getType()), x[0]);
}

Value abs(OpBuilder &b, Location loc, ValueRange x) {
  return byType<math::AbsFOp, math::AbsIOp>(b, loc, x);
}
Value add(OpBuilder &b, Location loc, ValueRange x) {
  return byType<arith::AddFOp, arith::AddIOp>(b, loc, x);
}
Value sub(OpBuilder &b, Location loc, ValueRange x) {
  return byType<arith::SubFOp, arith::SubIOp>(b, loc, x);
}
Value mul(OpBuilder &b, Location loc, ValueRange x) {
  return byType<arith::MulFOp, arith::MulIOp>(b, loc, x);
}
Value max(OpBuilder &b, Location loc, ValueRange x) {
  return byType<arith::MaximumFOp, arith::MaxSIOp>(b, loc, x);
}
Value min(OpBuilder &b, Location loc, ValueRange x) {
  return byType<arith::MinimumFOp, arith::MinSIOp>(b, loc, x);
}
Value maximum(OpBuilder &b, Location loc, ValueRange x, bool isUnsigned) {
  return isUnsigned ? arith::MaxUIOp::create(b, loc, x[0], x[1]).getResult() : max(b, loc, x);
}
Value minimum(OpBuilder &b, Location loc, ValueRange x, bool isUnsigned) {
  return isUnsigned ? arith::MinUIOp::create(b, loc, x[0], x[1]).getResult() : min(b, loc, x);
}
Value div(OpBuilder &b, Location loc, ValueRange x) {
  return arith::DivFOp::create(b, loc, x[0], x[1]);
}

Value isExtremum(OpBuilder &b, Location loc, ValueRange x) {
  if (isa<IntegerType>(x[0].getType()))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x[0], x[1]);
  Value equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x[0], x[1]);
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x[0], x[0]);
  return arith::OrIOp::create(b, loc, equal, isNaN);
}

/// An integer as one of at least 32 bits with a sign, in the same order.
static Value orderedInteger(OpBuilder &b, Location loc, Value x, bool isUnsigned) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Type i32 = b.getI32Type();
  if (width < 32)
    return isUnsigned ? arith::ExtUIOp::create(b, loc, i32, x).getResult()
                      : arith::ExtSIOp::create(b, loc, i32, x).getResult();
  if (!isUnsigned)
    return x;
  Value sign =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(x.getType(), APInt::getSignMask(width)));
  return arith::XOrIOp::create(b, loc, x, sign);
}

Value ordered(OpBuilder &b, Location loc, Value x, bool isUnsigned) {
  if (isa<IntegerType>(x.getType()))
    return orderedInteger(b, loc, x, isUnsigned);
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(width);
  auto number = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(integer, value));
  };
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  Value positive = arith::AddFOp::create(b, loc, x, zero(b, loc, x.getType()));
  Value bits = arith::BitcastOp::create(b, loc, integer, positive);
  Value sign = arith::ShRSIOp::create(b, loc, bits, number(APInt(width, width - 1)));
  Value largest = number(APInt::getSignedMaxValue(width));
  Value flipped = arith::AndIOp::create(b, loc, sign, largest);
  return arith::SelectOp::create(b, loc, isNaN, largest,
                                 arith::XOrIOp::create(b, loc, bits, flipped));
}

Value zero(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

Value convert(OpBuilder &b, Location loc, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (isa<IntegerType>(from)) {
    if (isa<FloatType>(type))
      return arith::SIToFPOp::create(b, loc, type, value);
    if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return arith::ExtSIOp::create(b, loc, type, value);
    return arith::TruncIOp::create(b, loc, type, value);
  }
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type, value);
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return arith::TruncFOp::create(b, loc, type, value);
  // bf16 and f16: by way of f32, which holds both.
  return arith::TruncFOp::create(b, loc, type,
                                 arith::ExtFOp::create(b, loc, b.getF32Type(), value));
}

} // namespace kgen::tpp::scalar
