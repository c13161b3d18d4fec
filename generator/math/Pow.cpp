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
static FloatValue seriesRest(FloatValue z, const Emitter &emitter) {
  llvm::SmallVector<double> coefficients;
  for (int n = 2; n < (emitter.isF64() ? 14 : 7); ++n)
    coefficients.push_back(2.0 / (2 * n + 1));
  return horner(z, coefficients);
}

/// log(x) of a positive x as k ln 2 + 2 s + 2/3 s^3 + s^5 p(s^2) with s = f / (2 + f).
static Pair logInPairs(FloatValue x, const Emitter &emitter) {
  ExponentFraction parts = split(x, emitter);
  FloatValue f = parts.fraction;

  Pair divisor = exactSumOfOrdered(f.constant(2.0), f);
  FloatValue s = f / divisor.high;
  Pair back = exactProduct(s, divisor.high);
  FloatValue sLow = (((f - back.high) - back.low) - s * divisor.low) / divisor.high;

  Pair square = exactProduct(s, s);
  FloatValue squareLow = square.low + 2.0 * (s * sLow);
  Pair cube = exactProduct(s, square.high);
  FloatValue cubeLow = cube.low + (s * squareLow + sLow * square.high);
  double third = emitter.isF64() ? 2.0 / 3 : double(2.0f / 3);
  double thirdRest = double(2.0L / 3 - (long double)(third));
  Pair term = exactProduct(cube.high, f.constant(third));
  FloatValue termLow = term.low + (cube.high * thirdRest + cubeLow * third);
  FloatValue fifth = s * square.high * square.high * seriesRest(square.high, emitter);

  FloatValue head = parts.exponent * ln2(emitter).head; // exact
  Pair sum = exactSumOfOrdered(head, s + s);
  Pair more = exactSumOfOrdered(sum.high, term.high);
  FloatValue low =
      (more.low + sum.low) + (2.0 * sLow + termLow) + (parts.exponent * ln2(emitter).rest + fifth);
  return exactSumOfOrdered(more.high, low);
}

/// `power` with the sign of x if y is odd; NaN for a negative x and a y that is no integer.
static FloatValue withSignOfBase(FloatValue x, FloatValue y, FloatValue power, Mask isNegative) {
  Mask isWhole = y.truncated() == y;
  FloatValue half = y * 0.5;
  Mask isOdd = isWhole && !(half.truncated() == half);
  FloatValue result = isOdd.select(power.withSignOf(x), power);
  return (isNegative && !isWhole).select(std::numeric_limits<double>::quiet_NaN(), result);
}

/// 0^y: 0, 1 or infinity; NaN stays.
static FloatValue powerOfZero(FloatValue y) {
  FloatValue ofOthers = (y < 0.0).select(std::numeric_limits<double>::infinity(), y + 1.0);
  return (y > 0.0).select(0.0, ofOthers);
}

/// |x|^y for all numbers, with y as a sum; `yLow` may be null. NaN where the power is NaN or 1.
static FloatValue magnitudeOfPower(FloatValue a, FloatValue y, const FloatValue *yLow,
                                   const Emitter &emitter) {
  double infinity = std::numeric_limits<double>::infinity();
  Pair log = logInPairs(a, emitter);
  FloatValue high = (a == 0.0).select(-infinity, log.high);
  high = (a == infinity).select(infinity, high);

  Pair product = exactProduct(y, high);
  Range range = expRange(emitter);
  FloatValue exponent = product.high.atMost(range.high).atLeast(range.low);
  Mask isWithin = exponent == product.high && product.high < infinity;
  FloatValue rest = product.low + y * log.low;
  if (yLow)
    rest = rest + *yLow * high;
  FloatValue low = isWithin.select(rest, 0.0);
  return scaledExp(exponent, low, emitter).value();
}

/// pow for all numbers.
static FloatValue powByPairs(FloatValue x, FloatValue y, const Emitter &emitter) {
  double infinity = std::numeric_limits<double>::infinity();
  FloatValue a = x.magnitude();
  FloatValue power = magnitudeOfPower(a, y, nullptr, emitter);
  Mask isNegative = x < 0.0 && x > -infinity;
  FloatValue result = withSignOfBase(x, y, power, isNegative);
  result = (x.isNaN() || y.isNaN()).select(x + y, result);
  Mask isOne = y == 0.0 || x == 1.0 || (a == 1.0 && y.magnitude() == infinity);
  return isOne.select(1.0, result);
}

FloatValue powerOfInteger(FloatValue x, Pair y, Mask isOdd, const Emitter &emitter) {
  FloatValue power = magnitudeOfPower(x.magnitude(), y.high, &y.low, emitter);
  FloatValue result = x.isNaN().select(x, isOdd.select(power.withSignOf(x), power));
  return (y.high == 0.0).select(1.0, result);
}

