// Rounding from f32 to bf16.
#pragma once

#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// x rounded to nearest as the bits in the upper half of 32, above what was rounded off; NaN
/// becomes one of them. Ties go to even, or else away from 0, which is cheaper.
Bits bfloatOfFloat(Real x, bool tiesToEven);

} // namespace kgen::vecmath
