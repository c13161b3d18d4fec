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
static FloatValue softplusPiecewise(FloatValue x, const Emitter &emitter) {
  constexpr int by = 26;
  constexpr double magic = 0x1.8p20 * (1 << by);
  FloatValue negative = (x.bits() | 0x80000000).real().atLeast(-105.0);
  FloatValue scaled = tableExp(negative, softplusEighthsF32, by, emitter).value();
  llvm::SmallVector<double> slopes;
  for (double c : softplusSlopesF32)
    slopes.push_back(std::ldexp(c, -by));
  FloatValue z = scaled * std::ldexp(1.0, -by);
  return fma(scaled, piecewise((scaled + magic).bits(), z, slopes), positivePart(x));
}

/// log(1 + y) / back for y = power * back, which is at most 1: 2 s + s^3 p(s^2) with s = y / (2 +
/// y) needs no decomposition into exponent and mantissa.
static FloatValue logByQuotient(FloatValue power, double back, const Emitter &emitter) {
  FloatValue quotient = power / fma(power, back, 2.0);
  FloatValue s = quotient * back, square = s * s;
  FloatValue rest = square * polynomial(square, KGEN_TABLE(log1pRest, emitter));
  return fma(quotient, rest, quotient + quotient);
}

/// Computes softplus with one polynomial, for low precision. The factor 2^by keeps the exponential
/// normal for all results.
static FloatValue lowPrecisionSoftplus(FloatValue x, const Emitter &emitter) {
  constexpr int by = 10;
  FloatValue negative = (x.bits() | 0x80000000).real().atLeast(-93.5);
  FloatValue power = lowPrecisionExp2(negative, x.constant(log2E), by, emitter).value();
  llvm::SmallVector<double> slopes;
  for (auto [i, c] : llvm::enumerate(KGEN_LOW_PRECISION_TABLE(log1pSlope, emitter)))
    slopes.push_back(std::ldexp(c, -by * static_cast<int>(i + 1)));
  return fma(power, horner(power, slopes), positivePart(x));
}

/// max(x, 0) + log(1 + y) with y = exp(-|x|). y and the logarithm are scaled by 2^by, which keeps
/// them normal.
FloatValue softplus(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return lowPrecisionSoftplus(x, emitter);
  if (hasLookups(emitter))
    return softplusPiecewise(x, emitter);
  FloatValue a = x.magnitude().atMost(emitter.isF64() ? 746.0 : 105.0);
  int by = emitter.isF64() ? 128 : 64;
  double back = std::ldexp(1.0, -by);
  FloatValue power = normalExp(-a, by, emitter).value();
  return fma(logByQuotient(power, back, emitter), back, positivePart(x));
}

} // namespace kgen::vecmath
