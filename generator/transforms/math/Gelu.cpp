// gelu(x) = x Phi(x), the exact one, with Phi the normal distribution function.
#include "transforms/math/Gelu.h"
#include "transforms/math/Coefficients.h"
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"
#include "transforms/math/NativeInstructions.h"
#include "transforms/math/TableLookup.h"

#include <llvm/ADT/bit.h>

#include <cmath>

namespace kgen::vecmath {

/// -|x|, but no less than a bound. Of a NaN, anything.
static Real negativeMagnitude(Real x, double least) {
  if (!x.where().machine.comparesMagnitudes)
    return (x.bits() | 0x80000000).real().atLeast(least);
  constexpr int64_t smallerMagnitude = 0b10, negative = 0b1100;
  return byInstruction(x, "range", {least}, {smallerMagnitude | negative});
}

/// Numbers below a negative one are greater as integers; so are NaNs with a sign.
static Limited downTo(Real x, double least) {
  return {x.bits(), llvm::bit_cast<uint32_t>(static_cast<float>(least))};
}

/// An octave of a^2 + c is the whole range: its eighths choose a piece. Positive numbers beyond the
/// limit are so large that its tail does not show.
Real geluByPieces(Real x, llvm::ArrayRef<double> tails, llvm::function_ref<Real()> exact,
                  const Site &site) {
  Real b = negativeMagnitude(x, -geluLimitF32);
  Bits piece = fma(b, b, geluOffsetF32).bits() >> 20;
  Real tail = piecewise(piece, lookup(piece, geluEndsF32) + b, tails);
  Real usual = fma(b, tail, positivePart(x));
  Limited limited = downTo(x, -geluLimitF32);
  // Comparisons into masks keep multiplications waiting.
  mlir::Value isAnyFar = hasLongLookups(site) ? isAnyBeyond(limited) : (x < -geluLimitF32).any();
  return ifAny(isAnyFar, usual, [&] { return limited.isInside().select(usual, exact()); });
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
  return fma(tail, -std::ldexp(1.0, -by), positivePart(x));
}

/// Phi(b) of a negative b is the 32nd power of a polynomial, much as in Hastings, "Approximations
/// for digital computers", 1955: five squarings stand for an exponential function. Of sixteen
/// pieces, two or three squarings do, and lookups run beside them.
static Real lowPrecisionTail(Real b, const Site &site) {
  bool isF16 = site.digits > 8, isLong = hasLongLookups(site);
  int exponent = !isLong ? geluPowerRough : isF16 ? geluLongPowerF16 : geluLongPowerBf16;
  Real power = b;
  if (isLong) {
    constexpr double magic = 0x1.8p23; // leaves a whole number in the last bits
    Bits piece = fma(b, isF16 ? geluLongScaleF16 : geluLongScaleBf16, magic).bits();
    power = piecewise(piece, b, KGEN_ROUGH_TABLE(geluLongRoots, site), 16);
  } else {
    power = horner(b, KGEN_ROUGH_TABLE(geluRoots, site));
  }
  for (; exponent > 1; exponent /= 2)
    power = power * power;
  return power;
}

/// max(x, 0) + b Phi(b) with b = -|x|. Of f16, all results beyond the limit are -0, and a NaN is
/// the larger one.
static Real lowPrecisionGelu(Real x, const Site &site) {
  bool isF16 = site.digits > 8;
  double least = isF16 ? geluLeastF16 : geluLeastBf16;
  Real b = negativeMagnitude(x, least);
  Real usual = fma(b, lowPrecisionTail(b, site), isF16 ? x.atLeast(0.0) : positivePart(x));
  if (isF16)
    return usual;
  Limited limited = downTo(x, least);
  return ifAny(isAnyBeyond(limited), usual,
               [&] { return limited.isInside().select(usual, geluByExp(x, site)); });
}

Real gelu(Real x, const Site &site) {
  if (isLowPrecision(site))
    return lowPrecisionGelu(x, site);
  if (!hasLookups(site))
    return geluByExp(x, site);
  return geluByPieces(
      x, geluTailsF32, [&] { return geluByExp(x, site); }, site);
}

} // namespace kgen::vecmath
