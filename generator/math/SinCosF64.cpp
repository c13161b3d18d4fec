// sin and cos of f64. With fused multiply-adds as for f32: the distance to the nearest multiple of
// pi (for cos an odd multiple of pi/2) is the argument of one polynomial. Without them, and for
// large x, x is divided by pi/2 in at least twice the precision, and the remainder in [-pi/4, pi/4]
// is the argument of Taylor's series of sin or cos, depending on the quotient.
#include "math/Coefficients.h"
#include "math/SinCos.h"

using namespace mlir;

namespace kgen::vecmath {

namespace {

constexpr int partBits = 26; ///< of twoOverPiParts: their products with halves of x are exact

/// The quotient has at most 21 bits, and its products with the first three parts of pi/2, of 32
/// bits each, are exact (Cody and Waite).
Division divideNearF64(FloatValue x) {
  FloatValue n = (x * twoOverPi).nearest();
  Pair first = exactSum(fma(n, -halfPiParts[0], x), n * -halfPiParts[1]);
  Pair second = exactSum(first.high, n * -halfPiParts[2]);
  return {moduloFour(n), second.high, fma(n, -halfPiParts[3], first.low + second.low)};
}

/// A sum of three numbers that overlap little.
class Sum {
public:
  explicit Sum(FloatValue zero) : high(zero), middle(zero), low(zero) {}

  void add(FloatValue term) {
    Pair first = exactSum(high, term), second = exactSum(middle, first.low);
    high = first.high;
    middle = second.high;
    low = low + second.low;
  }

  FloatValue high, middle, low;
};

/// The part of 2/pi's digits that matters: from the first one whose product with a multiple of
/// x's last digit is no multiple of 4. How many parts to skip differs from element to element:
/// powers of two of them at a time.
SmallVector<FloatValue> skipTerms(FloatValue count, int64_t needed) {
  SmallVector<FloatValue> parts;
  for (double part : twoOverPiParts)
    parts.push_back(count.constant(part));
  for (int64_t step = 32; step > 0; step /= 2) {
    Mask skips = count > double(step) - 0.5;
    count = skips.select(count - double(step), count);
    int64_t left = std::min<int64_t>(parts.size(), needed + step - 1);
    for (int64_t i = 0; i < left; ++i)
      if (i + step < static_cast<int64_t>(parts.size()))
        parts[i] = skips.select(parts[i + step], parts[i]);
    parts.resize(left, count);
  }
  return parts;
}

/// For every x, after M. H. Payne and R. N. Hanek (see SinCos.cpp). With 8 parts, the first of
/// which meets an x below 2^80, what is left out is below 2^-127; no f64 comes nearer to a multiple
/// of pi/2 than 2^-61.
Division divideFarF64(FloatValue x) {
  constexpr int64_t needed = 8;
  constexpr uint64_t twoTo52 = 0x4330000000000000;
  FloatValue exponent = (((x.bits() >> 52) & 0x7ff) | twoTo52).real() - (0x1p52 + 1023);
  FloatValue skipped = ((exponent - 53.5) * (1.0 / partBits)).truncated().atLeast(0.0);
  BitsValue scale = (skipped * -double(partBits) + (0x1p52 + 1023)).bits() << 52;
  FloatValue scaled = x * scale.real();
  FloatValue upper = scaled.upperHalf(), lower = scaled - upper;
  SmallVector<FloatValue> parts = skipTerms(skipped, needed);
  Sum sum(x.constant(0.0));
  double unit = 1;
  for (int64_t i = 0; i < needed; ++i) {
    unit *= 0x1p-26;
    FloatValue part = parts[i] * unit;
    for (FloatValue half : {upper, lower}) {
      FloatValue product = half * part;
      sum.add(i < 4 ? moduloFour(product) : product); // below 2^81, 2^55, 2^29, 2^3
    }
  }
  FloatValue quotient = sum.high.nearest();
  Pair fraction = exactSum(sum.high - quotient, sum.middle);
  FloatValue rest = fraction.low + sum.low;
  constexpr double halfPi = 0x1.921fb54442d18p+0, halfPiRest = 0x1.1a62633145c07p-54;
  Pair product = exactProduct(fraction.high, x.constant(halfPi));
  return {moduloFour(quotient), product.high,
          fma(rest, halfPi, fma(fraction.high, halfPiRest, product.low))};
}

} // namespace

/// For large x with fused multiply-adds, and for all x without.
static FloatValue shiftedInPairs(FloatValue x, double shift, const Emitter &emitter) {
  constexpr double nearLimit = 1 << 21;
  Division by = emitter.machine.hasFma ? divideFarF64(x)
                                       : divide(x, emitter, nearLimit, divideNearF64, divideFarF64);
  FloatValue r = by.remainder, rest = by.rest, z = r * r;

  constexpr double ofSin[] = {
      1.0 / 120,        -1.0 / 5040,          1.0 / 362880,         -1.0 / 39916800,
      1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
  constexpr double ofCos[] = {
      1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
      1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
  // sin(r + c) = sin r + c cos r, cos(r + c) = cos r - c sin r, to first order in c.
  FloatValue cube = z * r;
  FloatValue small = z * (cube * horner(z, ofSin) - 0.5 * rest);
  FloatValue sine = r + fma(cube, -1.0 / 6, rest + small);
  FloatValue half = 0.5 * z, top = 1.0 - half;
  FloatValue cosine = top + (((1.0 - top) - half) + (z * (z * horner(z, ofCos)) - r * rest));
  return selectByQuadrant(by.quotient, shift, sine, cosine);
}

/// Subtracts the multiple of pi in parts, so long that each difference but the last is exact or
/// nearly so.
static FloatValue shiftedByParts(FloatValue x, double shift) {
  constexpr double magic = 0x1.8p52;
  FloatValue shifted =
      shift == 0.0 ? fma(x, 0.5 * twoOverPi, magic) : fma(x, 0.5 * twoOverPi, 0.5 * shift) + magic;
  FloatValue count = shifted - magic;
  FloatValue n = shift == 0.0 ? count : count - 0.5 * shift;
  FloatValue r = x;
  for (double part : longHalfPiParts)
    r = fma(n, -2 * part, r);
  return ((r * horner(r * r, sinSlopesF64)).bits() + (shifted.bits() << 63)).real();
}

FloatValue shiftedF64(FloatValue x, double shift, const Emitter &emitter) {
  if (!emitter.machine.hasFma)
    return shiftedInPairs(x, shift, emitter);
  FloatValue usual = shiftedByParts(x, shift);
  Mask isFar = !(x.magnitude() < nearLimitF64);
  return ifAny(isFar, usual,
               [&] { return isFar.select(shiftedInPairs(x, shift, emitter), usual); });
}

} // namespace kgen::vecmath
