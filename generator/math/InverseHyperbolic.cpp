// asinh, acosh and atanh by logarithms.
#include "math/Functions.h"
#include "math/Log.h"
#include "math/TableLookup.h"

#include <cmath>
#include <limits>

namespace kgen::vecmath {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// log1p(sum), or log(2 x) for x > 2^60, where x + sqrt(x^2 + 1) rounds to 2 x in every type.
/// Squares of smaller numbers do not overflow.
Real logarithmOfSum(Real x, Real sum, const Site &site) {
  Truth isLarge = x > 0x1p60;
  Real result = log1p(isLarge.select(x, sum), site);
  return result + isLarge.select(std::log(2.0), x.constant(0.0));
}

/// log(x + sqrt(x^2 + c)) for a c of 1 or -1.
Real lowPrecisionLogOfSum(Real x, double c, const Site &site) {
  return lowPrecisionLogOfNormal(x + fma(x, x, c).root(), 0, site);
}

/// Squares of larger numbers overflow in f32.
constexpr double maxLowPrecision = 0x1p60;
constexpr uint64_t maxLowPrecisionBits = 0x5d800000;

/// log(2 x) for x > maxLowPrecision; infinity and NaN stay.
Real lowPrecisionLogOfLarge(Real x, const Site &site) {
  return (x < infinity).select(lowPrecisionLogOfNormal(x, 1, site), x);
}

/// True if no branch for large numbers is needed: squares of f16 do not overflow in f32.
bool isTotal(const Site &site) {
  return site.machine.hasExponentInstructions && site.significantBits > 8;
}

/// Below the bound, x itself, which is precise enough for 16 bits. Above, the logarithm, whose
/// operand is not so close to 1 that its rounding error matters.
Real selectSmall(Real x, double bound, Real logarithm) { return (x < bound).select(x, logarithm); }

Real lowPrecisionAsinh(Real x, const Site &site) {
  Real a = x.magnitude();
  Real result = selectSmall(a, 0x1p-7, lowPrecisionLogOfSum(a, 1.0, site));
  if (!isTotal(site)) {
    Truth isUsual = a < maxLowPrecision;
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
  Truth isUsual = (x.bits() - x.bits().constant(one)) < (maxLowPrecisionBits - one);
  return ifAny(!isUsual, usual, [&] {
    Truth isLarge = !(x < maxLowPrecision);
    Real ofOthers = isUsual.select(usual, std::nan(""));
    return ifAny(isLarge, ofOthers,
                 [&] { return isLarge.select(lowPrecisionLogOfLarge(x, site), ofOthers); });
  });
}

Real lowPrecisionAtanh(Real x, const Site &site) {
  Real a = x.magnitude();
  Real ofQuotient = lowPrecisionLogOfNormal((a + 1.0) / (1.0 - a), 0, site) * 0.5;
  Real result = selectSmall(a, 0x1.bp-8, ofQuotient);
  if (!site.machine.hasExponentInstructions) {
    Truth isWithin = a < 1.0;
    result = ifAny(!isWithin, result, [&] {
      Real ofOthers = (a == 1.0).select(infinity, a.constant(std::nan("")));
      return isWithin.select(result, ofOthers);
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
