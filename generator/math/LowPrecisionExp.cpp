// A polynomial without lookups takes as few operations as a shorter one with a table, and no
// registers for tables.
#include "math/LowPrecisionExp.h"
#include "math/Coefficients.h"

#include <cmath>

namespace kgen::vecmath {

/// Adding 1.5 * 2^23 plus the bias leaves the biased exponent in the low bits of the sum. The shift
/// moves them to the exponent field and drops the bits above. The product is not rounded before its
/// integer part is subtracted (fma).
LowPrecisionExp lowPrecisionExp2(Real x, Real scale, int by, const Site &site) {
  double magic = 0x1.8p23 + site.exponentBias() + by;
  Real shifted = fma(x, scale, magic);
  Real r = fma(x, scale, magic - shifted);
  Real factor = (shifted.bits() << site.mantissaBits()).real();
  return {horner(r, KGEN_LOW_PRECISION_TABLE(exp2, site)), factor, shifted.bits()};
}

/// Numerator and denominator are divided by 2^26, so that the exponential does not overflow while
/// the result is not yet 0.
Real lowPrecisionLogistic(Real x, Real scale, const Site &site) {
  constexpr int by = -26;
  double one = std::ldexp(1.0, by);
  return one / lowPrecisionExp2(x, scale, by, site).plus(one);
}

} // namespace kgen::vecmath
