// Decomposition of numbers into exponents and mantissas.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// A positive number as 2^exponent (1 + fraction), with 1 + fraction in [sqrt(1/2), sqrt(2)]. On
/// targets with vgetexp and vgetmant, the exponent of 0 and of infinity is infinite, and the
/// fraction of a negative number is NaN.
struct ExponentFraction {
  FloatValue exponent, fraction;
};
ExponentFraction split(FloatValue x, const Emitter &emitter);

/// A normal number as 2^exponent times a mantissa in [root, 2 root), with the number of the
/// mantissa's interval, one of `count`, as index of a table of approximate inverses. For f32 with
/// lookups.
struct IntervalSplit {
  FloatValue exponent; // times 2^23
  FloatValue mantissa;
  BitsValue interval;
};
IntervalSplit splitByIntervals(FloatValue x, uint64_t root, unsigned count);

/// Eight intervals from sqrt(1/2) on, for the table logInversesF32.
IntervalSplit splitByEighths(FloatValue x);

/// A split with a mantissa in [1, 2), for the table logInversesLowPrecision. It takes fewer
/// instructions on targets with vgetexp and vgetmant, where it holds for any number, as for
/// split().
struct SplitByOctaves {
  FloatValue exponent; // times `unit`
  double unit;
  FloatValue mantissa;
  BitsValue eighth;
};
SplitByOctaves splitByOctaves(FloatValue x);

/// The distance of the bits of x (f32) from those of the smallest positive normal number. It is
/// within its limit if x is positive, normal and finite.
Limited fromMinNormal(FloatValue x);
Mask isPositiveNormal(FloatValue x);

} // namespace kgen::vecmath
