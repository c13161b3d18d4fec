// Building blocks of log for the other functions.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// log(2^more x) of a positive normal number, with the precision of a result of 16 bits; of any
/// number on targets with vgetexp and vgetmant (ExponentMantissa.h). Needs lookups.
Real lowPrecisionLogOfNormal(Real x, int64_t more, const Site &site);

/// log2 of the same, with the precision that pow with a result of 16 bits needs.
Real lowPrecisionLog2OfNormal(Real x);

} // namespace kgen::vecmath
