// The parts of log that other functions build on.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// log(2^more x) of a positive normal number, to the digits of a result of 16 bits; of any number
/// where the target splits numbers, see Split.h. Needs lookups.
Real lowPrecisionLogOfNormal(Real x, int64_t more, const Site &site);

/// The logarithm to base 2 of the same, to the digits that a power of 16 bits needs.
Real lowPrecisionLog2OfNormal(Real x);

} // namespace kgen::vecmath
