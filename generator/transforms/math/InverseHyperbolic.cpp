// asinh, acosh and atanh: logarithms.
#include "transforms/math/Functions.h"
#include "transforms/math/Log.h"
#include "transforms/math/TableLookup.h"

#include <cmath>
#include <limits>

namespace kgen::vecmath {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Where x is so large that x + sqrt(x^2 + 1) is 2 x and x + 1 is x, to the digits of any type,
/// log(2 x) takes the place of log1p(sum). The square of smaller ones does not overflow.
Real logarithmOfSum(Real x, Real sum, const Site &site) {
  Truth isLarge = x > 0x1p60;
  Real result = log1p(isLarge.select(x, sum), site);
  return result + isLarge.select(std::log(2.0), x.constant(0.0));
}

/// log(x + sqrt(x^2 + c)) for a c of 1 or -1.
Real lowPrecisionLogOfSum(Real x, double c, const Site &site) {
  return lowPrecisionLogOfNormal(x + fma(x, x, c).root(), 0, site);
}

/// Of larger numbers, squares of f32 overflow.
constexpr double largestRough = 0x1p60;
constexpr uint64_t largestRoughBits = 0x5d800000;

/// The logarithm of 2 x for larger ones than that; infinity and NaN stay.
Real lowPrecisionLogOfLarge(Real x, const Site &site) {
  return (x < infinity).select(lowPrecisionLogOfNormal(x, 1, site), x);
}

/// Whether logarithms need no choice: of all numbers that f16 has, squares do not overflow.
bool isTotal(const Site &site) { return site.machine.splitsNumbers && site.digits > 8; }

/// Below the bound, the result is x to the digits of 16 bits; above, it is the logarithm of a
/// number that is not so near to 1 that its rounding errors show.
Real orItself(Real x, double bound, Real logarithm) { return (x < bound).select(x, logarithm); }

Real lowPrecisionAsinh(Real x, const Site &site) {
  Real a = x.magnitude();
  Real result = orItself(a, 0x1p-7, lowPrecisionLogOfSum(a, 1.0, site));
  if (!isTotal(site)) {
    Truth isUsual = a < largestRough;
    result = ifAny(!isUsual, result,
                   [&] { return isUsual.select(result, lowPrecisionLogOfLarge(a, site)); });
  }
  return (result.bits() | x.signBits()).real();
}

Real lowPrecisionAcosh(Real x, const Site &site) {
  constexpr uint64_t one = 0x3f800000;
  Real usual = lowPrecisionLogOfSum(x, -1.0, site);
  if (isTotal(site))
    return (x < 1.0).select(std::nan(""), usual);
  Truth isUsual = (x.bits() - x.bits().constant(one)) < (largestRoughBits - one);
  return ifAny(!isUsual, usual, [&] {
    Truth isLarge = !(x < largestRough);
    Real ofOthers = isUsual.select(usual, std::nan(""));
    return ifAny(isLarge, ofOthers,
                 [&] { return isLarge.select(lowPrecisionLogOfLarge(x, site), ofOthers); });
  });
}

Real lowPrecisionAtanh(Real x, const Site &site) {
  Real a = x.magnitude();
  Real ofQuotient = lowPrecisionLogOfNormal((a + 1.0) / (1.0 - a), 0, site) * 0.5;
  Real result = orItself(a, 0x1.bp-8, ofQuotient);
  if (!site.machine.splitsNumbers) {
    Truth isInside = a < 1.0;
    result = ifAny(!isInside, result, [&] {
      Real ofOthers = (a == 1.0).select(infinity, a.constant(std::nan("")));
      return isInside.select(result, ofOthers);
    });
  }
  return (result.bits() | x.signBits()).real();
}

} // namespace

/// log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))
Real asinh(Real x, const Site &site) {
  if (isLowPrecision(site))
    return lowPrecisionAsinh(x, site);
  Real a = x.magnitude(), square = a * a;
  Real rest = square / ((square + 1.0).root() + 1.0);
  return logarithmOfSum(a, a + rest, site).withSignOf(x);
}

/// log1p(t + sqrt(t (t + 2))) with t = x - 1
Real acosh(Real x, const Site &site) {
  if (isLowPrecision(site))
    return lowPrecisionAcosh(x, site);
  Real t = x + -1.0;
  Real result = logarithmOfSum(x, t + (t * (t + 2.0)).root(), site);
  return (x < 1.0).select(std::nan(""), result);
}

/// log1p(2 |x| / (1 - |x|)) / 2
Real atanh(Real x, const Site &site) {
  if (isLowPrecision(site))
    return lowPrecisionAtanh(x, site);
  Real a = x.magnitude();
  return (log1p((a * 2.0) / (1.0 - a), site) * 0.5).withSignOf(x);
}

} // namespace kgen::vecmath
