// softplus(x) = log(1 + exp(x)).
#include "math/Coefficients.h"
#include "math/Exp.h"
#include "math/Functions.h"
#include "math/LowPrecisionExp.h"
#include "math/TableLookup.h"

#include <cmath>

namespace kgen::vecmath {

/// max(x, 0) + log(1 + y) with z = 7/8 y, scaled by 2^by, which is normal for all results. Adding
/// `magic` leaves round(8 z), the number of the interval, from 0 to 7, in the last bits.
static Real softplusPiecewise(Real x, const Site &site) {
  constexpr int by = 26;
  constexpr double magic = 0x1.8p20 * (1 << by);
  Real negative = (x.bits() | 0x80000000).real().atLeast(-105.0);
  Real scaled = tableExp(negative, softplusEighthsF32, by, site).value();
  llvm::SmallVector<double> slopes;
  for (double c : softplusSlopesF32)
    slopes.push_back(std::ldexp(c, -by));
  Real z = scaled * std::ldexp(1.0, -by);
  return fma(scaled, piecewise((scaled + magic).bits(), z, slopes), positivePart(x));
}

/// log(1 + y) / back for y = power * back, which is at most 1: 2 s + s^3 p(s^2) with s = y / (2 +
/// y) needs no decomposition into exponent and mantissa.
static Real logByQuotient(Real power, double back, const Site &site) {
  Real quotient = power / fma(power, back, 2.0);
  Real s = quotient * back, square = s * s;
  Real rest = square * polynomial(square, KGEN_TABLE(log1pRest, site));
  return fma(quotient, rest, quotient + quotient);
}

/// Computes softplus with one polynomial, for low precision. The factor 2^by keeps the exponential
/// normal for all results.
static Real lowPrecisionSoftplus(Real x, const Site &site) {
  constexpr int by = 10;
  Real negative = (x.bits() | 0x80000000).real().atLeast(-93.5);
  Real power = lowPrecisionExp2(negative, x.constant(log2E), by, site).value();
  llvm::SmallVector<double> slopes;
  for (auto [i, c] : llvm::enumerate(KGEN_LOW_PRECISION_TABLE(log1pSlope, site)))
    slopes.push_back(std::ldexp(c, -by * static_cast<int>(i + 1)));
  return fma(power, horner(power, slopes), positivePart(x));
}

/// max(x, 0) + log(1 + y) with y = exp(-|x|). y and the logarithm are scaled by 2^by, which keeps
/// them normal.
Real softplus(Real x, const Site &site) {
  if (isLowPrecision(site))
    return lowPrecisionSoftplus(x, site);
  if (hasLookups(site))
    return softplusPiecewise(x, site);
  Real a = x.magnitude().atMost(site.isF64() ? 746.0 : 105.0);
  int by = site.isF64() ? 128 : 64;
  double back = std::ldexp(1.0, -by);
  Real power = normalExp(-a, by, site).value();
  return fma(logByQuotient(power, back, site), back, positivePart(x));
}

} // namespace kgen::vecmath
