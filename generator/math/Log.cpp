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
static FloatValue logByQuotient(const ExponentFraction &x, const Emitter &emitter) {
  FloatValue f = x.fraction;
  FloatValue s = f / (2.0 + f);
  FloatValue square = s * s;
  FloatValue p = polynomial(square, logRestF64);
  FloatValue half = 0.5 * f * f;
  FloatValue correction = s * fma(square, p, half);
  FloatValue low = fma(x.exponent, ln2(emitter).rest, correction);
  FloatValue high = x.exponent * ln2(emitter).head;
  return high - ((half - low) - f);
}

/// log(1 + f) = f - f^2/2 + f^3 p(f): no division, and for f32 no more terms.
static FloatValue logBySeries(const ExponentFraction &x, const Emitter &emitter) {
  FloatValue f = x.fraction;
  FloatValue factor = fma(f, evenOddHorner(f, logSeriesF32), -0.5);
  FloatValue low = fma(f * f, factor, x.exponent * ln2(emitter).rest);
  return fma(x.exponent, ln2(emitter).head, low + f);
}

/// log(2^more x). log(m) = log(m c) - log(c), with c near 1 / m of few significant bits; around 1,
/// c is 1.
static FloatValue logByTable(FloatValue x, int64_t more, const Emitter &emitter) {
  constexpr double unit = 1 << 23;
  auto [k, m, eighth] = splitByEighths(x);
  if (more != 0)
    k = k + static_cast<double>(more) * unit;
  FloatValue f = fma(m, lookup(eighth, logInversesF32), -1.0);
  FloatValue low = fma(f * f, horner(f, logNearF32), k * (ln2(emitter).rest / unit));
  return fma(k, ln2(emitter).head / unit, (low + f) + lookup(eighth, logsOfInversesF32));
}

/// Computes log with the precision of 16 bits: the product of f and a slope.
static FloatValue lowPrecisionLogByTable(FloatValue k, FloatValue m, BitsValue eighth,
                                         const LowPrecisionLogTables &tables) {
  FloatValue f = fma(m, lookup(eighth, tables.inverses), -1.0);
  FloatValue ofOthers = fma(k, tables.ofUnit, lookup(eighth, tables.ofInverses));
  return fma(f, horner(f, tables.slopes), ofOthers);
}

/// Just below a power of 2, c is 1/2, and log(1 / c) cancels with the exponent.
static FloatValue lowPrecisionLogByOctaves(FloatValue x, int64_t more, double ofTwo,
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
FloatValue lowPrecisionLogOfNormal(FloatValue x, int64_t more, const Emitter &emitter) {
  using llvm::numbers::ln2;
  if (emitter.machine.hasExponentInstructions || emitter.significantBits == 8)
    return lowPrecisionLogByOctaves(x, more, ln2, logsOfInversesLowPrecision,
                                    KGEN_LOW_PRECISION_TABLE(logSlope, emitter));
  constexpr double unit = 1 << 23;
  auto [k, m, eighth] = splitByEighths(x);
  if (more != 0)
    k = k + static_cast<double>(more) * unit;
  return lowPrecisionLogByTable(k, m, eighth,
                                {logInversesF32, logsOfInversesF32, logSlopeNearF16, ln2 / unit});
}

FloatValue lowPrecisionLog2OfNormal(FloatValue x) {
  return lowPrecisionLogByOctaves(x, 0, 1, log2sOfInversesLowPrecision, log2SlopeLowPrecision);
}

/// `result` for positive finite x, and the results of special cases: infinity, NaN, -infinity of 0.
static FloatValue withSpecialLogs(FloatValue x, FloatValue result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result = (x < infinity).select(result, x);
  FloatValue ofOthers = (x == 0.0).select(-infinity, x.constant(std::nan("")));
  return (x > 0.0).select(result, ofOthers);
}

/// Special cases are computed in branches that are taken only if a vector holds one: first those
/// that are not positive and normal, then within these subnormal numbers and infinity.
static FloatValue logOfMostlyNormal(FloatValue x, const Emitter &emitter) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isLowPrecision(emitter) && emitter.machine.hasExponentInstructions)
    return lowPrecisionLogOfNormal(x, 0, emitter);
  auto logOf = isLowPrecision(emitter) ? lowPrecisionLogOfNormal : logByTable;
  FloatValue usual = logOf(x, 0, emitter);
  Mask isNormal = isPositiveNormal(x);
  return ifAny(!isNormal, usual, [&] {
    Mask isPositive = x > 0.0;
    FloatValue ofOthers = (x == 0.0).select(-infinity, x.constant(std::nan("")));
    FloatValue result = isPositive.select(usual, ofOthers);
    Mask isExtreme = isPositive && !isNormal;
    return ifAny(isExtreme, result, [&] {
      constexpr int64_t scaleBits = 24;
      FloatValue scaled = x * double(1 << scaleBits);
      FloatValue ofTiny = isExtreme.select(logOf(scaled, -scaleBits, emitter), result);
      return (x == infinity).select(infinity, ofTiny);
    });
  });
}

