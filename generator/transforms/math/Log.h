// The part of log that other functions build on.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// A positive number as 2^exponent (1 + fraction), with 1 + fraction in [sqrt(1/2), sqrt(2)].
struct Split {
  Real exponent, fraction;
};
Split split(Real x, const Site &site);

/// A normal number as 2^exponent times a mantissa in [sqrt(1/2), sqrt(2)], whose eighth of the bit
/// patterns in between chooses a number near 1 / mantissa: logInversesF32. For f32 with lookups.
struct SplitByEighths {
  Real exponent; // times 2^23
  Real mantissa;
  Bits eighth;
};
SplitByEighths splitByEighths(Real x);

/// Whether a number is positive, normal and finite, of f32.
Truth isPositiveNormal(Real x);

/// log(x) for such a number.
Real logOfNormal(Real x, const Site &site);

/// The same times 2^more, to the digits of a result of 16 bits.
Real roughLogOfNormal(Real x, int64_t more, const Site &site);

} // namespace kgen::vecmath
