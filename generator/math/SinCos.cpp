// sin and cos of f32: a multiple of pi (for cos an odd multiple of pi/2) is subtracted from x; the
// remainder is in [-pi/2, pi/2].
#include "math/SinCos.h"
#include "math/TableLookup.h"

#include "math/Coefficients.h"
#include "math/Functions.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::vecmath {

FloatValue moduloFour(FloatValue x) { return fma((x * 0.25).nearest(), -4.0, x); }

Division divide(FloatValue x, const Emitter &emitter, double limit, Division (*near)(FloatValue),
                Division (*far)(FloatValue)) {
  Division usual = near(x);
  Mask isFar = !(x.magnitude() < limit);
  OpBuilder &b = emitter.builder;
  Type types[] = {emitter.type, emitter.type, emitter.type};
  auto choice = scf::IfOp::create(b, emitter.loc, TypeRange(types), rarely(emitter, isFar), true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Division rare = far(x);
    Value results[] = {isFar.select(rare.quotient, usual.quotient).value(),
                       isFar.select(rare.remainder, usual.remainder).value(),
                       isFar.select(rare.rest, usual.rest).value()};
    scf::YieldOp::create(b, emitter.loc, results);
    b.setInsertionPointToStart(choice.elseBlock());
    Value same[] = {usual.quotient.value(), usual.remainder.value(), usual.rest.value()};
    scf::YieldOp::create(b, emitter.loc, same);
  }
  return {{emitter, choice.getResult(0)},
          {emitter, choice.getResult(1)},
          {emitter, choice.getResult(2)}};
}

FloatValue selectByQuadrant(FloatValue quotient, double shift, FloatValue sine, FloatValue cosine) {
  FloatValue quadrant = moduloFour(quotient + shift);
  FloatValue result = (quadrant.magnitude() == 1.0).select(cosine, sine);
  // Quotients of 2 and 3 (-2 and -1) change the sign.
  Mask isNegative = quadrant < 0.0 || quadrant == 2.0;
  return isNegative.select(-1.0 * result, result);
}

