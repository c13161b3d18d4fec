// gelu(x) = x Phi(x), with Phi the normal distribution function.
#include "math/Gelu.h"
#include "math/Coefficients.h"
#include "math/Exp.h"
#include "math/Functions.h"
#include "math/TableLookup.h"

#include <llvm/ADT/bit.h>

#include <cmath>
#include <limits>

namespace kgen::vecmath {

/// max(-|x|, lower); not specified for NaN.
static Real negativeMagnitude(Real x, double lower) {
  const Site &site = x.where();
  if (!site.machine.hasMagnitudeMinimum)
    return (x.bits() | 0x80000000).real().atLeast(lower);
  return {site, NegativeMagnitudeMinOp::create(site.builder, site.loc, x.value(),
                                               site.builder.getF64FloatAttr(lower))};
}

Real orNanOfMinusInfinity(Real x, Real result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return (x == -infinity).select(std::numeric_limits<double>::quiet_NaN(), result);
}

/// Within its limit if x >= `lower`, a negative number: more negative numbers, and negative NaNs,
/// have larger bit patterns.
static Limited downTo(Real x, double lower) {
  return {x.bits(), llvm::bit_cast<uint32_t>(static_cast<float>(lower))};
}

/// The whole range is one octave of a^2 + c, whose eighths are the intervals. For positive numbers
/// beyond the limit, the tail is below the precision of the result.
Real geluPiecewise(Real x, llvm::ArrayRef<double> tails, llvm::function_ref<Real()> exact,
                   const Site &site) {
  Real b = negativeMagnitude(x, -geluLimitF32);
  Bits interval = fma(b, b, geluOffsetF32).bits() >> 20;
  Real tail = piecewise(interval, lookup(interval, geluEndsF32) + b, tails);
  Real usual = fma(b, tail, positivePart(x));
  Limited limited = downTo(x, -geluLimitF32);
  // With AVX-512, comparisons into mask registers would compete with multiplications.
  mlir::Value isAnyFar =
      hasLongLookups(site) ? exceedsAnyLimit(limited) : (x < -geluLimitF32).any();
  return ifAny(isAnyFar, usual, [&] { return limited.isWithin().select(usual, exact()); });
}

/// exp(a^2/2) a (1 - Phi(a)) = q p(2 q - 1) with q = a / (a + c) and 2 q - 1 = (a - c) / (a + c);
/// the polynomial p is between 0.4 and 1.4.
static Real geluByExp(Real x, const Site &site) {
  Real a = x.magnitude().atMost(site.isF64() ? 39.0 : 14.5);
  Real quotient = a / (a + (site.isF64() ? geluCenterF64 : geluCenterF32));
  Real weight = quotient * horner(fma(quotient, 2.0, -1.0), KGEN_TABLE(geluTail, site));
  // The factor 2^by keeps subnormal results normal until the end.
  int by = site.isF64() ? 128 : 64;
  Real tail = normalExp(exactProduct(a * -0.5, a), by, site).times(weight);
  return orNanOfMinusInfinity(x, fma(tail, -std::ldexp(1.0, -by), positivePart(x)));
}

/// Phi(b) of a negative b as the 32nd power of a polynomial, similar to Hastings, "Approximations
/// for digital computers", 1955: five squarings replace an exponential. With sixteen intervals, two
/// or three squarings suffice, and lookups run on another execution unit.
static Real lowPrecisionTail(Real b, const Site &site) {
  bool isF16 = site.significantBits > 8, isLong = hasLongLookups(site);
  int exponent = !isLong ? geluPowerLowPrecision : isF16 ? geluLongPowerF16 : geluLongPowerBf16;
  Real power = b;
  if (isLong) {
    constexpr double magic = 0x1.8p23; // leaves an integer in the last bits
    Bits interval = fma(b, isF16 ? geluLongScaleF16 : geluLongScaleBf16, magic).bits();
    power = piecewise(interval, b, KGEN_LOW_PRECISION_TABLE(geluLongRoots, site), 16);
  } else {
    power = horner(b, KGEN_LOW_PRECISION_TABLE(geluRoots, site));
  }
  for (; exponent > 1; exponent /= 2)
    power = power * power;
  return power;
}

/// max(x, 0) + b Phi(b) with b = -|x|. In f16, all results of numbers beyond the limit are -0, and
/// atLeast(0.0) passes on NaN.
static Real lowPrecisionGelu(Real x, const Site &site) {
  bool isF16 = site.significantBits > 8;
  double lower = isF16 ? geluLeastF16 : geluLeastBf16;
  Real b = negativeMagnitude(x, lower);
  Real usual = fma(b, lowPrecisionTail(b, site), isF16 ? x.atLeast(0.0) : positivePart(x));
  if (isF16)
    return orNanOfMinusInfinity(x, usual);
  Limited limited = downTo(x, lower);
  return ifAny(exceedsAnyLimit(limited), usual,
               [&] { return limited.isWithin().select(usual, geluByExp(x, site)); });
}

Real gelu(Real x, const Site &site) {
  if (isLowPrecision(site))
    return lowPrecisionGelu(x, site);
  if (!hasLookups(site))
    return geluByExp(x, site);
  return geluPiecewise(
      x, geluTailsF32, [&] { return geluByExp(x, site); }, site);
}

} // namespace kgen::vecmath
