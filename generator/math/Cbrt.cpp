// cbrt(x) = 2^q cbrt(m) with |x| = 2^(3 q) m and m in [0.35, 2.83]. The inverse of cbrt(m) comes
// from a polynomial and Newton's method, which needs no division.
#include "math/Coefficients.h"
#include "math/ExponentMantissa.h"
#include "math/Functions.h"

#include <cmath>
#include <limits>

namespace kgen::vecmath {

/// 2^q of an integer q, which must be normal.
static FloatValue powerOfTwo(FloatValue q, const Emitter &emitter) {
  double magic = 1.5 * double(uint64_t(1) << emitter.mantissaBits());
  return (((q + magic).bits() + emitter.exponentBias()) << emitter.mantissaBits()).real();
}

/// 0, infinity and NaN are their own roots.
FloatValue cbrt(FloatValue x, const Emitter &emitter) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double third = 1.0 / 3;
  FloatValue a = x.magnitude();
  ExponentFraction parts = split(a, emitter);
  FloatValue q = (parts.exponent * third).nearest();
  FloatValue left = fma(q, -3.0, parts.exponent); // -1, 0 or 1
  Mask isAbove = left > 0.5, isBelow = left < -0.5;
  auto byExponent = [&](double above, double below) {
    return isAbove.select(above, isBelow.select(below, x.constant(1.0)));
  };
  FloatValue m = (parts.fraction + 1.0) * byExponent(2.0, 0.5);
  FloatValue inverse = polynomial(parts.fraction, KGEN_TABLE(inverseCubeRoot, emitter)) *
                       byExponent(std::cbrt(0.5), std::cbrt(2.0));
  for (int step = 0; step < (emitter.isF64() ? 2 : 1); ++step) {
    FloatValue rest = fma(inverse * inverse * inverse, -m, x.constant(1.0));
    inverse = fma(inverse * third, rest, inverse);
  }
  // The last step is from the root itself, with the exact distance of its cube.
  FloatValue square = inverse * inverse, root = m * square;
  Pair power = exactProduct(root, root), cube = exactProduct(power.high, root);
  FloatValue distance = (m - cube.high) - fma(power.low, root, cube.low);
  FloatValue result = fma(distance * third, square, root) * powerOfTwo(q, emitter);
  return (a > 0.0 && a < infinity).select(result.withSignOf(x), x);
}

} // namespace kgen::vecmath
