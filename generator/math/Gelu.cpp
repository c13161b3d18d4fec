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
static FloatValue negativeMagnitude(FloatValue x, double lower) {
  const Emitter &emitter = x.where();
  if (!emitter.machine.hasMagnitudeMinimum)
    return (x.bits() | 0x80000000).real().atLeast(lower);
  return {emitter, NegativeMagnitudeMinOp::create(emitter.builder, emitter.loc, x.value(),
                                                  emitter.builder.getF64FloatAttr(lower))};
}

FloatValue orNanOfMinusInfinity(FloatValue x, FloatValue result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return (x == -infinity).select(std::numeric_limits<double>::quiet_NaN(), result);
}

/// Within its limit if x >= `lower`, a negative number: more negative numbers, and negative NaNs,
/// have larger bit patterns.
static Limited downTo(FloatValue x, double lower) {
  return {x.bits(), llvm::bit_cast<uint32_t>(static_cast<float>(lower))};
}

/// The whole range is one octave of a^2 + c, whose eighths are the intervals. For positive numbers
/// beyond the limit, the tail is below the precision of the result.
FloatValue geluPiecewise(FloatValue x, llvm::ArrayRef<double> tails,
                         llvm::function_ref<FloatValue()> exact, const Emitter &emitter) {
  FloatValue b = negativeMagnitude(x, -geluLimitF32);
  BitsValue interval = fma(b, b, geluOffsetF32).bits() >> 20;
  FloatValue tail = piecewise(interval, lookup(interval, geluEndsF32) + b, tails);
  FloatValue usual = fma(b, tail, positivePart(x));
  Limited limited = downTo(x, -geluLimitF32);
  // With AVX-512, comparisons into mask registers would compete with multiplications.
  mlir::Value isAnyFar =
      hasLongLookups(emitter) ? exceedsAnyLimit(limited) : (x < -geluLimitF32).any();
  return ifAny(isAnyFar, usual, [&] { return limited.isWithin().select(usual, exact()); });
}

/// exp(a^2/2) a (1 - Phi(a)) = q p(2 q - 1) with q = a / (a + c) and 2 q - 1 = (a - c) / (a + c);
/// the polynomial p is between 0.4 and 1.4.
static FloatValue geluByExp(FloatValue x, const Emitter &emitter) {
  FloatValue a = x.magnitude().atMost(emitter.isF64() ? 39.0 : 14.5);
  FloatValue quotient = a / (a + (emitter.isF64() ? geluCenterF64 : geluCenterF32));
  FloatValue weight = quotient * horner(fma(quotient, 2.0, -1.0), KGEN_TABLE(geluTail, emitter));
  // The factor 2^by keeps subnormal results normal until the end.
  int by = emitter.isF64() ? 128 : 64;
  FloatValue tail = normalExp(exactProduct(a * -0.5, a), by, emitter).times(weight);
  return orNanOfMinusInfinity(x, fma(tail, -std::ldexp(1.0, -by), positivePart(x)));
}

/// Phi(b) of a negative b as the 32nd power of a polynomial, similar to Hastings, "Approximations
/// for digital computers", 1955: five squarings replace an exponential. With sixteen intervals, two
/// or three squarings suffice, and lookups run on another execution unit.
static FloatValue lowPrecisionTail(FloatValue b, const Emitter &emitter) {
  bool isF16 = emitter.significantBits > 8, isLong = hasLongLookups(emitter);
  int exponent = !isLong ? geluPowerLowPrecision : isF16 ? geluLongPowerF16 : geluLongPowerBf16;
  FloatValue power = b;
  if (isLong) {
    constexpr double magic = 0x1.8p23; // leaves an integer in the last bits
    BitsValue interval = fma(b, isF16 ? geluLongScaleF16 : geluLongScaleBf16, magic).bits();
    power = piecewise(interval, b, KGEN_LOW_PRECISION_TABLE(geluLongRoots, emitter), 16);
  } else {
    power = horner(b, KGEN_LOW_PRECISION_TABLE(geluRoots, emitter));
  }
  for (; exponent > 1; exponent /= 2)
    power = power * power;
  return power;
}

/// max(x, 0) + b Phi(b) with b = -|x|. In f16, all results of numbers beyond the limit are -0, and
/// atLeast(0.0) passes on NaN.
static FloatValue lowPrecisionGelu(FloatValue x, const Emitter &emitter) {
  bool isF16 = emitter.significantBits > 8;
  double lower = isF16 ? geluLeastF16 : geluLeastBf16;
  FloatValue b = negativeMagnitude(x, lower);
  FloatValue usual = fma(b, lowPrecisionTail(b, emitter), isF16 ? x.atLeast(0.0) : positivePart(x));
  if (isF16)
    return orNanOfMinusInfinity(x, usual);
  Limited limited = downTo(x, lower);
  return ifAny(exceedsAnyLimit(limited), usual,
               [&] { return limited.isWithin().select(usual, geluByExp(x, emitter)); });
}

FloatValue gelu(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return lowPrecisionGelu(x, emitter);
  if (!hasLookups(emitter))
    return geluByExp(x, emitter);
  return geluPiecewise(
      x, geluTailsF32, [&] { return geluByExp(x, emitter); }, emitter);
}

} // namespace kgen::vecmath
