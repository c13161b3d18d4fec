// atan(x) = c + atan(r), with c a multiple of pi/4 and |r| <= tan(pi/8).
#include "math/Coefficients.h"
#include "math/Functions.h"
#include "math/TableLookup.h"

namespace kgen::vecmath {

/// With z = min(|x|, 1) / max(|x|, 1): z q(z^2), or pi/2 minus that for |x| > 1.
static FloatValue lowPrecisionAtan(FloatValue x, const Emitter &emitter) {
  constexpr double quarterTurn = 0x1.921fb54442d18p+0;
  FloatValue a = x.magnitude();
  FloatValue z = a.atMost(1.0) / a.atLeast(1.0);
  FloatValue p = z * horner(z * z, KGEN_LOW_PRECISION_TABLE(atanSlope, emitter));
  FloatValue result = (a > 1.0).select(quarterTurn - p, p);
  return (result.bits() | x.signBits()).real();
}

/// r is |x|, (|x| - 1) / (|x| + 1) or -1 / |x|, computed by one division.
FloatValue atan(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return lowPrecisionAtan(x, emitter);
  constexpr double eighth = 0x1.a8279ap-2, threeEighths = 0x1.3504f3p+1; // tan(pi/8), tan(3 pi/8)
  const double eighthTurn = 0x1.921fb54442d18p-1;
  // pi/4 as a sum of two numbers of the type.
  const double head = emitter.isF64() ? eighthTurn : 0x1.921fb6p-1;
  const double rest = emitter.isF64() ? 0x1.1a62633145c07p-55 : eighthTurn - head;
  FloatValue a = x.magnitude();
  Mask isLarge = a > threeEighths, isMedium = a > eighth;
  FloatValue zero = a.constant(0.0);
  FloatValue numerator = isLarge.select(-1.0, isMedium.select(a - 1.0, a));
  FloatValue divisor = isLarge.select(a, isMedium.select(a + 1.0, a.constant(1.0)));
  FloatValue r = numerator / divisor, square = r * r;
  auto turns = [&](double one) { return isLarge.select(2 * one, isMedium.select(one, zero)); };
  FloatValue low = fma(r * square, polynomial(square, KGEN_TABLE(atanRest, emitter)), turns(rest));
  return (turns(head) + (r + low)).withSignOf(x);
}

} // namespace kgen::vecmath
