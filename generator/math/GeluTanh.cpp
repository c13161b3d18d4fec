// gelu by tanh: x / 2 (1 + tanh(w / 2)) = x / (1 + exp(-w)), w = x (c + d x^2).
#include "math/Coefficients.h"
#include "math/Exp.h"
#include "math/Functions.h"
#include "math/Gelu.h"
#include "math/LowPrecisionExp.h"
#include "math/TableLookup.h"

#include <cmath>

namespace kgen::vecmath {

namespace {

/// A constant as a sum of `high`, with few significant bits, and `low`.
struct HeadAndRest {
  double high, low;
};

HeadAndRest splitConstant(double value, unsigned fractionBits) {
  double high = std::trunc(std::ldexp(value, fractionBits));
  high = std::ldexp(high, -static_cast<int>(fractionBits));
  return {high, value - high};
}

/// a b + c, where all products and c have the same sign and c has few significant bits.
Pair productPlus(FloatValue a, double b, double c) {
  if (a.where().machine.hasFma) {
    FloatValue sum = fma(a, b, c);
    return {sum, fma(a, b, c - sum)};
  }
  Pair product = exactProduct(a, a.constant(b));
  FloatValue sum = product.high + c;
  return {sum, (product.high - (sum - c)) + product.low};
}

/// max(x, 0) - a e / (1 + e) with a = |x| and e = exp(-w): the difference does not cancel. The
/// relative error of e is the absolute error of w, so w is computed with twice the precision, and e
/// times 2^by, which is normal. Beyond the bound of a, the result is x or -0, or NaN.
FloatValue geluTanhByExp(FloatValue x, const Emitter &emitter) {
  bool isF64 = emitter.isF64();
  constexpr double c = -0x1.9884533d43651p+0, cRest = 0x1.cbc0d30ebfd15p-54; // -2 sqrt(2 / pi)
  constexpr double d = -0x1.2444f2a4d8b4bp-4, dRest = 0x1.6c843a29d1c70p-61; // 0.044715 c
  HeadAndRest linear = splitConstant(c, isF64 ? 46 : 20);
  HeadAndRest cubic =
      isF64 ? HeadAndRest{d, dRest} : HeadAndRest{static_cast<float>(d), d - static_cast<float>(d)};
  linear.low += cRest;

  FloatValue a = x.magnitude().atMost(isF64 ? 22.0 : 11.0);
  Pair square = exactProduct(a, a);
  Pair slope = productPlus(square.high, cubic.high, linear.high);
  FloatValue slopeLow =
      slope.low + fma(square.low, cubic.high, fma(square.high, cubic.low, linear.low));
  Pair w = exactProduct(a, slope.high);
  w.low = fma(a, slopeLow, w.low);

  int by = isF64 ? 128 : 64;
  double back = std::ldexp(1.0, -by);
  FloatValue power = normalExp(w, by, emitter).value();
  FloatValue tail = a * power / fma(power, back, 1.0);
  return orNanOfMinusInfinity(x, fma(tail, -back, positivePart(x)));
}

} // namespace

/// Below -10.5 the result rounds to -0 in bf16, above 7 to x.
static FloatValue lowPrecisionGeluTanh(FloatValue x, const Emitter &emitter) {
  constexpr double linear = -0x1.26aec21bce75ap+1, cubic = -0x1.a5a7cf7572a98p-4; // times log2(e)
  FloatValue a = x.atLeast(-10.5), b = a.atMost(7.0);
  FloatValue scale = fma(b * b, cubic, linear);
  return orNanOfMinusInfinity(x, a * lowPrecisionLogistic(b, scale, emitter));
}

FloatValue geluTanh(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return lowPrecisionGeluTanh(x, emitter);
  if (!hasLookups(emitter))
    return geluTanhByExp(x, emitter);
  return geluPiecewise(
      x, geluTanhTailsF32, [&] { return geluTanhByExp(x, emitter); }, emitter);
}

} // namespace kgen::vecmath
