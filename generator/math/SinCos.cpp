// sin and cos of f32: a multiple of pi (for cos an odd multiple of pi/2) is subtracted from x; the
// remainder is in [-pi/2, pi/2].
#include "math/SinCos.h"
#include "math/TableLookup.h"

#include "math/Coefficients.h"
#include "math/Functions.h"

#include <mlir/Dialect/SCF/IR/SCF.h>

using namespace mlir;

namespace kgen::vecmath {

Real moduloFour(Real x) { return fma((x * 0.25).nearest(), -4.0, x); }

Division divide(Real x, const Site &site, double limit, Division (*near)(Real),
                Division (*far)(Real)) {
  Division usual = near(x);
  Truth isFar = !(x.magnitude() < limit);
  OpBuilder &b = site.builder;
  Type types[] = {site.type, site.type, site.type};
  auto choice = scf::IfOp::create(b, site.loc, TypeRange(types), rarely(site, isFar), true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Division rare = far(x);
    Value results[] = {isFar.select(rare.quotient, usual.quotient).value(),
                       isFar.select(rare.remainder, usual.remainder).value(),
                       isFar.select(rare.rest, usual.rest).value()};
    scf::YieldOp::create(b, site.loc, results);
    b.setInsertionPointToStart(choice.elseBlock());
    Value same[] = {usual.quotient.value(), usual.remainder.value(), usual.rest.value()};
    scf::YieldOp::create(b, site.loc, same);
  }
  return {{site, choice.getResult(0)}, {site, choice.getResult(1)}, {site, choice.getResult(2)}};
}

Real selectByQuadrant(Real quotient, double shift, Real sine, Real cosine) {
  Real quadrant = moduloFour(quotient + shift);
  Real result = (quadrant.magnitude() == 1.0).select(cosine, sine);
  // Quotients of 2 and 3 (-2 and -1) change the sign.
  Truth isNegative = quadrant < 0.0 || quadrant == 2.0;
  return isNegative.select(-1.0 * result, result);
}

namespace {

Type inF64(const Site &site) {
  Type element = site.builder.getF64Type();
  auto vector = dyn_cast<VectorType>(site.type);
  return vector ? Type(vector.clone(element)) : element;
}

/// x + shift pi/2 = count pi + rest with an integer count. Odd counts change the sign.
struct HalfTurns {
  Bits sign;
  Real rest; // f32
};

/// Added to a number, it leaves the nearest integer in the low bits.
constexpr double magic = 0x1.8p23;
Bits signOfCount(Real shifted) { return shifted.bits() << 31; }

Real roundToF32(Real wide, const Site &site) {
  Value value = arith::TruncFOp::create(site.builder, site.loc, site.type, wide.value());
  return {site, value};
}

/// With fused multiply-adds and so few half turns, the first difference is exact. Numbers of 16
/// bits are not so close to a multiple of pi that its last part matters.
HalfTurns divideNear(Real x, double shift, const Site &site) {
  constexpr double parts[] = {0x1.921fb4p+1, 0x1.4442dp-23, 0x1.846988p-47};
  constexpr double inverse = 0x1.45f306dc9c883p-2;
  Real sum = shift == 0.0 ? fma(x, inverse, magic) : fma(x, inverse, shift / 2) + magic;
  Real count = sum - magic;
  Real n = shift == 0.0 ? count : count - shift / 2;
  // Towards zero, so that all parts are positive and -0 stays.
  Real rest = x;
  for (double part : ArrayRef<double>(parts).drop_back(isLowPrecision(site) ? 1 : 0))
    rest = fma(n, -part, rest);
  return {signOfCount(sum), rest};
}

/// In f64, where the count has so few bits that its product with the first part of pi is exact
/// (W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980).
HalfTurns divideNearInF64(Real x, double shift, const Site &site) {
  constexpr double head = 0x1.921fb54000000p+1, rest = 0x1.10b4611a62633p-29;
  constexpr double inverse = 0x1.45f306dc9c883p-2;
  Real count = (x * inverse + shift / 2).nearest(), n = count - shift / 2;
  return {signOfCount(roundToF32(count, site) + magic),
          roundToF32(fma(n, -rest, fma(n, -head, x)), site)};
}

/// 2/pi in parts of 29 bits, whose products with 24 bits are exact; multiples of 4 are dropped from
/// each. The idea is that of M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric
/// functions", 1983: bits of 2/pi that contribute full turns do not
/// matter.
HalfTurns divideFar(Real x, double shift, const Site &site) {
  constexpr double parts[] = {0x1.45f306d000000p-1,  0x1.9391054000000p-30,  0x1.4fe13ab000000p-59,
                              0x1.d1f534d000000p-88, 0x1.b81b6c5000000p-117, 0x1.5993c40000000p-148,
                              0x1.c820ff2000000p-175};
  Real sum = moduloFour(x * parts[0]), low = x.constant(0.0);
  for (double part : ArrayRef<double>(parts).drop_front()) {
    Pair next = exactSum(sum, moduloFour(x * part));
    sum = next.high;
    low = low + next.low;
  }
  // From quarter turns to half turns.
  Real count = ((sum + shift) * 0.5).nearest();
  constexpr double halfPi = 0x1.921fb54442d18p+0;
  Real rest = ((sum - (2.0 * count - shift)) + low) * halfPi;
  return {signOfCount(roundToF32(count, site) + magic), roundToF32(rest, site)};
}

/// The longer division is in a branch that is taken only if a vector holds a number that needs it;
/// no finite f16 does.
HalfTurns halfTurns(Real x, double shift, const Site &site) {
  OpBuilder &b = site.builder;
  Site wide{b, site.loc, inF64(site), site.machine};
  auto extended = [&]() -> Real {
    Value value = arith::ExtFOp::create(b, site.loc, wide.type, x.value());
    return {wide, value};
  };
  HalfTurns usual =
      site.machine.hasFma ? divideNear(x, shift, site) : divideNearInF64(extended(), shift, site);
  if (isLowPrecision(site) && site.significantBits > 8)
    return usual;
  Truth isFar = !(x.magnitude() < nearLimitF32);
  Type types[] = {site.bitsType(), site.type};
  auto choice = scf::IfOp::create(b, site.loc, TypeRange(types), rarely(site, isFar), true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  HalfTurns rare = divideFar(extended(), shift, site);
  Value results[] = {isFar.select(rare.sign, usual.sign).value(),
                     isFar.select(rare.rest, usual.rest).value()};
  scf::YieldOp::create(b, site.loc, results);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, site.loc, ValueRange{usual.sign.value(), usual.rest.value()});
  return {{site, choice.getResult(0)}, {site, choice.getResult(1)}};
}

/// sin(x) for a shift of 0, cos(x) = sin(x + pi/2) for a shift of 1.
Real shifted(Real x, double shift, const Site &site) {
  if (site.isF64())
    return shiftedF64(x, shift, site);
  HalfTurns turns = halfTurns(x, shift, site);
  Real r = turns.rest;
  ArrayRef<double> slopes = sinSlopesF32;
  if (isLowPrecision(site))
    slopes = KGEN_LOW_PRECISION_TABLE(sinSlopes, site);
  return ((r * horner(r * r, slopes)).bits() + turns.sign).real();
}

} // namespace

Real sin(Real x, const Site &site) {
  Real result = shifted(x, 0.0, site);
  return site.isF64() && !site.machine.hasFma ? (x == 0.0).select(x, result) : result; // -0 stays
}

Real cos(Real x, const Site &site) { return shifted(x, 1.0, site); }

} // namespace kgen::vecmath
