// softplus(x) = log(1 + exp(x)).
#include "transforms/math/Coefficients.h"
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"
#include "transforms/math/Lookup.h"
#include "transforms/math/RoughPower.h"

#include <cmath>

namespace kgen::vecmath {

/// log(1 + y) / back for the y = power * back, which is at most 1, as y times a slope.
static Real logByPieces(Real power, double back) {
  Place place = placeOf(power, 7.0 * back);
  return power * piecewise(place.piece, place.t, log1pSlopesF32);
}

/// The same with s = y / (2 + y): log(1 + y) = 2 s + s^3 p(s^2) needs no powers of 2 to be split
/// off.
static Real logByQuotient(Real power, double back, const Site &site) {
  Real quotient = power / fma(power, back, 2.0);
  Real s = quotient * back, square = s * s;
  Real rest = square * polynomial(square, KGEN_TABLE(log1pRest, site));
  return fma(quotient, rest, quotient + quotient);
}

/// The same with one polynomial. Where the power times 2^by is normal, it is so for all results.
static Real roughSoftplus(Real x, const Site &site) {
  constexpr int by = 10;
  Real negative = (x.bits() | 0x80000000).real().atLeast(-93.5);
  Real power = roughExp2(negative, x.constant(log2E), by, site).value();
  llvm::SmallVector<double> slopes;
  for (auto [i, c] : llvm::enumerate(KGEN_ROUGH_TABLE(log1pSlope, site)))
    slopes.push_back(std::ldexp(c, -by * static_cast<int>(i + 1)));
  return fma(power, horner(power, slopes), positivePart(x));
}

/// max(x, 0) + log(1 + y) with y = exp(-|x|). What is small is kept times 2^by, where it is a
/// normal number.
Real softplus(Real x, const Site &site) {
  if (isRough(site))
    return roughSoftplus(x, site);
  Real a = x.magnitude().atMost(site.isF64() ? 746.0 : 105.0);
  int by = site.isF64() ? 128 : 64;
  double back = std::ldexp(1.0, -by);
  Real power = tableExp(-a, by, site).value();
  Real tail = hasLookups(site) ? logByPieces(power, back) : logByQuotient(power, back, site);
  return fma(tail, back, positivePart(x));
}

} // namespace kgen::vecmath
