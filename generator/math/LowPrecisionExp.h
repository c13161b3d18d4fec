// Exponentials for functions whose results are rounded to 16 bits.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// A number in [0.7, 1.42] and a power of two, or 0 if that would be subnormal.
struct LowPrecisionExp {
  FloatValue mantissa, factor;
  BitsValue field; ///< the exponent field of `factor`, plus firstField

  static constexpr uint64_t firstField = 0x4b400000;

  FloatValue value() const { return mantissa * factor; }
  FloatValue plus(double c) const { return fma(mantissa, factor, c); }
};

/// 2^(scale x + by), whose exponent is at least -127 and less than 127.5. The precision is
/// that of the site.
LowPrecisionExp lowPrecisionExp2(FloatValue x, FloatValue scale, int by, const Emitter &emitter);

/// 1 / (1 + 2^(scale x)), for exponents from -101 to 152.
FloatValue lowPrecisionLogistic(FloatValue x, FloatValue scale, const Emitter &emitter);

} // namespace kgen::vecmath
