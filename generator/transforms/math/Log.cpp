// log(x) = k ln 2 + log(1 + f) with x = 2^k (1 + f) and 1 + f in [sqrt(1/2), sqrt(2)].
#include "transforms/math/Log.h"
#include "transforms/math/Coefficients.h"
#include "transforms/math/Functions.h"
#include "transforms/math/Lookup.h"

#include <cmath>
#include <limits>

namespace kgen::vecmath {

/// Adding the distance from sqrt(1/2) to 1 to the bits carries into the
/// exponent where the mantissa is beyond sqrt(2).
Split split(Real x, const Site &site) {
  unsigned width = site.mantissaBits();
  uint64_t one = uint64_t(site.exponentBias()) << width;
  uint64_t root = site.isF64() ? 0x3fe6a09e667f3bcdu : 0x3f3504f3u;

  // Subnormals are scaled into the normal range.
  double scale = double(uint64_t(1) << (width + 1));
  Truth tiny = x < (site.isF64() ? double(std::numeric_limits<double>::min())
                                 : double(std::numeric_limits<float>::min()));
  Real normal = tiny.select(x * scale, x);
  Bits carried = normal.bits() + (one - root);
  Bits mantissa = (carried & ((uint64_t(1) << width) - 1)) + root;

  // An integer below 2^mantissaBits becomes a float by way of the bits of 2^mantissaBits.
  uint64_t anchor = uint64_t(site.exponentBias() + width) << width;
  double offset = double(uint64_t(1) << width) + site.exponentBias();
  Real biased = ((carried >> width) | anchor).real();
  Real usual = biased.constant(offset);
  Real bias = tiny.select(offset + width + 1, usual);
  return {biased - bias, mantissa.real() - 1.0};
}

/// With s = f / (2 + f), log(1 + f) = 2 s + s^3 p(s^2); written around f, which is exact, as
/// f - (f^2/2 - s (f^2/2 + s^2 p)).
static Real logByQuotient(const Split &x, const Site &site) {
  Real f = x.fraction;
  Real s = f / (2.0 + f);
  Real square = s * s;
  Real p = polynomial(square, logRestF64);
  Real half = 0.5 * f * f;
  Real correction = s * fma(square, p, half);
  Real low = fma(x.exponent, ln2(site).rest, correction);
  Real high = x.exponent * ln2(site).head;
  return high - ((half - low) - f);
}

/// log(1 + f) = f - f^2/2 + f^3 p(f): without a division, and with so few digits no longer.
static Real logBySeries(const Split &x, const Site &site) {
  Real f = x.fraction;
  Real factor = fma(f, inTwoChains(f, logSeriesF32), -0.5);
  Real low = fma(f * f, factor, x.exponent * ln2(site).rest);
  return fma(x.exponent, ln2(site).head, low + f);
}

SplitByEighths splitByEighths(Real x) {
  constexpr uint64_t root = 0x3f3504f3, exponents = 0xff800000;
  Bits above = x.bits() - x.bits().constant(root);
  Bits shifted = above & exponents;
  return {shifted.signedNumber(), (x.bits() - shifted).real(), above >> 20};
}

Truth isPositiveNormal(Real x) {
  constexpr uint64_t least = 0x00800000, infinity = 0x7f800000;
  return (x.bits() - x.bits().constant(least)) < (infinity - least);
}

static constexpr double unitOfExponents = 1 << 23;

namespace {
/// A normal number 2^k m, with a number c of few digits near 1 / m; around 1, c is 1.
struct NearOne {
  Real k; // times unitOfExponents
  Real f; // m c - 1
  Bits eighth;
};
} // namespace

/// What `more` says is added to k.
static NearOne nearOne(Real x, int64_t more) {
  auto [k, m, eighth] = splitByEighths(x);
  if (more != 0)
    k = k + static_cast<double>(more) * unitOfExponents;
  return {k, fma(m, lookup(eighth, logInversesF32), -1.0), eighth};
}

/// log(m) = log(m c) - log(c)
static Real logByTable(Real x, int64_t more, const Site &site) {
  auto [k, f, eighth] = nearOne(x, more);
  llvm::ArrayRef<double> near = logNearF32;
  if (site.isRounded())
    near = logNearRough;
  Real low = fma(f * f, horner(f, near), k * (ln2(site).rest / unitOfExponents));
  return fma(k, ln2(site).head / unitOfExponents, (low + f) + lookup(eighth, logsOfInversesF32));
}

/// f and the table's logarithm do not cancel.
Real roughLogOfNormal(Real x, int64_t more, const Site &site) {
  auto [k, f, eighth] = nearOne(x, more);
  Real base = fma(k, 1 / log2E / unitOfExponents, lookup(eighth, logsOfInversesF32));
  return fma(f, horner(f, KGEN_ROUGH_TABLE(logSlope, site)), base);
}

/// The logarithm of what is positive and finite; other results are there already.
static Real withSpecialLogs(Real x, Real result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result = (x < infinity).select(result, x);
  Real ofOthers = (x == 0.0).select(-infinity, x.constant(std::nan("")));
  return (x > 0.0).select(result, ofOthers);
}

Real logOfNormal(Real x, const Site &site) { return logByTable(x, 0, site); }

/// What few numbers need is computed only where a vector holds one of them: of what is not normal,
/// most is 0 or negative.
static Real logOfMostlyNormal(Real x, const Site &site) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto logOf = isRough(site) ? roughLogOfNormal : logByTable;
  Real usual = logOf(x, 0, site);
  Truth isNormal = isPositiveNormal(x);
  return ifAny(!isNormal, usual, [&] {
    Truth isPositive = x > 0.0;
    Real ofOthers = (x == 0.0).select(-infinity, x.constant(std::nan("")));
    Real result = isPositive.select(usual, ofOthers);
    Truth isExtreme = isPositive && !isNormal;
    return ifAny(isExtreme, result, [&] {
      constexpr int64_t digits = 24;
      Real scaled = x * double(1 << digits);
      Real ofTiny = isExtreme.select(logOf(scaled, -digits, site), result);
      return (x == infinity).select(infinity, ofTiny);
    });
  });
}

Real log(Real x, const Site &site) {
  if (hasLookups(site))
    return logOfMostlyNormal(x, site);
  Split parts = split(x, site);
  return withSpecialLogs(x, site.isF64() ? logByQuotient(parts, site) : logBySeries(parts, site));
}

/// log(1 + x) = log(w) + (x - (w - 1)) / w with w = 1 + x rounded: what was lost in the sum, to
/// first order. Where x is tiny, log(w) is 0 and the rest is x.
Real log1p(Real x, const Site &site) {
  double infinity = std::numeric_limits<double>::infinity();
  Real w = 1.0 + x;
  Real result = log(w, site) + (x - (w - 1.0)) / w;
  result = (x == infinity).select(x, result);
  result = (x == -1.0).select(-infinity, result);
  return (x == 0.0).select(x, result); // -0 stays
}

} // namespace kgen::vecmath
