// log(x) = k ln 2 + log(1 + f) with x = 2^k (1 + f) and 1 + f in [sqrt(1/2), sqrt(2)]; log2 and
// log10 by log(1 + f) times a constant.
#include "math/Log.h"
#include "math/Coefficients.h"
#include "math/ExponentMantissa.h"
#include "math/Functions.h"
#include "math/TableLookup.h"

#include <llvm/Support/MathExtras.h>

#include <cmath>
#include <limits>

namespace kgen::vecmath {

namespace {
/// For eight intervals: approximate inverses c, log(1 / c), and slopes; and the logarithm of a unit
/// of the exponent.
struct LowPrecisionLogTables {
  llvm::ArrayRef<double> inverses, ofInverses, slopes;
  double ofUnit;
};
} // namespace

/// With s = f / (2 + f), log(1 + f) = 2 s + s^3 p(s^2); written around f, which is exact, as
/// f - (f^2/2 - s (f^2/2 + s^2 p)).
static Real logByQuotient(const ExponentFraction &x, const Site &site) {
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

/// log(1 + f) = f - f^2/2 + f^3 p(f): no division, and for f32 no more terms.
static Real logBySeries(const ExponentFraction &x, const Site &site) {
  Real f = x.fraction;
  Real factor = fma(f, evenOddHorner(f, logSeriesF32), -0.5);
  Real low = fma(f * f, factor, x.exponent * ln2(site).rest);
  return fma(x.exponent, ln2(site).head, low + f);
}

/// log(2^more x). log(m) = log(m c) - log(c), with c near 1 / m of few significant bits; around 1,
/// c is 1.
static Real logByTable(Real x, int64_t more, const Site &site) {
  constexpr double unit = 1 << 23;
  auto [k, m, eighth] = splitByEighths(x);
  if (more != 0)
    k = k + static_cast<double>(more) * unit;
  Real f = fma(m, lookup(eighth, logInversesF32), -1.0);
  Real low = fma(f * f, horner(f, logNearF32), k * (ln2(site).rest / unit));
  return fma(k, ln2(site).head / unit, (low + f) + lookup(eighth, logsOfInversesF32));
}

/// Computes log with the precision of 16 bits: the product of f and a slope.
static Real lowPrecisionLogByTable(Real k, Real m, Bits eighth,
                                   const LowPrecisionLogTables &tables) {
  Real f = fma(m, lookup(eighth, tables.inverses), -1.0);
  Real ofOthers = fma(k, tables.ofUnit, lookup(eighth, tables.ofInverses));
  return fma(f, horner(f, tables.slopes), ofOthers);
}

/// Just below a power of 2, c is 1/2, and log(1 / c) cancels with the exponent.
static Real lowPrecisionLogByOctaves(Real x, int64_t more, double ofTwo,
                                     llvm::ArrayRef<double> ofInverses,
                                     llvm::ArrayRef<double> slopes) {
  auto [k, unit, m, eighth] = splitByOctaves(x);
  if (more != 0)
    k = k + static_cast<double>(more) * unit;
  return lowPrecisionLogByTable(k, m, eighth,
                                {logInversesLowPrecision, ofInverses, slopes, ofTwo / unit});
}

/// vgetmant splits numbers at powers of 2. Without it, f16 uses intervals around 1, whose slopes
/// have one term less.
Real lowPrecisionLogOfNormal(Real x, int64_t more, const Site &site) {
  using llvm::numbers::ln2;
  if (site.machine.hasExponentInstructions || site.significantBits == 8)
    return lowPrecisionLogByOctaves(x, more, ln2, logsOfInversesLowPrecision,
                                    KGEN_LOW_PRECISION_TABLE(logSlope, site));
  constexpr double unit = 1 << 23;
  auto [k, m, eighth] = splitByEighths(x);
  if (more != 0)
    k = k + static_cast<double>(more) * unit;
  return lowPrecisionLogByTable(k, m, eighth,
                                {logInversesF32, logsOfInversesF32, logSlopeNearF16, ln2 / unit});
}

Real lowPrecisionLog2OfNormal(Real x) {
  return lowPrecisionLogByOctaves(x, 0, 1, log2sOfInversesLowPrecision, log2SlopeLowPrecision);
}

/// `result` for positive finite x, and the results of special cases: infinity, NaN, -infinity of 0.
static Real withSpecialLogs(Real x, Real result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result = (x < infinity).select(result, x);
  Real ofOthers = (x == 0.0).select(-infinity, x.constant(std::nan("")));
  return (x > 0.0).select(result, ofOthers);
}

/// Special cases are computed in branches that are taken only if a vector holds one: first those
/// that are not positive and normal, then within these subnormal numbers and infinity.
static Real logOfMostlyNormal(Real x, const Site &site) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isLowPrecision(site) && site.machine.hasExponentInstructions)
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
      constexpr int64_t scaleBits = 24;
      Real scaled = x * double(1 << scaleBits);
      Real ofTiny = isExtreme.select(logOf(scaled, -scaleBits, site), result);
      return (x == infinity).select(infinity, ofTiny);
    });
  });
}

