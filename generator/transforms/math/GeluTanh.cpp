// gelu by tanh: x / 2 (1 + tanh(w / 2)) = x / (1 + exp(-w)), w = x (c + d x^2).
#include "transforms/math/Coefficients.h"
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"
#include "transforms/math/Gelu.h"
#include "transforms/math/LowPrecisionExp.h"
#include "transforms/math/TableLookup.h"

#include <cmath>

namespace kgen::vecmath {

namespace {

/// A constant of so few digits that a sum with it less it again is exact, and what it lacks.
struct Halves {
  double high, low;
};

Halves halvesOf(double value, unsigned fractionBits) {
  double high = std::trunc(std::ldexp(value, fractionBits));
  high = std::ldexp(high, -static_cast<int>(fractionBits));
  return {high, value - high};
}

/// a b + c, for positive numbers or negative ones, and a c of few digits.
Pair productPlus(Real a, double b, double c) {
  if (a.where().machine.hasFma) {
    Real sum = fma(a, b, c);
    return {sum, fma(a, b, c - sum)};
  }
  Pair product = exactProduct(a, a.constant(b));
  Real sum = product.high + c;
  return {sum, (product.high - (sum - c)) + product.low};
}

/// max(x, 0) - a e / (1 + e) with a = |x| and e = exp(-w): the difference does not cancel. An error
/// in w grows w-fold in e, so that w is computed to twice the digits, and e times 2^by, where it is
/// a normal number. Beyond the bound of a, the result is x or -0.
Real geluTanhByExp(Real x, const Site &site) {
  bool isF64 = site.isF64();
  constexpr double c = -0x1.9884533d43651p+0, cRest = 0x1.cbc0d30ebfd15p-54; // -2 sqrt(2 / pi)
  constexpr double d = -0x1.2444f2a4d8b4bp-4, dRest = 0x1.6c843a29d1c70p-61; // 0.044715 c
  Halves linear = halvesOf(c, isF64 ? 46 : 20);
  Halves cubic =
      isF64 ? Halves{d, dRest} : Halves{static_cast<float>(d), d - static_cast<float>(d)};
  linear.low += cRest;

  Real a = x.magnitude().atMost(isF64 ? 22.0 : 11.0);
  Pair square = exactProduct(a, a);
  Pair slope = productPlus(square.high, cubic.high, linear.high);
  Real slopeLow = slope.low + fma(square.low, cubic.high, fma(square.high, cubic.low, linear.low));
  Pair w = exactProduct(a, slope.high);
  w.low = fma(a, slopeLow, w.low);

  int by = isF64 ? 128 : 64;
  double back = std::ldexp(1.0, -by);
  Real power = normalExp(w, by, site).value();
  Real tail = a * power / fma(power, back, 1.0);
  return fma(tail, -back, positivePart(x));
}

} // namespace

/// Below the lower bound the result is -0 in bf16, above the upper one x.
static Real lowPrecisionGeluTanh(Real x, const Site &site) {
  constexpr double linear = -0x1.26aec21bce75ap+1, cubic = -0x1.a5a7cf7572a98p-4; // times log2(e)
  Real a = x.atLeast(-10.5), b = a.atMost(7.0);
  Real scale = fma(b * b, cubic, linear);
  return a * lowPrecisionLogistic(b, scale, site);
}

Real geluTanh(Real x, const Site &site) {
  if (isLowPrecision(site))
    return lowPrecisionGeluTanh(x, site);
  if (!hasLookups(site))
    return geluTanhByExp(x, site);
  return geluByPieces(
      x, geluTanhTailsF32, [&] { return geluTanhByExp(x, site); }, site);
}

} // namespace kgen::vecmath
