// atan2(y, x) = c + atan(r), with c a multiple of pi/4 and |r| <= tan(pi/8), by the quotient of the
// smaller and the larger of |x| and |y|, which neither overflows nor divides by 0.
#include "math/Coefficients.h"
#include "math/Functions.h"

#include <limits>

namespace kgen::vecmath {

namespace {

/// pi/4 as a head, whose product with 1 to 4 is exact, and a rest.
struct EighthTurn {
  double head, rest;
};

EighthTurn eighthTurnOf(const Site &site) {
  if (site.isF64())
    return {0x1.921fb54442d1p-1, 0x1.08d313198a2e0p-50};
  return {0x1.921fap-1, 0x1.54442d18469p-21};
}

Truth isLess(Real a, Real b) {
  const Site &site = a.where();
  return {site, mlir::arith::CmpFOp::create(site.builder, site.loc, mlir::arith::CmpFPredicate::OLT,
                                            a.value(), b.value())};
}

} // namespace

Real atan2(Real y, Real x, const Site &site) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), eighth = 0x1.a8279ap-2;
  Real height = y.magnitude(), width = x.magnitude();
  Truth isSteep = isLess(width, height);
  Real smaller = isSteep.select(width, height), larger = isSteep.select(height, width);
  Real quotient = smaller / larger;
  quotient = (larger == 0.0).select(0.0, quotient);
  quotient = (smaller == infinity).select(1.0, quotient);
  Truth isMedium = quotient > eighth; // tan(pi/8)
  Real r = isMedium.select((quotient - 1.0) / (quotient + 1.0), quotient), square = r * r;

  // Mirrored at the diagonal, and at the axis: of a negative x, -0 included.
  Truth isLeft = !(x.bits() < uint64_t(1) << (site.isF64() ? 63 : 31));
  Real turns = isMedium.select(1.0, x.constant(0.0));
  turns = isSteep.select(2.0 - turns, turns);
  turns = isLeft.select(4.0 - turns, turns);
  Real sign = isSteep.select(-1.0, x.constant(1.0));
  r = r * isLeft.select(-1.0 * sign, sign);
  EighthTurn part = eighthTurnOf(site);
  Real low = fma(r * square, polynomial(square, KGEN_TABLE(atanRest, site)), turns * part.rest);
  Real result = (turns * part.head + (r + low)).withSignOf(y);
  return (x.isNaN() || y.isNaN()).select(x + y, result);
}

} // namespace kgen::vecmath
