// gelu(x) = x Phi(x), the exact one, with Phi the normal distribution function.
#include "transforms/math/Coefficients.h"
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"

#include <cmath>

namespace kgen::vecmath {

/// gelu(x) = max(x, 0) - a (1 - Phi(a)) with a = |x|, which is half of x near 0: the difference
/// does not cancel. With q = a / (a + c), the subtrahend is exp(-a^2/2) q p(2 q - 1), where p, made
/// for 2 q - 1 = (a - c) / (a + c), is between 0.4 and 1.4.
Real gelu(Real x, const Site &site) {
  Real a = x.magnitude().atMost(site.isF64() ? 39.0 : 14.5);
  Real quotient = a / (a + (site.isF64() ? geluCenterF64 : geluCenterF32));
  Real t = fma(quotient, 2.0, -1.0);
  Real weight = quotient * horner(t, KGEN_TABLE(geluTail, site));
  // 2^by makes a normal number of a result that is none.
  int by = site.isF64() ? 128 : 64;
  Real tail = normalExp(exactProduct(a * -0.5, a), by, site).times(weight);
  // As integers without sign, negative numbers are not less than -0. The sign of a result that is
  // zero comes from there.
  Real positive = x.bits().atMost(uint64_t(1) << (site.isF64() ? 63 : 31)).real();
  return fma(tail, -std::ldexp(1.0, -by), positive);
}

} // namespace kgen::vecmath
