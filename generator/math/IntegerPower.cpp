#include "math/IntegerPower.h"
#include "math/Functions.h"

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::vecmath {

namespace {

Type typeLike(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

/// Operations on scalars or vectors of integers of one type.
struct Integers {
  OpBuilder &b;
  Location loc;
  Type type;

  Value number(int64_t value) const {
    TypedAttr element = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    auto vector = dyn_cast<VectorType>(type);
    return arith::ConstantOp::create(b, loc,
                                     vector ? DenseElementsAttr::get(vector, element) : element);
  }
  Value equals(Value x, int64_t value) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, number(value));
  }
  Value isNegative(Value x) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, number(0));
  }
  Value isOdd(Value x) const { return equals(arith::AndIOp::create(b, loc, x, number(1)), 1); }
  Value select(Value condition, Value yes, Value no) const {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
};

/// An integer of at most 64 bits as a sum of two numbers of f64.
Pair inPair(Value value, const Emitter &wide) {
  OpBuilder &b = wide.builder;
  Type i32 = typeLike(wide.type, b.getI32Type()), i64 = typeLike(wide.type, b.getI64Type());
  Type own = getElementTypeOrSelf(value.getType());
  auto toFloat = [&](Value integer) -> FloatValue {
    return {wide, arith::SIToFPOp::create(b, wide.loc, wide.type, integer)};
  };
  if (own.getIntOrFloatBitWidth() <= 32)
    return {toFloat(value), FloatValue(wide, wide.number(0))};
  Integers of64{b, wide.loc, i64};
  Value above = arith::ShRSIOp::create(b, wide.loc, value, of64.number(32));
  FloatValue upper = toFloat(arith::TruncIOp::create(b, wide.loc, i32, above)) * 0x1p32;
  Value below = arith::TruncIOp::create(b, wide.loc, i32, value);
  FloatValue lower(wide, arith::UIToFPOp::create(b, wide.loc, wide.type, below));
  return exactSumOfOrdered(upper, lower);
}

/// The sum in f32, whose digits beyond 48 do not matter.
Pair narrowed(Pair sum, const Emitter &emitter) {
  OpBuilder &b = emitter.builder;
  const Emitter &wide = sum.high.where();
  auto rounded = [&](FloatValue x) -> FloatValue {
    return {emitter, arith::TruncFOp::create(b, emitter.loc, emitter.type, x.value())};
  };
  FloatValue high = rounded(sum.high);
  FloatValue back(wide, arith::ExtFOp::create(b, emitter.loc, wide.type, high.value()));
  return {high, rounded(sum.high - back)};
}

} // namespace

/// Integers that are numbers of the type are exponents like others.
FloatValue powerOf(FloatValue x, Value exponent, const Emitter &emitter) {
  OpBuilder &b = emitter.builder;
  if (getElementTypeOrSelf(exponent.getType()).isIndex()) {
    Type i64 = typeLike(emitter.type, b.getI64Type());
    exponent = arith::IndexCastOp::create(b, emitter.loc, i64, exponent);
  }
  unsigned width = getElementTypeOrSelf(exponent.getType()).getIntOrFloatBitWidth();
  if (width <= emitter.mantissaBits() + 1) {
    FloatValue y(emitter, arith::SIToFPOp::create(b, emitter.loc, emitter.type, exponent));
    return pow(x, y, emitter);
  }
  Emitter wide{b, emitter.loc, typeLike(emitter.type, b.getF64Type()), emitter.machine};
  Pair y = inPair(exponent, wide);
  if (!emitter.isF64())
    y = narrowed(y, emitter);
  Mask isOdd(emitter, Integers{b, emitter.loc, exponent.getType()}.isOdd(exponent));
  return powerOfInteger(x, {{emitter, y.high.value()}, {emitter, y.low.value()}}, isOdd, emitter);
}

/// By squaring, as long as any exponent has digits left.
Value integerPower(OpBuilder &b, Location loc, Value x, Value y) {
  Type type = x.getType();
  Integers f{b, loc, type};
  if (getElementTypeOrSelf(type).isInteger(1)) // 0 and -1
    return arith::OrIOp::create(b, loc, x, arith::XOrIOp::create(b, loc, y, f.number(1)));
  auto goesOn = [&](OpBuilder &inner, Location at, ValueRange state) {
    Value isDone = Integers{inner, at, type}.equals(state[2], 0);
    Emitter emitter{inner, at, type};
    Value yes = arith::ConstantOp::create(inner, at, inner.getIntegerAttr(inner.getI1Type(), 1));
    if (auto vector = dyn_cast<VectorType>(isDone.getType()))
      yes = arith::ConstantOp::create(inner, at, DenseElementsAttr::get(vector, true));
    Mask isLeft(emitter, arith::XOrIOp::create(inner, at, isDone, yes));
    scf::ConditionOp::create(inner, at, isLeft.any(), state);
  };
  auto step = [&](OpBuilder &inner, Location at, ValueRange state) {
    Integers g{inner, at, type};
    Value product = arith::MulIOp::create(inner, at, state[0], state[1]);
    Value next[] = {g.select(g.isOdd(state[2]), product, state[0]),
                    arith::MulIOp::create(inner, at, state[1], state[1]),
                    arith::ShRUIOp::create(inner, at, state[2], g.number(1))};
    scf::YieldOp::create(inner, at, next);
  };
  Value isNegative = f.isNegative(y);
  // Of a negative exponent, whether it is odd is what matters.
  Value digits = f.select(isNegative, arith::AndIOp::create(b, loc, y, f.number(1)), y);
  Value state[] = {f.number(1), x, digits};
  Type types[] = {type, type, type};
  auto loop = scf::WhileOp::create(b, loc, TypeRange(types), ValueRange(state), goesOn, step);
  Value isUnit = arith::OrIOp::create(b, loc, f.equals(x, 1), f.equals(x, -1));
  Value fraction = f.select(isUnit, loop.getResult(0), f.number(0));
  return f.select(isNegative, fraction, loop.getResult(0));
}

} // namespace kgen::vecmath