Real log(Real x, const Site &site) {
  if (hasLookups(site))
    return logOfMostlyNormal(x, site);
  ExponentFraction parts = split(x, site);
  Real result = site.isF64() ? logByQuotient(parts, site) : logBySeries(parts, site);
  return site.machine.hasExponentInstructions ? result : withSpecialLogs(x, result);
}

namespace {
/// log(e) of a base, and the logarithm of 2, as sums of a head, whose product with an exponent is
/// exact for the latter, and a rest.
struct LogarithmBase {
  double ofE, ofERest, of2, of2Rest;
};
} // namespace

/// log(1 + f) - f, as in logByQuotient and logBySeries.
static Real logRest(Real f, const Site &site) {
  if (!site.isF64())
    return f * f * fma(f, evenOddHorner(f, logSeriesF32), -0.5);
  Real s = f / (2.0 + f), square = s * s, half = 0.5 * f * f;
  return s * fma(square, polynomial(square, logRestF64), half) - half;
}

/// The exponent's part and f times a constant are added exactly; what is left is at most a fifth of
/// the result, so that its rounding errors count little.
static Real logOfBase(Real x, const LogarithmBase &base, const Site &site) {
  ExponentFraction parts = split(x, site);
  Real f = parts.fraction;
  Pair product = exactProduct(f, f.constant(base.ofE));
  Pair sum = exactSumOfOrdered(parts.exponent * base.of2, product.high);
  Real low = fma(f, base.ofERest, product.low);
  if (base.of2Rest != 0)
    low = fma(parts.exponent, base.of2Rest, low);
  low = fma(logRest(f, site), base.ofE, low);
  return withSpecialLogs(x, sum.high + (sum.low + low));
}

Real log2(Real x, const Site &site) {
  llvm::ArrayRef<double> ofE = KGEN_TABLE(log2OfE, site);
  return logOfBase(x, {ofE[0], ofE[1], 1.0, 0.0}, site);
}

Real log10(Real x, const Site &site) {
  llvm::ArrayRef<double> ofE = KGEN_TABLE(log10OfE, site), of2 = KGEN_TABLE(log10Of2, site);
  return logOfBase(x, {ofE[0], ofE[1], of2[0], of2[1]}, site);
}

/// log(1 + x) = log(w) + (x - (w - 1)) / w with w = 1 + x rounded; the quotient is the rounding
/// error of the sum, to first order. For tiny x, log(w) is 0 and the quotient is x.
Real log1p(Real x, const Site &site) {
  double infinity = std::numeric_limits<double>::infinity();
  Real w = 1.0 + x;
  Real result = log(w, site) + (x - (w - 1.0)) / w;
  result = (x == infinity).select(x, result);
  result = (x == -1.0).select(-infinity, result);
  return (x == 0.0).select(x, result); // -0 stays
}

} // namespace kgen::vecmath