/// The scale of logarithms: a unit of the exponent field of f32.
static constexpr double unit = 1 << 23;

/// log2 of a normal number 2^k m as a sum, times `unit`: k - log2(c) + log2(1 + f) with c near 1 /
/// m of few significant bits, so that f = m c - 1 is exact. The low part is at most 1/80 of the
/// sum, and its error below 2^-29 of the logarithm.
static Pair log2ByTables(FloatValue x) {
  auto [k, m, part] = splitByIntervals(x, powRootF32, std::size(powInversesF32));
  FloatValue f = fma(m, lookup(part, powInversesF32), -1.0);
  FloatValue head = k + lookup(part, powLogsF32); // exact
  FloatValue high = fma(f, log2E * unit, head);
  FloatValue rest = fma(f, log2E * unit, head - high) + lookup(part, powLogRestsF32);
  return {high, fma(f, horner(f, logRestOfPowF32), rest)};
}

namespace {
/// A power, valid if `exponent`, the distance from the smallest exponent, is within its limit.
struct Power {
  FloatValue value;
  Limited exponent;
};
} // namespace

/// 2^(y log2(x)): the exponent, rounded to a multiple of 1/8, selects a power from a table. The
/// remainder is below 2 units, so its rounding does not matter.
static Power powByTables(FloatValue x, FloatValue y) {
  constexpr double magic = 0x1.8p20 * unit;
  constexpr uint64_t magicBits = 0x55400000, limit = 8 * 120;
  Pair log = log2ByTables(x);
  FloatValue shifted = fma(y, log.high + log.low, magic);
  FloatValue r = fma(y, log.low, fma(y, log.high, magic - shifted));
  FloatValue factor = powerOfEighths(shifted);
  BitsValue fromLeast = shifted.bits() - shifted.bits().constant(magicBits - limit);
  return {fma(factor, r * horner(r, exp2SlopesOfPowF32), factor), {fromLeast, 2 * limit}};
}

/// 2^(y log2(x)) in the precision of the type. The result is valid if it is normal.
static Power lowPrecisionPow(FloatValue x, FloatValue y, const Emitter &emitter) {
  LowPrecisionExp power = lowPrecisionExp2(y, lowPrecisionLog2OfNormal(x), 0, emitter);
  constexpr uint64_t exponents = 254;
  BitsValue fromLeast = power.field - power.field.constant(LowPrecisionExp::firstField + 1);
  return {power.value(), {fromLeast, exponents - 1}};
}

/// withSignOfBase() for y of 16 bits, which are even integers from 2^12 on.
static FloatValue lowPrecisionWithSignOfBase(FloatValue x, FloatValue y, FloatValue power) {
  constexpr double magic = 0x1.8p23, even = 0x1p12;
  FloatValue limited = y.atMost(even).atLeast(-even), shifted = limited + magic;
  Mask isWhole = shifted - magic == limited;
  BitsValue sign = (shifted.bits() << 31) & x.bits();
  FloatValue result = (power.bits() | sign).real();
  return (x < 0.0 && !isWhole).select(std::numeric_limits<double>::quiet_NaN(), result);
}

/// Negative bases, then zeros, then numbers out of range, each in a branch that is taken only if a
/// vector holds one.
FloatValue pow(FloatValue x, FloatValue y, const Emitter &emitter) {
  if (!hasLookups(emitter))
    return powByPairs(x, y, emitter);
  bool isLow = isLowPrecision(emitter);
  FloatValue a = x.magnitude();
  Power usual = isLow ? lowPrecisionPow(a, y, emitter) : powByTables(a, y);
  return ifAny(exceedsAnyLimit({fromMinNormal(x), usual.exponent}), usual.value, [&] {
    Mask isNegative = x < 0.0;
    FloatValue result = isLow ? lowPrecisionWithSignOfBase(x, y, usual.value)
                              : withSignOfBase(x, y, usual.value, isNegative);
    return ifAny(exceedsAnyLimit({fromMinNormal(a), usual.exponent}), result, [&] {
      Mask isUsual = isPositiveNormal(a) && usual.exponent.isWithin();
      Mask isZero = a == 0.0, isKnown = isUsual || isZero;
      FloatValue ofZeros = withSignOfBase(x, y, powerOfZero(y), isNegative);
      FloatValue known = isZero.select(ofZeros, result);
      return ifAny(!isKnown, known,
                   [&] { return isKnown.select(known, powByPairs(x, y, emitter)); });
    });
  });
}

} // namespace kgen::vecmath
