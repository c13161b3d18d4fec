// gelu(x) = x Phi(x), the exact one, with Phi the normal distribution function.
#include "transforms/math/Gelu.h"
#include "transforms/math/Coefficients.h"
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"
#include "transforms/math/Lookup.h"

#include <llvm/ADT/bit.h>

#include <cmath>

using mlir::Value;

namespace kgen::vecmath {

/// Whether a number of f32 is less than a negative bound, or a NaN. Comparisons into masks keep
/// multiplications waiting.
static Value isAnyBelow(Real x, double bound) {
  if (!hasLongLookups(x.where()))
    return (x < bound).any();
  return isAnyBeyond({{x.bits(), llvm::bit_cast<uint32_t>(static_cast<float>(bound))}});
}

/// An octave of a^2 + c is the whole range: its eighths choose a piece. Positive numbers beyond the
/// limit are so large that its tail does not show.
Real geluByPieces(Real x, llvm::ArrayRef<double> tails, llvm::function_ref<Real()> exact,
                  const Site &site) {
  Real a = x.magnitude().atMost(geluLimitF32);
  Bits piece = fma(a, a, geluOffsetF32).bits() >> 20;
  Real tail = piecewise(piece, lookup(piece, geluEndsF32) - a, tails);
  Real usual = fma(-a, tail, positivePart(x));
  return ifAny(isAnyBelow(x, -geluLimitF32), usual,
               [&] { return (x < -geluLimitF32).select(exact(), usual); });
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

/// 1 - Phi(a) is the 32nd power of a polynomial, much as in Hastings, "Approximations for digital
/// computers", 1955: five squarings stand for an exponential function. Of sixteen pieces, two or
/// three squarings do, and lookups run beside them.
static Real roughTail(Real a, const Site &site) {
  bool isF16 = site.digits > 8, isLong = hasLongLookups(site);
  int exponent = !isLong ? geluPowerRough : isF16 ? geluLongPowerF16 : geluLongPowerBf16;
  Real power = a;
  if (isLong) {
    constexpr double magic = 0x1.8p23; // leaves a whole number in the last bits
    Bits piece = fma(a, isF16 ? geluLongScaleF16 : geluLongScaleBf16, magic).bits();
    power = piecewise(piece, a, KGEN_ROUGH_TABLE(geluLongRoots, site), 16);
  } else {
    power = horner(a, KGEN_ROUGH_TABLE(geluRoots, site));
  }
  for (; exponent > 1; exponent /= 2)
    power = power * power;
  return power;
}

/// Of f16, all results beyond the limit are -0.
static Real roughGelu(Real x, const Site &site) {
  double most = site.digits > 8 ? geluMostF16 : geluMostBf16;
  Real a = x.magnitude().atMost(most);
  Real usual = fma(-a, roughTail(a, site), positivePart(x));
  if (site.digits > 8)
    return usual;
  Value isAnyFar =
      isAnyBeyond({{x.bits(), llvm::bit_cast<uint32_t>(static_cast<float>(-most))}});
  return ifAny(isAnyFar, usual, [&] { return (x < -most).select(geluByExp(x, site), usual); });
}

Real gelu(Real x, const Site &site) {
  if (isRough(site))
    return roughGelu(x, site);
  if (!hasLookups(site))
    return geluByExp(x, site);
  return geluByPieces(
      x, geluTailsF32, [&] { return geluByExp(x, site); }, site);
}

} // namespace kgen::vecmath
