// log(x) = k ln 2 + log(1 + f) with x = 2^k (1 + f) and 1 + f in [sqrt(1/2), sqrt(2)].
#include "transforms/math/Log.h"
#include "transforms/math/Coefficients.h"
#include "transforms/math/ExponentMantissa.h"
#include "transforms/math/Functions.h"
#include "transforms/math/TableLookup.h"

#include <llvm/Support/MathExtras.h>

#include <cmath>
#include <limits>

namespace kgen::vecmath {

namespace {
/// Of eighths: numbers c near their inverses, and what log(1 / c) and slopes are; the logarithm of
/// a unit of the exponent.
struct LowPrecisionLogTables {
  llvm::ArrayRef<double> inverses, ofInverses, slopes;
  double ofUnit;
};
} // namespace

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

/// log(m) = log(m c) - log(c), with a number c of few digits near 1 / m; around 1, c is 1. What
/// `more` says is added to the exponent.
static Real logByTable(Real x, int64_t more, const Site &site) {
  constexpr double unit = 1 << 23;
  auto [k, m, eighth] = splitByEighths(x);
  if (more != 0)
    k = k + static_cast<double>(more) * unit;
  Real f = fma(m, lookup(eighth, logInversesF32), -1.0);
  Real low = fma(f * f, horner(f, logNearF32), k * (ln2(site).rest / unit));
  return fma(k, ln2(site).head / unit, (low + f) + lookup(eighth, logsOfInversesF32));
}

/// The same, for digits of 16 bits, which the product of f and a slope has.
static Real lowPrecisionLogByTable(Real k, Real m, Bits eighth,
                                   const LowPrecisionLogTables &tables) {
  Real f = fma(m, lookup(eighth, tables.inverses), -1.0);
  Real ofOthers = fma(k, tables.ofUnit, lookup(eighth, tables.ofInverses));
  return fma(f, horner(f, tables.slopes), ofOthers);
}

/// Just below a power of 2, c is 1/2, and what it adds cancels with the exponent.
static Real lowPrecisionLogByOctaves(Real x, int64_t more, double ofTwo,
                                     llvm::ArrayRef<double> ofInverses,
                                     llvm::ArrayRef<double> slopes) {
  auto [k, unit, m, eighth] = splitByOctaves(x);
  if (more != 0)
    k = k + static_cast<double>(more) * unit;
  return lowPrecisionLogByTable(k, m, eighth, {logInversesRough, ofInverses, slopes, ofTwo / unit});
}

/// Instructions split numbers at powers of 2. Around 1, slopes of f16 have a term less.
Real lowPrecisionLogOfNormal(Real x, int64_t more, const Site &site) {
  using llvm::numbers::ln2;
  if (site.machine.splitsNumbers || site.digits == 8)
    return lowPrecisionLogByOctaves(x, more, ln2, logsOfInversesRough,
                                    KGEN_ROUGH_TABLE(logSlope, site));
  constexpr double unit = 1 << 23;
  auto [k, m, eighth] = splitByEighths(x);
  if (more != 0)
    k = k + static_cast<double>(more) * unit;
  return lowPrecisionLogByTable(k, m, eighth,
                                {logInversesF32, logsOfInversesF32, logSlopeNearF16, ln2 / unit});
}

Real lowPrecisionLog2OfNormal(Real x) {
  return lowPrecisionLogByOctaves(x, 0, 1, log2sOfInversesRough, log2SlopeRough);
}

/// The logarithm of what is positive and finite; other results are there already.
static Real withSpecialLogs(Real x, Real result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result = (x < infinity).select(result, x);
  Real ofOthers = (x == 0.0).select(-infinity, x.constant(std::nan("")));
  return (x > 0.0).select(result, ofOthers);
}

/// What few numbers need is computed only where a vector holds one of them: of what is not normal,
/// most is 0 or negative.
static Real logOfMostlyNormal(Real x, const Site &site) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isLowPrecision(site) && site.machine.splitsNumbers)
    return lowPrecisionLogOfNormal(x, 0, site);
  auto logOf = isLowPrecision(site) ? lowPrecisionLogOfNormal : logByTable;
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
  Real result = site.isF64() ? logByQuotient(parts, site) : logBySeries(parts, site);
  return site.machine.splitsNumbers ? result : withSpecialLogs(x, result);
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