FloatValue log(FloatValue x, const Emitter &emitter) {
  if (hasLookups(emitter))
    return logOfMostlyNormal(x, emitter);
  ExponentFraction parts = split(x, emitter);
  FloatValue result = emitter.isF64() ? logByQuotient(parts, emitter) : logBySeries(parts, emitter);
  return emitter.machine.hasExponentInstructions ? result : withSpecialLogs(x, result);
}

namespace {
/// log(e) of a base, and the logarithm of 2, as sums of a head, whose product with an exponent is
/// exact for the latter, and a rest.
struct LogarithmBase {
  double ofE, ofERest, of2, of2Rest;
};
} // namespace

/// log(1 + f) - f, as in logByQuotient and logBySeries.
static FloatValue logRest(FloatValue f, const Emitter &emitter) {
  if (!emitter.isF64())
    return f * f * fma(f, evenOddHorner(f, logSeriesF32), -0.5);
  FloatValue s = f / (2.0 + f), square = s * s, half = 0.5 * f * f;
  return s * fma(square, polynomial(square, logRestF64), half) - half;
}

/// The exponent's part and f times a constant are added exactly; what is left is at most a fifth of
/// the result, so that its rounding errors count little.
static FloatValue logOfBase(FloatValue x, const LogarithmBase &base, const Emitter &emitter) {
  ExponentFraction parts = split(x, emitter);
  FloatValue f = parts.fraction;
  Pair product = exactProduct(f, f.constant(base.ofE));
  Pair sum = exactSumOfOrdered(parts.exponent * base.of2, product.high);
  FloatValue low = fma(f, base.ofERest, product.low);
  if (base.of2Rest != 0)
    low = fma(parts.exponent, base.of2Rest, low);
  low = fma(logRest(f, emitter), base.ofE, low);
  return withSpecialLogs(x, sum.high + (sum.low + low));
}

FloatValue log2(FloatValue x, const Emitter &emitter) {
  llvm::ArrayRef<double> ofE = KGEN_TABLE(log2OfE, emitter);
  return logOfBase(x, {ofE[0], ofE[1], 1.0, 0.0}, emitter);
}

FloatValue log10(FloatValue x, const Emitter &emitter) {
  llvm::ArrayRef<double> ofE = KGEN_TABLE(log10OfE, emitter), of2 = KGEN_TABLE(log10Of2, emitter);
  return logOfBase(x, {ofE[0], ofE[1], of2[0], of2[1]}, emitter);
}

/// log(1 + x) = log(w) + (x - (w - 1)) / w with w = 1 + x rounded; the quotient is the rounding
/// error of the sum, to first order. For tiny x, log(w) is 0 and the quotient is x.
FloatValue log1p(FloatValue x, const Emitter &emitter) {
  double infinity = std::numeric_limits<double>::infinity();
  FloatValue w = 1.0 + x;
  FloatValue result = log(w, emitter) + (x - (w - 1.0)) / w;
  result = (x == infinity).select(x, result);
  result = (x == -1.0).select(-infinity, result);
  return (x == 0.0).select(x, result); // -0 stays
}

} // namespace kgen::vecmath
