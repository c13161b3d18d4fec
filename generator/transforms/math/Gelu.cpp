// gelu(x) = x Phi(x), the exact one, with Phi the normal distribution function.
#include "transforms/math/Coefficients.h"
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"
#include "transforms/math/Lookup.h"

#include <cmath>

namespace kgen::vecmath {

/// exp(a^2/2) a (1 - Phi(a)) by half octaves of a + 1: the exponent and the first digit choose a
/// piece.
static Real tailByPieces(Real a) {
  Bits piece = (a + 1.0).bits() >> 22;
  return a * piecewise(piece, a - lookup(piece, middlesOfHalfOctavesF32), millsRatiosF32);
}

/// The same as q p(2 q - 1) with q = a / (a + c), where p, made for 2 q - 1 = (a - c) / (a + c), is
/// between 0.4 and 1.4.
static Real tailByQuotient(Real a, const Site &site) {
  Real quotient = a / (a + (site.isF64() ? geluCenterF64 : geluCenterF32));
  return quotient * horner(fma(quotient, 2.0, -1.0), KGEN_TABLE(geluTail, site));
}

/// gelu(x) = max(x, 0) - a (1 - Phi(a)) with a = |x|, which is half of x near 0: the difference
/// does not cancel.
Real gelu(Real x, const Site &site) {
  Real a = x.magnitude().atMost(site.isF64() ? 39.0 : 14.5);
  Real weight = hasLookups(site) ? tailByPieces(a) : tailByQuotient(a, site);
  // 2^by makes a normal number of a result that is none.
  int by = site.isF64() ? 128 : 64;
  Real tail = tableExp(exactProduct(a * -0.5, a), by, site).times(weight);
  // As integers without sign, negative numbers are not less than -0. The sign of a result that is
  // zero comes from there.
  Real positive = x.bits().atMost(uint64_t(1) << (site.isF64() ? 63 : 31)).real();
  return fma(tail, -std::ldexp(1.0, -by), positive);
}

} // namespace kgen::vecmath
