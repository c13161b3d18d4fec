// Exponentials for functions whose results are rounded to 16 bits.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// A number in [0.7, 1.42] and a power of two, or 0 if that would be subnormal.
struct LowPrecisionExp {
  Real mantissa, factor;
  Bits field; ///< the exponent field of `factor`, plus firstField

  static constexpr uint64_t firstField = 0x4b400000;

  Real value() const { return mantissa * factor; }
  Real plus(double c) const { return fma(mantissa, factor, c); }
};

/// 2^(scale x + by), whose exponent is at least -127 and less than 127.5. The precision is
/// that of the site.
LowPrecisionExp lowPrecisionExp2(Real x, Real scale, int by, const Site &site);

/// 1 / (1 + 2^(scale x)), for exponents from -101 to 152.
Real lowPrecisionLogistic(Real x, Real scale, const Site &site);

} // namespace kgen::vecmath
