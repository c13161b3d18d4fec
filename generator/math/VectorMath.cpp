// The operators of the formula notation: each creates one operation of arith.
#include "math/VectorMath.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::vecmath {

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

static Value constantOf(const Emitter &emitter, Type type, Attribute element) {
  TypedAttr attribute = cast<TypedAttr>(element);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, element);
  return arith::ConstantOp::create(emitter.builder, emitter.loc, attribute);
}

/// Only with fused multiply-adds: targets with the same formulas compute the same bits.
MathTarget MathTarget::get(TargetAttr target) {
  if (!target || !target.cpu().hasFma)
    return {};
  const Cpu &cpu = target.cpu();
  unsigned lookupLanes = cpu.hasWideRegisterGather ? 16 : cpu.hasRegisterGather ? 8 : 0;
  return {true, lookupLanes, cpu.hasExponentInstructions, cpu.hasMagnitudeMinimum};
}

Type Emitter::bitsType() const {
  return withElement(type, builder.getIntegerType(isF64() ? 64 : 32));
}

Value Emitter::number(double value) const {
  return constantOf(*this, type, builder.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value Emitter::pattern(uint64_t value) const {
  Type bits = bitsType();
  APInt wide(64, value);
  Type element = getElementTypeOrSelf(bits);
  return constantOf(*this, bits,
                    builder.getIntegerAttr(element, wide.trunc(element.getIntOrFloatBitWidth())));
}

template <typename Op> static Value binary(const Emitter &emitter, Value a, Value b) {
  return Op::create(emitter.builder, emitter.loc, a, b);
}

FloatValue FloatValue::operator+(FloatValue o) const {
  return {*emitter, binary<arith::AddFOp>(*emitter, handle, o.handle)};
}
FloatValue FloatValue::operator-(FloatValue o) const {
  return {*emitter, binary<arith::SubFOp>(*emitter, handle, o.handle)};
}
FloatValue FloatValue::operator*(FloatValue o) const {
  return {*emitter, binary<arith::MulFOp>(*emitter, handle, o.handle)};
}
FloatValue FloatValue::operator/(FloatValue o) const {
  return {*emitter, binary<arith::DivFOp>(*emitter, handle, o.handle)};
}

FloatValue FloatValue::operator-() const {
  Value negated = arith::NegFOp::create(emitter->builder, emitter->loc, handle);
  return {*emitter, negated};
}

FloatValue fma(FloatValue a, FloatValue b, FloatValue c) {
  const Emitter &emitter = a.where();
  if (!emitter.machine.hasFma)
    return a * b + c;
  Value sum = math::FmaOp::create(emitter.builder, emitter.loc, a.value(), b.value(), c.value());
  return {emitter, sum};
}

static Value compare(const Emitter &emitter, arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(emitter.builder, emitter.loc, predicate, a, b);
}

Mask FloatValue::operator<(double c) const {
  return {*emitter, compare(*emitter, arith::CmpFPredicate::OLT, handle, emitter->number(c))};
}

Mask FloatValue::operator>(double c) const {
  return {*emitter, compare(*emitter, arith::CmpFPredicate::OGT, handle, emitter->number(c))};
}

Mask FloatValue::operator==(double c) const {
  return {*emitter, compare(*emitter, arith::CmpFPredicate::OEQ, handle, emitter->number(c))};
}

Mask FloatValue::operator==(FloatValue other) const {
  return {*emitter, compare(*emitter, arith::CmpFPredicate::OEQ, handle, other.handle)};
}

Mask FloatValue::isNaN() const {
  return {*emitter, compare(*emitter, arith::CmpFPredicate::UNO, handle, handle)};
}

BitsValue FloatValue::bits() const {
  Value cast =
      arith::BitcastOp::create(emitter->builder, emitter->loc, emitter->bitsType(), handle);
  return {*emitter, cast};
}

static uint64_t signBit(const Emitter &emitter) {
  return uint64_t(1) << (emitter.isF64() ? 63 : 31);
}

BitsValue FloatValue::signBits() const { return bits() & signBit(*emitter); }

FloatValue FloatValue::magnitude() const { return (bits() & (signBit(*emitter) - 1)).real(); }

FloatValue FloatValue::withSignOf(FloatValue other) const {
  return (magnitude().bits() | other.signBits()).real();
}

FloatValue FloatValue::atMost(double bound) const { return (*this > bound).select(bound, *this); }

FloatValue FloatValue::atLeast(double bound) const { return (*this < bound).select(bound, *this); }

FloatValue FloatValue::nearest() const {
  Value value = math::RoundEvenOp::create(emitter->builder, emitter->loc, handle);
  return {*emitter, value};
}

FloatValue FloatValue::truncated() const {
  Value value = math::TruncOp::create(emitter->builder, emitter->loc, handle);
  return {*emitter, value};
}

FloatValue FloatValue::root() const {
  Value value = math::SqrtOp::create(emitter->builder, emitter->loc, handle);
  return {*emitter, value};
}

FloatValue FloatValue::upperHalf() const {
  unsigned lost = (emitter->mantissaBits() + 2) / 2;
  return (bits() & ~((uint64_t(1) << lost) - 1)).real();
}

BitsValue BitsValue::operator+(BitsValue o) const {
  return {*emitter, binary<arith::AddIOp>(*emitter, handle, o.handle)};
}
BitsValue BitsValue::operator-(BitsValue o) const {
  return {*emitter, binary<arith::SubIOp>(*emitter, handle, o.handle)};
}
BitsValue BitsValue::operator&(BitsValue o) const {
  return {*emitter, binary<arith::AndIOp>(*emitter, handle, o.handle)};
}
BitsValue BitsValue::operator|(BitsValue o) const {
  return {*emitter, binary<arith::OrIOp>(*emitter, handle, o.handle)};
}

BitsValue BitsValue::operator<<(unsigned count) const {
  return {*emitter, binary<arith::ShLIOp>(*emitter, handle, emitter->pattern(count))};
}

BitsValue BitsValue::operator>>(unsigned count) const {
  return {*emitter, binary<arith::ShRUIOp>(*emitter, handle, emitter->pattern(count))};
}

BitsValue BitsValue::atMost(uint64_t bound) const {
  return {*emitter, binary<arith::MinUIOp>(*emitter, handle, emitter->pattern(bound))};
}

Mask BitsValue::operator<(uint64_t bound) const {
  Value less = arith::CmpIOp::create(emitter->builder, emitter->loc, arith::CmpIPredicate::ult,
                                     handle, emitter->pattern(bound));
  return {*emitter, less};
}

FloatValue BitsValue::signedNumber() const {
  Value number = arith::SIToFPOp::create(emitter->builder, emitter->loc, emitter->type, handle);
  return {*emitter, number};
}

FloatValue BitsValue::real() const {
  Value cast = arith::BitcastOp::create(emitter->builder, emitter->loc, emitter->type, handle);
  return {*emitter, cast};
}

FloatValue Mask::select(FloatValue yes, FloatValue no) const {
  Value chosen =
      arith::SelectOp::create(emitter->builder, emitter->loc, handle, yes.value(), no.value());
  return {*emitter, chosen};
}

BitsValue Mask::select(BitsValue yes, BitsValue no) const {
  Value chosen =
      arith::SelectOp::create(emitter->builder, emitter->loc, handle, yes.value(), no.value());
  return {*emitter, chosen};
}

Mask Mask::operator&&(Mask o) const {
  return {*emitter, binary<arith::AndIOp>(*emitter, handle, o.handle)};
}

Mask Mask::operator||(Mask o) const {
  return {*emitter, binary<arith::OrIOp>(*emitter, handle, o.handle)};
}

Value Mask::any() const {
  auto vector = dyn_cast<VectorType>(handle.getType());
  if (!vector)
    return handle;
  Value flat = handle;
  auto type = VectorType::get({vector.getNumElements()}, vector.getElementType());
  if (type != vector)
    flat = vector::ShapeCastOp::create(emitter->builder, emitter->loc, type, flat);
  return vector::ReductionOp::create(emitter->builder, emitter->loc, vector::CombiningKind::OR,
                                     flat);
}

Mask Mask::operator!() const {
  Type type = handle.getType();
  Value one = constantOf(*emitter, type, emitter->builder.getBoolAttr(true));
  return {*emitter, binary<arith::XOrIOp>(*emitter, handle, one)};
}

/// As integers without sign, negative numbers are not less than -0.
FloatValue positivePart(FloatValue x) { return x.bits().atMost(signBit(x.where())).real(); }

/// Of vectors in several registers, the greater elements in one.
static Value inOneRegister(BitsValue bits) {
  const Emitter &emitter = bits.where();
  OpBuilder &b = emitter.builder;
  Value maximum = bits.value();
  auto type = dyn_cast<VectorType>(maximum.getType());
  const int64_t lanes = emitter.machine.lookupLanes;
  if (type && type.getRank() == 1 && lanes != 0)
    for (int64_t half = type.getNumElements() / 2; half >= lanes && half % lanes == 0; half /= 2) {
      auto part = [&](int64_t first) {
        return vector::ExtractStridedSliceOp::create(b, emitter.loc, maximum, first, half, 1);
      };
      maximum = arith::MaxUIOp::create(b, emitter.loc, part(0), part(half));
    }
  return maximum;
}

Value exceedsAnyLimit(ArrayRef<Limited> all) {
  const Emitter &emitter = all.front().bits.where();
  OpBuilder &b = emitter.builder;
  Value isAny;
  for (auto [bits, limit] : all) {
    Value maximum = inOneRegister(bits);
    Emitter reduced{b, emitter.loc,
                    withElement(maximum.getType(), getElementTypeOrSelf(emitter.type)),
                    emitter.machine};
    Value isAbove = arith::CmpIOp::create(b, emitter.loc, arith::CmpIPredicate::ugt, maximum,
                                          reduced.pattern(limit));
    isAny = isAny ? arith::OrIOp::create(b, emitter.loc, isAny, isAbove) : isAbove;
  }
  return Mask(emitter, isAny).any();
}

Value rarely(const Emitter &emitter, Value condition) {
  Type type = emitter.builder.getI1Type();
  Value no =
      arith::ConstantOp::create(emitter.builder, emitter.loc, emitter.builder.getBoolAttr(false));
  return LLVM::ExpectOp::create(emitter.builder, emitter.loc, type, condition, no);
}

FloatValue ifAny(Value condition, FloatValue usual, llvm::function_ref<FloatValue()> rare) {
  const Emitter &emitter = usual.where();
  OpBuilder &b = emitter.builder;
  auto choice =
      scf::IfOp::create(b, emitter.loc, TypeRange(emitter.type), rarely(emitter, condition), true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, emitter.loc, rare().value());
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, emitter.loc, usual.value());
  return {emitter, choice.getResult(0)};
}

Pair exactProduct(FloatValue a, FloatValue b) {
  FloatValue product = a * b;
  if (a.where().machine.hasFma)
    return {product, fma(a, b, -product)};
  FloatValue ah = a.upperHalf(), bh = b.upperHalf();
  FloatValue al = a - ah, bl = b - bh;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

Pair exactSumOfOrdered(FloatValue a, FloatValue b) {
  FloatValue sum = a + b;
  return {sum, b - (sum - a)};
}

Pair exactSum(FloatValue a, FloatValue b) {
  FloatValue sum = a + b, second = sum - a;
  return {sum, (a - (sum - second)) + (b - second)};
}

FloatValue horner(FloatValue x, ArrayRef<double> coefficients) {
  FloatValue sum = x.constant(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, c);
  return sum;
}

FloatValue evenOddHorner(FloatValue x, ArrayRef<double> coefficients) {
  SmallVector<double> even, odd;
  for (auto [power, c] : llvm::enumerate(coefficients))
    (power % 2 ? odd : even).push_back(c);
  FloatValue square = x * x;
  return fma(horner(square, odd), x, horner(square, even));
}

FloatValue polynomial(FloatValue x, ArrayRef<double> coefficients) {
  return coefficients.size() < 10 ? horner(x, coefficients) : evenOddHorner(x, coefficients);
}

} // namespace kgen::vecmath
