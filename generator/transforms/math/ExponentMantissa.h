// Numbers as exponents and mantissas.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// A positive number as 2^exponent (1 + fraction), with 1 + fraction in [sqrt(1/2), sqrt(2)]. Where
/// the target splits numbers: the exponent of 0 and of infinity is infinite, the fraction of a
/// negative number NaN.
struct Split {
  Real exponent, fraction;
};
Split split(Real x, const Site &site);

/// A normal number as 2^exponent times a mantissa from a root on to twice that, the part of whose
/// bit patterns in between, one of `count`, chooses a number near 1 / mantissa. For f32 with
/// lookups.
struct SplitByParts {
  Real exponent; // times 2^23
  Real mantissa;
  Bits part;
};
SplitByParts splitByParts(Real x, uint64_t root, unsigned count);

/// By eighths from sqrt(1/2) on: logInversesF32.
SplitByParts splitByEighths(Real x);

/// The same with a mantissa in [1, 2), which takes fewer instructions where the target splits
/// numbers; there, of any number, as split() says. The table: logInversesRough.
struct SplitByOctaves {
  Real exponent; // times `unit`
  double unit;
  Real mantissa;
  Bits eighth;
};
SplitByOctaves splitByOctaves(Real x);

/// Whether a number is positive, normal and finite, of f32: what its bits are above the least such
/// one's.
Limited fromMinNormal(Real x);
Truth isPositiveNormal(Real x);

} // namespace kgen::vecmath
