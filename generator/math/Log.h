// Building blocks of log for the other functions.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// log(2^more x) of a positive normal number, with the precision of a result of 16 bits; of any
/// number on targets with vgetexp and vgetmant (ExponentMantissa.h). Needs lookups.
FloatValue lowPrecisionLogOfNormal(FloatValue x, int64_t more, const Emitter &emitter);

/// log2 of the same, with the precision that pow with a result of 16 bits needs.
FloatValue lowPrecisionLog2OfNormal(FloatValue x);

} // namespace kgen::vecmath
