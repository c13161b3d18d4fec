// sigmoid(x) = 1 / (1 + exp(-x)), and its product with another number.
#include "math/Exp.h"
#include "math/Functions.h"
#include "math/LowPrecisionExp.h"
#include "math/TableLookup.h"

#include "math/Coefficients.h"

#include <cmath>

namespace kgen::vecmath {

/// `numerator` / (2^-by (1 + exp(-x))). Numerator and denominator are scaled, so that exp(-x) does
/// not overflow while the result is subnormal.
static FloatValue scaledSigmoid(FloatValue x, double numerator, int by, const Emitter &emitter) {
  return numerator / (tableExp(-x, -by, emitter).value() + std::ldexp(1.0, -by));
}

/// Beyond the bounds, the result is 0 or 1.
FloatValue sigmoid(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter)) {
    FloatValue bounded = x.atMost(70.0).atLeast(-105.0);
    return lowPrecisionLogistic(bounded, x.constant(-log2E), emitter);
  }
  FloatValue bounded =
      emitter.isF64() ? x.atMost(40.0).atLeast(-746.0) : x.atMost(20.0).atLeast(-105.0);
  int by = static_cast<int>(emitter.mantissaBits()) + 1;
  return scaledSigmoid(bounded, std::ldexp(1.0, -by), by, emitter);
}

/// y sigmoid(x) where exp(-x) may not be normal. The product is subnormal in its last step only.
/// Below the bound, it is 0 for |y| <= |x|.
static FloatValue sigmoidProductOfAny(FloatValue y, FloatValue x, const Emitter &emitter) {
  int by =
      static_cast<int>(emitter.mantissaBits()) + 16; // exp(-x) 2^-by is less than 2^128 (2^1024)
  double least = emitter.isF64() ? -754.0 : -110.0;
  FloatValue scaled = scaledSigmoid(x.atMost(20.0).atLeast(least), 1.0, by, emitter);
  FloatValue product = y * (x < least).select(0.0, scaled) * std::ldexp(1.0, -by);
  return (x > 0.0).select(y, product);
}

/// 1 + exp(x), rounded as the sum with an exact exponential is. It takes a factor in the same
/// operation, so the table has powers that are nearly numbers of f32.
static FloatValue onePlusExp(FloatValue x, const Emitter &emitter) {
  if (!hasLookups(emitter))
    return normalExp(x, 0, emitter).value() + 1.0;
  NormalExp power = tableExp(x, sigmoidEighthsF32, longExpRestOfEighthF32, 0, emitter);
  return fma(power.value(), sigmoidFactorF32, 1.0);
}

FloatValue sigmoidProduct(FloatValue y, FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return y * sigmoid(x, emitter);
  Mask isUsual = x.magnitude() < (emitter.isF64() ? 708.0 : 87.0);
  FloatValue usual = y / onePlusExp(-x, emitter);
  return ifAny(!isUsual, usual,
               [&] { return isUsual.select(usual, sigmoidProductOfAny(y, x, emitter)); });
}

} // namespace kgen::vecmath
