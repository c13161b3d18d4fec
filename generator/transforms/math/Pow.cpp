// pow(x, y) = exp(y log|x|), with the logarithm and the product to twice the digits: an error in
// the exponent's last place is multiplied by the exponent. Special cases as in IEEE 754 and C.
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"
#include "transforms/math/Log.h"

#include "transforms/math/Coefficients.h"

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

Real pow(Real x, Real y, const Site &site) {
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
  Real result = scaledExp(exponent, low, site).value();

  Truth isWhole = y.truncated() == y;
  Real half = y * 0.5;
  Truth isOdd = isWhole && !(half.truncated() == half);
  result = isOdd.select(result.withSignOf(x), result);
  Truth isRoot = x < 0.0 && x > -infinity && !isWhole;
  result = isRoot.select(std::numeric_limits<double>::quiet_NaN(), result);
  result = (x.isNaN() || y.isNaN()).select(x + y, result);
  Truth isOne = y == 0.0 || x == 1.0 || (a == 1.0 && y.magnitude() == infinity);
  return isOne.select(1.0, result);
}

} // namespace kgen::vecmath
