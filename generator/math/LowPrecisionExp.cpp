// A polynomial without lookups takes as few operations as a shorter one with a table, and no
// registers for tables.
#include "math/LowPrecisionExp.h"
#include "math/Coefficients.h"

#include <cmath>

namespace kgen::vecmath {

/// Adding 1.5 * 2^23 plus the bias leaves the biased exponent in the low bits of the sum. The shift
/// moves them to the exponent field and drops the bits above. The product is not rounded before its
/// integer part is subtracted (fma).
LowPrecisionExp lowPrecisionExp2(FloatValue x, FloatValue scale, int by, const Emitter &emitter) {
  double magic = 0x1.8p23 + emitter.exponentBias() + by;
  FloatValue shifted = fma(x, scale, magic);
  FloatValue r = fma(x, scale, magic - shifted);
  FloatValue factor = (shifted.bits() << emitter.mantissaBits()).real();
  return {horner(r, KGEN_LOW_PRECISION_TABLE(exp2, emitter)), factor, shifted.bits()};
}

/// Numerator and denominator are divided by 2^26, so that the exponential does not overflow while
/// the result is not yet 0.
FloatValue lowPrecisionLogistic(FloatValue x, FloatValue scale, const Emitter &emitter) {
  constexpr int by = -26;
  double one = std::ldexp(1.0, by);
  return one / lowPrecisionExp2(x, scale, by, emitter).plus(one);
}

} // namespace kgen::vecmath
