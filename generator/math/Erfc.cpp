// erfc(x): 1 - erf(x) near 0, else exp(-a^2) q(a) with a = |x|, and 2 minus that for negative x.
#include "math/Coefficients.h"
#include "math/Exp.h"
#include "math/Functions.h"

#include <cmath>

namespace kgen::vecmath {

/// p((a - 1) / (a + 1)) / (a + 1) is exp(a^2) erfc(a). From the upper bound on, the result is 0.
/// The factor 2^by keeps subnormal results normal until the end. What the inverse of a + 1 lacks is
/// a part of the exponential.
Real erfc(Real x, const Site &site) {
  constexpr double nearest = 0.5; // from there on, 1 - erf(x) would cancel
  Real a = x.magnitude().atMost(site.isF64() ? 27.5 : 10.25);
  Pair divisor = exactSum(a, a.constant(1.0));
  Real inverse = 1.0 / divisor.high, t = fma(inverse, -2.0, 1.0);
  Pair back = exactProduct(inverse, divisor.high);
  Real lost = ((1.0 - back.high) - back.low) - inverse * divisor.low;
  Real weight = inverse * horner(t, KGEN_TABLE(erfcTail, site));
  int by = site.isF64() ? 128 : 64;
  NormalExp power = normalExp(exactProduct(-a, a), by, site);
  power.rest = power.rest + lost;
  Real tail = power.times(weight) * std::ldexp(1.0, -by);
  Real far = (x < 0.0).select(2.0 - tail, tail);
  Real near = fma(-x, polynomial(x * x, KGEN_TABLE(erfRest, site)), 1.0 - x);
  return (a < nearest).select(near, far);
}

} // namespace kgen::vecmath
