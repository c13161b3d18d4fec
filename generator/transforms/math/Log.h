// The part of log that other functions build on.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// A positive number as 2^exponent (1 + fraction), with 1 + fraction in [sqrt(1/2), sqrt(2)].
struct Split {
  Real exponent, fraction;
  Bits eighth; ///< of the mantissas from sqrt(1/2) to sqrt(2): in the lowest three bits
};
Split split(Real x, const Site &site);

} // namespace kgen::vecmath
