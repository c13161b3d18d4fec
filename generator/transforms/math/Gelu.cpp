// gelu(x) = x Phi(x), the exact one, with Phi the normal distribution function.
#include "transforms/math/Gelu.h"
#include "transforms/math/Coefficients.h"
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"
#include "transforms/math/Lookup.h"

#include <cmath>

namespace kgen::vecmath {

/// As integers without sign, negative numbers are not less than -0.
Real positivePart(Real x, const Site &site) {
  return x.bits().atMost(uint64_t(1) << (site.isF64() ? 63 : 31)).real();
}

/// An octave of a^2 + c is the whole range: its eighths choose a piece. Positive numbers beyond the
/// limit are so large that its tail does not show.
Real geluByPieces(Real x, llvm::ArrayRef<double> tails, llvm::function_ref<Real()> exact,
                  const Site &site) {
  Real a = x.magnitude().atMost(geluLimitF32);
  Bits piece = fma(a, a, geluOffsetF32).bits() >> 20;
  Real tail = piecewise(piece, lookup(piece, geluEndsF32) - a, tails);
  Real usual = fma(-a, tail, positivePart(x, site));
  Truth isBeyond = x < -geluLimitF32;
  return ifAny(isBeyond, usual, [&] { return isBeyond.select(exact(), usual); });
}

/// exp(a^2/2) a (1 - Phi(a)) = q p(2 q - 1) with q = a / (a + c), where p, made for
/// 2 q - 1 = (a - c) / (a + c), is between 0.4 and 1.4.
static Real geluByExp(Real x, const Site &site) {
  Real a = x.magnitude().atMost(site.isF64() ? 39.0 : 14.5);
  Real quotient = a / (a + (site.isF64() ? geluCenterF64 : geluCenterF32));
  Real weight = quotient * horner(fma(quotient, 2.0, -1.0), KGEN_TABLE(geluTail, site));
  // 2^by makes a normal number of a result that is none.
  int by = site.isF64() ? 128 : 64;
  Real tail = normalExp(exactProduct(a * -0.5, a), by, site).times(weight);
  return fma(tail, -std::ldexp(1.0, -by), positivePart(x, site));
}

Real gelu(Real x, const Site &site) {
  if (!hasLookups(site))
    return geluByExp(x, site);
  return geluByPieces(
      x, isRough(site) ? llvm::ArrayRef<double>(geluTailsRough) : geluTailsF32,
      [&] { return geluByExp(x, site); }, site);
}

} // namespace kgen::vecmath
