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

EighthTurn eighthTurnOf(const Emitter &emitter) {
  if (emitter.isF64())
    return {0x1.921fb54442d1p-1, 0x1.08d313198a2e0p-50};
  return {0x1.921fap-1, 0x1.54442d18469p-21};
}

Mask isLess(FloatValue a, FloatValue b) {
  const Emitter &emitter = a.where();
  return {emitter,
          mlir::arith::CmpFOp::create(emitter.builder, emitter.loc, mlir::arith::CmpFPredicate::OLT,
                                      a.value(), b.value())};
}

} // namespace

FloatValue atan2(FloatValue y, FloatValue x, const Emitter &emitter) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), eighth = 0x1.a8279ap-2;
  FloatValue height = y.magnitude(), width = x.magnitude();
  Mask isSteep = isLess(width, height);
  FloatValue smaller = isSteep.select(width, height), larger = isSteep.select(height, width);
  FloatValue quotient = smaller / larger;
  quotient = (larger == 0.0).select(0.0, quotient);
  quotient = (smaller == infinity).select(1.0, quotient);
  Mask isMedium = quotient > eighth; // tan(pi/8)
  FloatValue r = isMedium.select((quotient - 1.0) / (quotient + 1.0), quotient), square = r * r;

  // Mirrored at the diagonal, and at the axis: of a negative x, -0 included.
  Mask isLeft = !(x.bits() < uint64_t(1) << (emitter.isF64() ? 63 : 31));
  FloatValue turns = isMedium.select(1.0, x.constant(0.0));
  turns = isSteep.select(2.0 - turns, turns);
  turns = isLeft.select(4.0 - turns, turns);
  FloatValue sign = isSteep.select(-1.0, x.constant(1.0));
  r = r * isLeft.select(-1.0 * sign, sign);
  EighthTurn part = eighthTurnOf(emitter);
  FloatValue low =
      fma(r * square, polynomial(square, KGEN_TABLE(atanRest, emitter)), turns * part.rest);
  FloatValue result = (turns * part.head + (r + low)).withSignOf(y);
  return (x.isNaN() || y.isNaN()).select(x + y, result);
}

} // namespace kgen::vecmath
