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
Division divideNearF64(Real x) {
  Real n = (x * twoOverPi).nearest();
  Pair first = exactSum(fma(n, -halfPiParts[0], x), n * -halfPiParts[1]);
  Pair second = exactSum(first.high, n * -halfPiParts[2]);
  return {moduloFour(n), second.high, fma(n, -halfPiParts[3], first.low + second.low)};
}

/// A sum of three numbers that overlap little.
class Sum {
public:
  explicit Sum(Real zero) : high(zero), middle(zero), low(zero) {}

  void add(Real term) {
    Pair first = exactSum(high, term), second = exactSum(middle, first.low);
    high = first.high;
    middle = second.high;
    low = low + second.low;
  }

  Real high, middle, low;
};

/// The part of 2/pi's digits that matters: from the first one whose product with a multiple of
/// x's last digit is no multiple of 4. How many parts to skip differs from element to element:
/// powers of two of them at a time.
SmallVector<Real> skipTerms(Real count, int64_t needed) {
  SmallVector<Real> parts;
  for (double part : twoOverPiParts)
    parts.push_back(count.constant(part));
  for (int64_t step = 32; step > 0; step /= 2) {
    Truth skips = count > double(step) - 0.5;
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
Division divideFarF64(Real x) {
  constexpr int64_t needed = 8;
  constexpr uint64_t twoTo52 = 0x4330000000000000;
  Real exponent = (((x.bits() >> 52) & 0x7ff) | twoTo52).real() - (0x1p52 + 1023);
  Real skipped = ((exponent - 53.5) * (1.0 / partBits)).truncated().atLeast(0.0);
  Bits scale = (skipped * -double(partBits) + (0x1p52 + 1023)).bits() << 52;
  Real scaled = x * scale.real();
  Real upper = scaled.upperHalf(), lower = scaled - upper;
  SmallVector<Real> parts = skipTerms(skipped, needed);
  Sum sum(x.constant(0.0));
  double unit = 1;
  for (int64_t i = 0; i < needed; ++i) {
    unit *= 0x1p-26;
    Real part = parts[i] * unit;
    for (Real half : {upper, lower}) {
      Real product = half * part;
      sum.add(i < 4 ? moduloFour(product) : product); // below 2^81, 2^55, 2^29, 2^3
    }
  }
  Real quotient = sum.high.nearest();
  Pair fraction = exactSum(sum.high - quotient, sum.middle);
  Real rest = fraction.low + sum.low;
  constexpr double halfPi = 0x1.921fb54442d18p+0, halfPiRest = 0x1.1a62633145c07p-54;
  Pair product = exactProduct(fraction.high, x.constant(halfPi));
  return {moduloFour(quotient), product.high,
          fma(rest, halfPi, fma(fraction.high, halfPiRest, product.low))};
}

} // namespace

/// For large x with fused multiply-adds, and for all x without.
static Real shiftedInPairs(Real x, double shift, const Site &site) {
  constexpr double nearLimit = 1 << 21;
  Division by = site.machine.hasFma ? divideFarF64(x)
                                    : divide(x, site, nearLimit, divideNearF64, divideFarF64);
  Real r = by.remainder, rest = by.rest, z = r * r;

  constexpr double ofSin[] = {
      1.0 / 120,        -1.0 / 5040,          1.0 / 362880,         -1.0 / 39916800,
      1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
  constexpr double ofCos[] = {
      1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
      1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
  // sin(r + c) = sin r + c cos r, cos(r + c) = cos r - c sin r, to first order in c.
  Real cube = z * r;
  Real small = z * (cube * horner(z, ofSin) - 0.5 * rest);
  Real sine = r + fma(cube, -1.0 / 6, rest + small);
  Real half = 0.5 * z, top = 1.0 - half;
  Real cosine = top + (((1.0 - top) - half) + (z * (z * horner(z, ofCos)) - r * rest));
  return selectByQuadrant(by.quotient, shift, sine, cosine);
}

/// Subtracts the multiple of pi in parts, so long that each difference but the last is exact or
/// nearly so.
static Real shiftedByParts(Real x, double shift) {
  constexpr double magic = 0x1.8p52;
  Real shifted =
      shift == 0.0 ? fma(x, 0.5 * twoOverPi, magic) : fma(x, 0.5 * twoOverPi, 0.5 * shift) + magic;
  Real count = shifted - magic;
  Real n = shift == 0.0 ? count : count - 0.5 * shift;
  Real r = x;
  for (double part : longHalfPiParts)
    r = fma(n, -2 * part, r);
  return ((r * horner(r * r, sinSlopesF64)).bits() + (shifted.bits() << 63)).real();
}

Real shiftedF64(Real x, double shift, const Site &site) {
  if (!site.machine.hasFma)
    return shiftedInPairs(x, shift, site);
  Real usual = shiftedByParts(x, shift);
  Truth isFar = !(x.magnitude() < nearLimitF64);
  return ifAny(isFar, usual, [&] { return isFar.select(shiftedInPairs(x, shift, site), usual); });
}

} // namespace kgen::vecmath
