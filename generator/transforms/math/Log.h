// The part of log that other functions build on.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// A positive number as 2^exponent (1 + fraction), with 1 + fraction in [sqrt(1/2), sqrt(2)].
struct Split {
  Real exponent, fraction;
};
Split split(Real x, const Site &site);

} // namespace kgen::vecmath
