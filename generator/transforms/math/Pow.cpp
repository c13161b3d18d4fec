// pow(x, y) = 2^(y log2|x|), or exp(y log|x|), with the logarithm and the product to twice the
// digits: an error in the logarithm is multiplied by the exponent. Special cases as in IEEE 754 and
// C.
#include "transforms/math/Coefficients.h"
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"
#include "transforms/math/Log.h"
#include "transforms/math/Lookup.h"
#include "transforms/math/RoughPower.h"
#include "transforms/math/Split.h"

#include <cmath>
#include <limits>

namespace kgen::vecmath {

/// 2/5 + 2/7 z + 2/9 z^2 + ...: the series of log((1 + s) / (1 - s)) from s^5 on, with z = s^2 at
/// most 0.0295, as long as its terms show behind the digits of a pair.
static Real seriesRest(Real z, const Site &site) {
  llvm::SmallVector<double> coefficients;
  for (int n = 2; n < (site.isF64() ? 14 : 7); ++n)
    coefficients.push_back(2.0 / (2 * n + 1));
  return horner(z, coefficients);
}

/// log(x) of a positive x as k ln 2 + 2 s + 2/3 s^3 + s^5 p(s^2) with s = f / (2 + f).
static Pair logInPairs(Real x, const Site &site) {
  Split parts = split(x, site);
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

/// A power with the sign of an odd one, or NaN for a root of a negative number.
static Real withSignOfBase(Real x, Real y, Real power, Truth isNegative) {
  Truth isWhole = y.truncated() == y;
  Real half = y * 0.5;
  Truth isOdd = isWhole && !(half.truncated() == half);
  Real result = isOdd.select(power.withSignOf(x), power);
  return (isNegative && !isWhole).select(std::numeric_limits<double>::quiet_NaN(), result);
}

/// 0, 1 or infinity; NaN stays.
static Real powerOfZero(Real y) {
  Real ofOthers = (y < 0.0).select(std::numeric_limits<double>::infinity(), y + 1.0);
  return (y > 0.0).select(0.0, ofOthers);
}

/// For all numbers.
static Real powByPairs(Real x, Real y, const Site &site) {
  double infinity = std::numeric_limits<double>::infinity();
  Real a = x.magnitude();
  Pair log = logInPairs(a, site);
  Real high = (a == 0.0).select(-infinity, log.high);
  high = (a == infinity).select(infinity, high);

  Pair product = exactProduct(y, high);
  Range range = expRange(site);
  Real exponent = product.high.atMost(range.high).atLeast(range.low);
  Truth isInside = exponent == product.high && product.high < infinity;
  Real low = isInside.select(product.low + y * log.low, 0.0);
  Truth isNegative = x < 0.0 && x > -infinity;
  Real result = withSignOfBase(x, y, scaledExp(exponent, low, site).value(), isNegative);
  result = (x.isNaN() || y.isNaN()).select(x + y, result);
  Truth isOne = y == 0.0 || x == 1.0 || (a == 1.0 && y.magnitude() == infinity);
  return isOne.select(1.0, result);
}

/// log of a normal number 2^k m, with a number c of few digits near 1 / m, as k ln 2 - log(c) +
/// log(1 + f), where f = m c - 1 is exact. log(1 + f) is f - f^2/2 as a pair, and what is small
/// beside it. The sum's lower part is not small beside the last digit of the higher one.
static Pair logByTables(Real x) {
  const Site &site = x.where();
  constexpr double unit = 1 << 23;
  auto [k, m, eighth] = splitByEighths(x);
  Real f = fma(m, lookup(eighth, powInversesF32), -1.0);
  Real h = -0.5 * f;
  Real high = fma(h, f, f);
  Real rest = fma(h, f, f - high); // exact
  Real low = fma(h * f, f * horner(f, logRestOfPowF32), rest);
  Real head = fma(k, ln2(site).head / unit, lookup(eighth, powLogsF32)); // exact
  Pair sum = exactSumOfOrdered(head, high);
  return {sum.high,
          (low + sum.low) + fma(k, ln2(site).rest / unit, lookup(eighth, powLogRestsF32))};
}

namespace {
/// A power, where its exponent is in range.
struct Power {
  Real value;
  Truth isInRange;
};
} // namespace

/// Neither the power nor its reciprocal is subnormal.
static Truth isInRange(Real exponent) { return exponent.magnitude() < 87.0; }

/// exp(y log(x)): the exponent in eighths of ln 2 chooses a power from a table.
static Power powByTables(Real x, Real y, const Site &site) {
  constexpr double magic = 0x1.8p20;
  Pair log = logByTables(x);
  Pair exponent = exactProduct(y, log.high);
  Real low = fma(y, log.low, exponent.low);
  Real shifted = fma(exponent.high + low, log2E, magic);
  Real n = shifted - magic;
  Real r = fma(n, -ln2(site).head, exponent.high) + fma(n, -ln2(site).rest, low);
  Real factor = powerOfEighths(shifted);
  return {fma(factor, r * horner(r, expSlopesOfPowF32), factor), isInRange(exponent.high)};
}

/// 2^(y log2(x)), where no number needs more digits than it has. The exponent is in range if that
/// of the power is the one of a normal number.
static Power roughPow(Real x, Real y, const Site &site) {
  RoughPower power = roughExp2(y, roughLog2OfNormal(x), 0, site);
  constexpr uint64_t exponents = 254;
  return {power.value(),
          (power.field - power.field.constant(RoughPower::firstField + 1)) < exponents};
}

/// The same as withSignOfBase() for numbers of 16 bits, which are even from some power of 2 on.
static Real roughWithSignOfBase(Real x, Real y, Real power) {
  constexpr double magic = 0x1.8p23, even = 0x1p12;
  Real limited = y.atMost(even).atLeast(-even), shifted = limited + magic;
  Truth isWhole = shifted - magic == limited;
  Bits sign = (shifted.bits() << 31) & x.bits();
  Real result = (power.bits() | sign).real();
  return (x < 0.0 && !isWhole).select(std::numeric_limits<double>::quiet_NaN(), result);
}

/// Signs, zeros, and what is not in range, each where a vector holds a base or a power that needs
/// it.
Real pow(Real x, Real y, const Site &site) {
  if (!hasLookups(site))
    return powByPairs(x, y, site);
  bool rough = isRough(site);
  Real a = x.magnitude();
  Power usual = rough ? roughPow(a, y, site) : powByTables(a, y, site);
  return ifAny(!(isPositiveNormal(x) && usual.isInRange), usual.value, [&] {
    Truth isNegative = x < 0.0, isUsual = isPositiveNormal(a) && usual.isInRange;
    Real result = rough ? roughWithSignOfBase(x, y, usual.value)
                        : withSignOfBase(x, y, usual.value, isNegative);
    return ifAny(!isUsual, result, [&] {
      Truth isZero = a == 0.0, isKnown = isUsual || isZero;
      Real ofZeros = withSignOfBase(x, y, powerOfZero(y), isNegative);
      Real known = isZero.select(ofZeros, result);
      return ifAny(!isKnown, known, [&] { return isKnown.select(known, powByPairs(x, y, site)); });
    });
  });
}

} // namespace kgen::vecmath
