// sin and cos of f32: x is divided by pi/2 in f64, and the remainder in [-pi/4, pi/4] goes through
// Taylor's series, of sin or of cos as the quotient says.
#include "transforms/math/SinCos.h"

#include "transforms/math/Functions.h"

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
  auto choice = scf::IfOp::create(b, site.loc, TypeRange(types), isFar.any(), true);
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

Real turn(Real quotient, double shift, Real sine, Real cosine) {
  Real turned = moduloFour(quotient + shift);
  Real result = (turned.magnitude() == 1.0).select(cosine, sine);
  // Quotients of 2 and 3 (-2 and -1) change the sign.
  Truth isNegative = turned < 0.0 || turned == 2.0;
  return isNegative.select(-1.0 * result, result);
}

namespace {

Type inF64(const Site &site) {
  Type element = site.builder.getF64Type();
  auto vector = dyn_cast<VectorType>(site.type);
  return vector ? Type(vector.clone(element)) : element;
}

/// Up to here the quotient has so few digits that its product with the first part of pi/2 is exact
/// (W. J. Cody, W. Waite, "Software Manual for the Elementary Functions", 1980).
constexpr double nearLimit = 1 << 21;

Division divideNear(Real x) {
  constexpr double head = 0x1.921fb54000000p+0, rest = 0x1.10b4611a62633p-30;
  constexpr double inverse = 0x1.45f306dc9c883p-1;
  Real n = (x * inverse).nearest();
  return {moduloFour(n), fma(n, -rest, fma(n, -head, x)), x.constant(0.0)};
}

/// 2/pi in parts of 29 bits, whose products with 24 bits are exact; multiples of 4 are dropped from
/// each. The idea is that of M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric
/// functions", 1983: digits of 2/pi that make whole turns do not matter.
Division divideFar(Real x) {
  constexpr double parts[] = {0x1.45f306d000000p-1,  0x1.9391054000000p-30,  0x1.4fe13ab000000p-59,
                              0x1.d1f534d000000p-88, 0x1.b81b6c5000000p-117, 0x1.5993c40000000p-148,
                              0x1.c820ff2000000p-175};
  Real sum = moduloFour(x * parts[0]), low = x.constant(0.0);
  for (double part : ArrayRef<double>(parts).drop_front()) {
    Pair next = exactSum(sum, moduloFour(x * part));
    sum = next.high;
    low = low + next.low;
  }
  Real quotient = sum.nearest();
  constexpr double halfPi = 0x1.921fb54442d18p+0;
  return {moduloFour(quotient), ((sum - quotient) + low) * halfPi, x.constant(0.0)};
}

/// sin(x) for a shift of 0, cos(x) = sin(x + pi/2) for a shift of 1.
Real shifted(Real x, double shift, const Site &site) {
  if (site.isF64())
    return shiftedF64(x, shift, site);
  Site wide{site.builder, site.loc, inF64(site), site.hasFma};
  Value argument = arith::ExtFOp::create(site.builder, site.loc, wide.type, x.value());
  Division by = divide({wide, argument}, wide, nearLimit, divideNear, divideFar);
  auto narrow = [&](Real v) -> Real {
    Value value = arith::TruncFOp::create(site.builder, site.loc, site.type, v.value());
    return {site, value};
  };
  Real r = narrow(by.remainder), z = r * r;

  constexpr double ofSin[] = {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880};
  constexpr double ofCos[] = {1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800};
  Real sine = fma(r, z * horner(z, ofSin), r);
  Real half = 0.5 * z, top = 1.0 - half;
  Real cosine = top + fma(z * z, horner(z, ofCos), (1.0 - top) - half);
  return turn(narrow(by.quotient), shift, sine, cosine);
}

} // namespace

Real sin(Real x, const Site &site) {
  return (x == 0.0).select(x, shifted(x, 0.0, site)); // -0 stays
}

Real cos(Real x, const Site &site) { return shifted(x, 1.0, site); }

} // namespace kgen::vecmath
