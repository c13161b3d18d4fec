// The parts of exp that the other functions build on.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// exp of a sum as `mantissa` times 2^n, with 2^n kept as two factors: neither overflows nor
/// underflows alone, so that applying both rounds once, in the subnormal range too.
struct ScaledExp {
  Real mantissa; // in [0.7, 1.42]
  Real factor1, factor2;

  Real times(Real weight) const { return mantissa * weight * factor1 * factor2; }
  Real value() const { return mantissa * factor1 * factor2; }
};

/// exp(x), for x clamped to expRange.
ScaledExp scaledExp(Real x, const Site &site);

/// exp(x + rest), for a rest that is tiny beside x and x within expRange.
ScaledExp scaledExp(Real x, Real rest, const Site &site);

/// exp is infinite above, and zero below.
struct Range {
  double low, high;
};
Range expRange(const Site &site);

} // namespace kgen::vecmath
