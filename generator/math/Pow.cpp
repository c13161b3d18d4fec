// pow(x, y) = 2^(y log2|x|), or exp(y log|x|), with logarithm and product in more than the
// precision of the type, because y multiplies the error of the logarithm. Special cases as in IEEE
// 754 and C.
#include "math/Coefficients.h"
#include "math/Exp.h"
#include "math/ExponentMantissa.h"
#include "math/Functions.h"
#include "math/Log.h"
#include "math/LowPrecisionExp.h"
#include "math/TableLookup.h"

#include <cmath>
#include <limits>

namespace kgen::vecmath {

/// 2/5 + 2/7 z + 2/9 z^2 + ...: the series of log((1 + s) / (1 - s)) from s^5 on, with z = s^2 at
/// most 0.0295, up to the terms that matter in the precision of a Pair.
static Real seriesRest(Real z, const Site &site) {
  llvm::SmallVector<double> coefficients;
  for (int n = 2; n < (site.isF64() ? 14 : 7); ++n)
    coefficients.push_back(2.0 / (2 * n + 1));
  return horner(z, coefficients);
}

/// log(x) of a positive x as k ln 2 + 2 s + 2/3 s^3 + s^5 p(s^2) with s = f / (2 + f).
static Pair logInPairs(Real x, const Site &site) {
  ExponentFraction parts = split(x, site);
  Real f = parts.fraction;

  Pair divisor = exactSumOfOrdered(f.constant(2.0), f);
  Real s = f / divisor.high;
  Pair back = exactProduct(s, divisor.high);
  Real sLow = (((f - back.high) - back.low) - s * divisor.low) / divisor.high;

  Pair square = exactProduct(s, s);
  Real squareLow = square.low + 2.0 * (s * sLow);
  Pair cube = exactProduct(s, square.high);
  Real cubeLow = cube.low + (s * squareLow + sLow * square.high);
  double third = site.isF64() ? 2.0 / 3 : double(2.0f / 3);
  double thirdRest = double(2.0L / 3 - (long double)(third));
  Pair term = exactProduct(cube.high, f.constant(third));
  Real termLow = term.low + (cube.high * thirdRest + cubeLow * third);
  Real fifth = s * square.high * square.high * seriesRest(square.high, site);

  Real head = parts.exponent * ln2(site).head; // exact
  Pair sum = exactSumOfOrdered(head, s + s);
  Pair more = exactSumOfOrdered(sum.high, term.high);
  Real low =
      (more.low + sum.low) + (2.0 * sLow + termLow) + (parts.exponent * ln2(site).rest + fifth);
  return exactSumOfOrdered(more.high, low);
}

/// `power` with the sign of x if y is odd; NaN for a negative x and a y that is no integer.
static Real withSignOfBase(Real x, Real y, Real power, Truth isNegative) {
  Truth isWhole = y.truncated() == y;
  Real half = y * 0.5;
  Truth isOdd = isWhole && !(half.truncated() == half);
  Real result = isOdd.select(power.withSignOf(x), power);
  return (isNegative && !isWhole).select(std::numeric_limits<double>::quiet_NaN(), result);
}

/// 0^y: 0, 1 or infinity; NaN stays.
static Real powerOfZero(Real y) {
  Real ofOthers = (y < 0.0).select(std::numeric_limits<double>::infinity(), y + 1.0);
  return (y > 0.0).select(0.0, ofOthers);
}

/// |x|^y for all numbers, with y as a sum; `yLow` may be null. NaN where the power is NaN or 1.
static Real magnitudeOfPower(Real a, Real y, const Real *yLow, const Site &site) {
  double infinity = std::numeric_limits<double>::infinity();
  Pair log = logInPairs(a, site);
  Real high = (a == 0.0).select(-infinity, log.high);
  high = (a == infinity).select(infinity, high);

  Pair product = exactProduct(y, high);
  Range range = expRange(site);
  Real exponent = product.high.atMost(range.high).atLeast(range.low);
  Truth isWithin = exponent == product.high && product.high < infinity;
  Real rest = product.low + y * log.low;
  if (yLow)
    rest = rest + *yLow * high;
  Real low = isWithin.select(rest, 0.0);
  return scaledExp(exponent, low, site).value();
}

/// pow for all numbers.
static Real powByPairs(Real x, Real y, const Site &site) {
  double infinity = std::numeric_limits<double>::infinity();
  Real a = x.magnitude();
  Real power = magnitudeOfPower(a, y, nullptr, site);
  Truth isNegative = x < 0.0 && x > -infinity;
  Real result = withSignOfBase(x, y, power, isNegative);
  result = (x.isNaN() || y.isNaN()).select(x + y, result);
  Truth isOne = y == 0.0 || x == 1.0 || (a == 1.0 && y.magnitude() == infinity);
  return isOne.select(1.0, result);
}

Real powerOfInteger(Real x, Pair y, Truth isOdd, const Site &site) {
  Real power = magnitudeOfPower(x.magnitude(), y.high, &y.low, site);
  Real result = x.isNaN().select(x, isOdd.select(power.withSignOf(x), power));
  return (y.high == 0.0).select(1.0, result);
}

/// The scale of logarithms: a unit of the exponent field of f32.
static constexpr double unit = 1 << 23;

/// log2 of a normal number 2^k m as a sum, times `unit`: k - log2(c) + log2(1 + f) with c near 1 /
/// m of few significant bits, so that f = m c - 1 is exact. The low part is at most 1/80 of the
/// sum, and its error below 2^-29 of the logarithm.
static Pair log2ByTables(Real x) {
  auto [k, m, part] = splitByIntervals(x, powRootF32, std::size(powInversesF32));
  Real f = fma(m, lookup(part, powInversesF32), -1.0);
  Real head = k + lookup(part, powLogsF32); // exact
  Real high = fma(f, log2E * unit, head);
  Real rest = fma(f, log2E * unit, head - high) + lookup(part, powLogRestsF32);
  return {high, fma(f, horner(f, logRestOfPowF32), rest)};
}

namespace {
/// A power, valid if `exponent`, the distance from the smallest exponent, is within its limit.
struct Power {
  Real value;
  Limited exponent;
};
} // namespace

/// 2^(y log2(x)): the exponent, rounded to a multiple of 1/8, selects a power from a table. The
/// remainder is below 2 units, so its rounding does not matter.
static Power powByTables(Real x, Real y) {
  constexpr double magic = 0x1.8p20 * unit;
  constexpr uint64_t magicBits = 0x55400000, limit = 8 * 120;
  Pair log = log2ByTables(x);
  Real shifted = fma(y, log.high + log.low, magic);
  Real r = fma(y, log.low, fma(y, log.high, magic - shifted));
  Real factor = powerOfEighths(shifted);
  Bits fromLeast = shifted.bits() - shifted.bits().constant(magicBits - limit);
  return {fma(factor, r * horner(r, exp2SlopesOfPowF32), factor), {fromLeast, 2 * limit}};
}

/// 2^(y log2(x)) in the precision of the type. The result is valid if it is normal.
static Power lowPrecisionPow(Real x, Real y, const Site &site) {
  LowPrecisionExp power = lowPrecisionExp2(y, lowPrecisionLog2OfNormal(x), 0, site);
  constexpr uint64_t exponents = 254;
  Bits fromLeast = power.field - power.field.constant(LowPrecisionExp::firstField + 1);
  return {power.value(), {fromLeast, exponents - 1}};
}

/// withSignOfBase() for y of 16 bits, which are even integers from 2^12 on.
static Real lowPrecisionWithSignOfBase(Real x, Real y, Real power) {
  constexpr double magic = 0x1.8p23, even = 0x1p12;
  Real limited = y.atMost(even).atLeast(-even), shifted = limited + magic;
  Truth isWhole = shifted - magic == limited;
  Bits sign = (shifted.bits() << 31) & x.bits();
  Real result = (power.bits() | sign).real();
  return (x < 0.0 && !isWhole).select(std::numeric_limits<double>::quiet_NaN(), result);
}

/// Negative bases, then zeros, then numbers out of range, each in a branch that is taken only if a
/// vector holds one.
Real pow(Real x, Real y, const Site &site) {
  if (!hasLookups(site))
    return powByPairs(x, y, site);
  bool isLow = isLowPrecision(site);
  Real a = x.magnitude();
  Power usual = isLow ? lowPrecisionPow(a, y, site) : powByTables(a, y);
  return ifAny(exceedsAnyLimit({fromMinNormal(x), usual.exponent}), usual.value, [&] {
    Truth isNegative = x < 0.0;
    Real result = isLow ? lowPrecisionWithSignOfBase(x, y, usual.value)
                        : withSignOfBase(x, y, usual.value, isNegative);
    return ifAny(exceedsAnyLimit({fromMinNormal(a), usual.exponent}), result, [&] {
      Truth isUsual = isPositiveNormal(a) && usual.exponent.isWithin();
      Truth isZero = a == 0.0, isKnown = isUsual || isZero;
      Real ofZeros = withSignOfBase(x, y, powerOfZero(y), isNegative);
      Real known = isZero.select(ofZeros, result);
      return ifAny(!isKnown, known, [&] { return isKnown.select(known, powByPairs(x, y, site)); });
    });
  });
}

} // namespace kgen::vecmath
