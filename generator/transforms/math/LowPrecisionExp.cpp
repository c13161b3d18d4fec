// A polynomial without lookups takes as few operations as a shorter one with a table, and registers
// for constants alone.
#include "transforms/math/LowPrecisionExp.h"
#include "transforms/math/Coefficients.h"

#include <cmath>

namespace kgen::vecmath {

/// Adding 1.5 * 2^23 leaves the rounded exponent in the low bits of the sum, and the bias with it:
/// they are moved to their field, and what stands above them is dropped. The product is not rounded
/// before its whole part is taken away.
LowPrecisionExp lowPrecisionExp2(Real x, Real scale, int by, const Site &site) {
  double magic = 0x1.8p23 + site.exponentBias() + by;
  Real shifted = fma(x, scale, magic);
  Real r = fma(x, scale, magic - shifted);
  Real factor = (shifted.bits() << site.mantissaBits()).real();
  return {horner(r, KGEN_ROUGH_TABLE(exp2, site)), factor, shifted.bits()};
}

/// With both parts of the quotient divided by 2^26, the power does not overflow where the result is
/// not 0 yet.
Real lowPrecisionLogistic(Real x, Real scale, const Site &site) {
  constexpr int by = -26;
  double one = std::ldexp(1.0, by);
  return one / lowPrecisionExp2(x, scale, by, site).plus(one);
}

} // namespace kgen::vecmath