namespace {

Type inF64(const Emitter &emitter) {
  Type element = emitter.builder.getF64Type();
  auto vector = dyn_cast<VectorType>(emitter.type);
  return vector ? Type(vector.clone(element)) : element;
}

/// x + shift pi/2 = count pi + rest with an integer count. Odd counts change the sign.
struct HalfTurns {
  BitsValue sign;
  FloatValue rest; // f32
};

/// Added to a number, it leaves the nearest integer in the low bits.
constexpr double magic = 0x1.8p23;
BitsValue signOfCount(FloatValue shifted) { return shifted.bits() << 31; }

FloatValue roundToF32(FloatValue wide, const Emitter &emitter) {
  Value value = arith::TruncFOp::create(emitter.builder, emitter.loc, emitter.type, wide.value());
  return {emitter, value};
}

/// With fused multiply-adds and so few half turns, the first difference is exact. Numbers of 16
/// bits are not so close to a multiple of pi that its last part matters.
HalfTurns divideNear(FloatValue x, double shift, const Emitter &emitter) {
  constexpr double parts[] = {0x1.921fb4p+1, 0x1.4442dp-23, 0x1.846988p-47};
  constexpr double inverse = 0x1.45f306dc9c883p-2;
  FloatValue sum = shift == 0.0 ? fma(x, inverse, magic) : fma(x, inverse, shift / 2) + magic;
  FloatValue count = sum - magic;
  FloatValue n = shift == 0.0 ? count : count - shift / 2;
  // Towards zero, so that all parts are positive and -0 stays.
  FloatValue rest = x;
  for (double part : ArrayRef<double>(parts).drop_back(isLowPrecision(emitter) ? 1 : 0))
    rest = fma(n, -part, rest);
  return {signOfCount(sum), rest};
}

/// In f64, where the count has so few bits that its product with the first part of pi is exact
/// (W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980).
HalfTurns divideNearInF64(FloatValue x, double shift, const Emitter &emitter) {
  constexpr double head = 0x1.921fb54000000p+1, rest = 0x1.10b4611a62633p-29;
  constexpr double inverse = 0x1.45f306dc9c883p-2;
  FloatValue count = (x * inverse + shift / 2).nearest(), n = count - shift / 2;
  return {signOfCount(roundToF32(count, emitter) + magic),
          roundToF32(fma(n, -rest, fma(n, -head, x)), emitter)};
}

/// 2/pi in parts of 29 bits, whose products with 24 bits are exact; multiples of 4 are dropped from
/// each. The idea is that of M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric
/// functions", 1983: bits of 2/pi that contribute full turns do not
/// matter.
HalfTurns divideFar(FloatValue x, double shift, const Emitter &emitter) {
  constexpr double parts[] = {0x1.45f306d000000p-1,  0x1.9391054000000p-30,  0x1.4fe13ab000000p-59,
                              0x1.d1f534d000000p-88, 0x1.b81b6c5000000p-117, 0x1.5993c40000000p-148,
                              0x1.c820ff2000000p-175};
  FloatValue sum = moduloFour(x * parts[0]), low = x.constant(0.0);
  for (double part : ArrayRef<double>(parts).drop_front()) {
    Pair next = exactSum(sum, moduloFour(x * part));
    sum = next.high;
    low = low + next.low;
  }
  // From quarter turns to half turns.
  FloatValue count = ((sum + shift) * 0.5).nearest();
  constexpr double halfPi = 0x1.921fb54442d18p+0;
  FloatValue rest = ((sum - (2.0 * count - shift)) + low) * halfPi;
  return {signOfCount(roundToF32(count, emitter) + magic), roundToF32(rest, emitter)};
}

/// The longer division is in a branch that is taken only if a vector holds a number that needs it;
/// no finite f16 does.
HalfTurns halfTurns(FloatValue x, double shift, const Emitter &emitter) {
  OpBuilder &b = emitter.builder;
  Emitter wide{b, emitter.loc, inF64(emitter), emitter.machine};
  auto extended = [&]() -> FloatValue {
    Value value = arith::ExtFOp::create(b, emitter.loc, wide.type, x.value());
    return {wide, value};
  };
  HalfTurns usual = emitter.machine.hasFma ? divideNear(x, shift, emitter)
                                           : divideNearInF64(extended(), shift, emitter);
  if (isLowPrecision(emitter) && emitter.significantBits > 8)
    return usual;
  Mask isFar = !(x.magnitude() < nearLimitF32);
  Type types[] = {emitter.bitsType(), emitter.type};
  auto choice = scf::IfOp::create(b, emitter.loc, TypeRange(types), rarely(emitter, isFar), true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  HalfTurns rare = divideFar(extended(), shift, emitter);
  Value results[] = {isFar.select(rare.sign, usual.sign).value(),
                     isFar.select(rare.rest, usual.rest).value()};
  scf::YieldOp::create(b, emitter.loc, results);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, emitter.loc, ValueRange{usual.sign.value(), usual.rest.value()});
  return {{emitter, choice.getResult(0)}, {emitter, choice.getResult(1)}};
}

/// sin(x) for a shift of 0, cos(x) = sin(x + pi/2) for a shift of 1.
FloatValue shifted(FloatValue x, double shift, const Emitter &emitter) {
  if (emitter.isF64())
    return shiftedF64(x, shift, emitter);
  HalfTurns turns = halfTurns(x, shift, emitter);
  FloatValue r = turns.rest;
  ArrayRef<double> slopes = sinSlopesF32;
  if (isLowPrecision(emitter))
    slopes = KGEN_LOW_PRECISION_TABLE(sinSlopes, emitter);
  return ((r * horner(r * r, slopes)).bits() + turns.sign).real();
}

} // namespace

FloatValue sin(FloatValue x, const Emitter &emitter) {
  FloatValue result = shifted(x, 0.0, emitter);
  return emitter.isF64() && !emitter.machine.hasFma ? (x == 0.0).select(x, result)
                                                    : result; // -0 stays
}

FloatValue cos(FloatValue x, const Emitter &emitter) { return shifted(x, 1.0, emitter); }

} // namespace kgen::vecmath
