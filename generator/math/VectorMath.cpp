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

static Value constantOf(const Site &site, Type type, Attribute element) {
  TypedAttr attribute = cast<TypedAttr>(element);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, element);
  return arith::ConstantOp::create(site.builder, site.loc, attribute);
}

/// Only with fused multiply-adds: targets with the same formulas compute the same bits.
Machine Machine::of(TargetAttr target) {
  if (!target || !target.cpu().hasFma)
    return {};
  const Cpu &cpu = target.cpu();
  unsigned lookupLanes = cpu.hasWideRegisterGather ? 16 : cpu.hasRegisterGather ? 8 : 0;
  return {true, lookupLanes, cpu.hasExponentInstructions, cpu.hasMagnitudeMinimum};
}

Type Site::bitsType() const { return withElement(type, builder.getIntegerType(isF64() ? 64 : 32)); }

Value Site::number(double value) const {
  return constantOf(*this, type, builder.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value Site::pattern(uint64_t value) const {
  Type bits = bitsType();
  APInt wide(64, value);
  Type element = getElementTypeOrSelf(bits);
  return constantOf(*this, bits,
                    builder.getIntegerAttr(element, wide.trunc(element.getIntOrFloatBitWidth())));
}

template <typename Op> static Value binary(const Site &site, Value a, Value b) {
  return Op::create(site.builder, site.loc, a, b);
}

Real Real::operator+(Real o) const {
  return {*site, binary<arith::AddFOp>(*site, handle, o.handle)};
}
Real Real::operator-(Real o) const {
  return {*site, binary<arith::SubFOp>(*site, handle, o.handle)};
}
Real Real::operator*(Real o) const {
  return {*site, binary<arith::MulFOp>(*site, handle, o.handle)};
}
Real Real::operator/(Real o) const {
  return {*site, binary<arith::DivFOp>(*site, handle, o.handle)};
}

Real Real::operator-() const {
  Value negated = arith::NegFOp::create(site->builder, site->loc, handle);
  return {*site, negated};
}

Real fma(Real a, Real b, Real c) {
  const Site &site = a.where();
  if (!site.machine.hasFma)
    return a * b + c;
  Value sum = math::FmaOp::create(site.builder, site.loc, a.value(), b.value(), c.value());
  return {site, sum};
}

static Value compare(const Site &site, arith::CmpFPredicate predicate, Value a, Value b) {
  return arith::CmpFOp::create(site.builder, site.loc, predicate, a, b);
}

Truth Real::operator<(double c) const {
  return {*site, compare(*site, arith::CmpFPredicate::OLT, handle, site->number(c))};
}

Truth Real::operator>(double c) const {
  return {*site, compare(*site, arith::CmpFPredicate::OGT, handle, site->number(c))};
}

Truth Real::operator==(double c) const {
  return {*site, compare(*site, arith::CmpFPredicate::OEQ, handle, site->number(c))};
}

Truth Real::operator==(Real other) const {
  return {*site, compare(*site, arith::CmpFPredicate::OEQ, handle, other.handle)};
}

Truth Real::isNaN() const {
  return {*site, compare(*site, arith::CmpFPredicate::UNO, handle, handle)};
}

Bits Real::bits() const {
  Value cast = arith::BitcastOp::create(site->builder, site->loc, site->bitsType(), handle);
  return {*site, cast};
}

static uint64_t signBit(const Site &site) { return uint64_t(1) << (site.isF64() ? 63 : 31); }

Bits Real::signBits() const { return bits() & signBit(*site); }

Real Real::magnitude() const { return (bits() & (signBit(*site) - 1)).real(); }

Real Real::withSignOf(Real other) const { return (magnitude().bits() | other.signBits()).real(); }

Real Real::atMost(double bound) const { return (*this > bound).select(bound, *this); }

Real Real::atLeast(double bound) const { return (*this < bound).select(bound, *this); }

Real Real::nearest() const {
  Value value = math::RoundEvenOp::create(site->builder, site->loc, handle);
  return {*site, value};
}

Real Real::truncated() const {
  Value value = math::TruncOp::create(site->builder, site->loc, handle);
  return {*site, value};
}

Real Real::root() const {
  Value value = math::SqrtOp::create(site->builder, site->loc, handle);
  return {*site, value};
}

Real Real::upperHalf() const {
  unsigned lost = (site->mantissaBits() + 2) / 2;
  return (bits() & ~((uint64_t(1) << lost) - 1)).real();
}

Bits Bits::operator+(Bits o) const {
  return {*site, binary<arith::AddIOp>(*site, handle, o.handle)};
}
Bits Bits::operator-(Bits o) const {
  return {*site, binary<arith::SubIOp>(*site, handle, o.handle)};
}
Bits Bits::operator&(Bits o) const {
  return {*site, binary<arith::AndIOp>(*site, handle, o.handle)};
}
Bits Bits::operator|(Bits o) const {
  return {*site, binary<arith::OrIOp>(*site, handle, o.handle)};
}

Bits Bits::operator<<(unsigned count) const {
  return {*site, binary<arith::ShLIOp>(*site, handle, site->pattern(count))};
}

Bits Bits::operator>>(unsigned count) const {
  return {*site, binary<arith::ShRUIOp>(*site, handle, site->pattern(count))};
}

Bits Bits::atMost(uint64_t bound) const {
  return {*site, binary<arith::MinUIOp>(*site, handle, site->pattern(bound))};
}

Truth Bits::operator<(uint64_t bound) const {
  Value less = arith::CmpIOp::create(site->builder, site->loc, arith::CmpIPredicate::ult, handle,
                                     site->pattern(bound));
  return {*site, less};
}

Real Bits::signedNumber() const {
  Value number = arith::SIToFPOp::create(site->builder, site->loc, site->type, handle);
  return {*site, number};
}

Real Bits::real() const {
  Value cast = arith::BitcastOp::create(site->builder, site->loc, site->type, handle);
  return {*site, cast};
}

Real Truth::select(Real yes, Real no) const {
  Value chosen = arith::SelectOp::create(site->builder, site->loc, handle, yes.value(), no.value());
  return {*site, chosen};
}

Bits Truth::select(Bits yes, Bits no) const {
  Value chosen = arith::SelectOp::create(site->builder, site->loc, handle, yes.value(), no.value());
  return {*site, chosen};
}

Truth Truth::operator&&(Truth o) const {
  return {*site, binary<arith::AndIOp>(*site, handle, o.handle)};
}

Truth Truth::operator||(Truth o) const {
  return {*site, binary<arith::OrIOp>(*site, handle, o.handle)};
}

Value Truth::any() const {
  auto vector = dyn_cast<VectorType>(handle.getType());
  if (!vector)
    return handle;
  Value flat = handle;
  auto type = VectorType::get({vector.getNumElements()}, vector.getElementType());
  if (type != vector)
    flat = vector::ShapeCastOp::create(site->builder, site->loc, type, flat);
  return vector::ReductionOp::create(site->builder, site->loc, vector::CombiningKind::OR, flat);
}

Truth Truth::operator!() const {
  Type type = handle.getType();
  Value one = constantOf(*site, type, site->builder.getBoolAttr(true));
  return {*site, binary<arith::XOrIOp>(*site, handle, one)};
}

/// As integers without sign, negative numbers are not less than -0.
Real positivePart(Real x) { return x.bits().atMost(signBit(x.where())).real(); }

/// Of vectors in several registers, the greater elements in one.
static Value inOneRegister(Bits bits) {
  const Site &site = bits.where();
  OpBuilder &b = site.builder;
  Value maximum = bits.value();
  auto type = dyn_cast<VectorType>(maximum.getType());
  const int64_t lanes = site.machine.lookupLanes;
  if (type && type.getRank() == 1 && lanes != 0)
    for (int64_t half = type.getNumElements() / 2; half >= lanes && half % lanes == 0; half /= 2) {
      auto part = [&](int64_t first) {
        return vector::ExtractStridedSliceOp::create(b, site.loc, maximum, first, half, 1);
      };
      maximum = arith::MaxUIOp::create(b, site.loc, part(0), part(half));
    }
  return maximum;
}

Value exceedsAnyLimit(ArrayRef<Limited> all) {
  const Site &site = all.front().bits.where();
  OpBuilder &b = site.builder;
  Value isAny;
  for (auto [bits, limit] : all) {
    Value maximum = inOneRegister(bits);
    Site reduced{b, site.loc, withElement(maximum.getType(), getElementTypeOrSelf(site.type)),
                 site.machine};
    Value isAbove = arith::CmpIOp::create(b, site.loc, arith::CmpIPredicate::ugt, maximum,
                                          reduced.pattern(limit));
    isAny = isAny ? arith::OrIOp::create(b, site.loc, isAny, isAbove) : isAbove;
  }
  return Truth(site, isAny).any();
}

Value rarely(const Site &site, Value condition) {
  Type type = site.builder.getI1Type();
  Value no = arith::ConstantOp::create(site.builder, site.loc, site.builder.getBoolAttr(false));
  return LLVM::ExpectOp::create(site.builder, site.loc, type, condition, no);
}

Real ifAny(Value condition, Real usual, llvm::function_ref<Real()> rare) {
  const Site &site = usual.where();
  OpBuilder &b = site.builder;
  auto choice = scf::IfOp::create(b, site.loc, TypeRange(site.type), rarely(site, condition), true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, site.loc, rare().value());
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, site.loc, usual.value());
  return {site, choice.getResult(0)};
}

Pair exactProduct(Real a, Real b) {
  Real product = a * b;
  if (a.where().machine.hasFma)
    return {product, fma(a, b, -product)};
  Real ah = a.upperHalf(), bh = b.upperHalf();
  Real al = a - ah, bl = b - bh;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

Pair exactSumOfOrdered(Real a, Real b) {
  Real sum = a + b;
  return {sum, b - (sum - a)};
}

Pair exactSum(Real a, Real b) {
  Real sum = a + b, second = sum - a;
  return {sum, (a - (sum - second)) + (b - second)};
}

Real horner(Real x, ArrayRef<double> coefficients) {
  Real sum = x.constant(coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, c);
  return sum;
}

Real evenOddHorner(Real x, ArrayRef<double> coefficients) {
  SmallVector<double> even, odd;
  for (auto [power, c] : llvm::enumerate(coefficients))
    (power % 2 ? odd : even).push_back(c);
  Real square = x * x;
  return fma(horner(square, odd), x, horner(square, even));
}

Real polynomial(Real x, ArrayRef<double> coefficients) {
  return coefficients.size() < 10 ? horner(x, coefficients) : evenOddHorner(x, coefficients);
}

} // namespace kgen::vecmath
