// Rounding from f32 to bf16.
#pragma once

#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// What makes roundings cheaper.
struct Rounding {
  bool tiesToEven = true;     ///< or else away from 0
  bool canonicalNans = false; ///< NaNs have no digits below those of bf16
};

/// x rounded to nearest as the bits in the upper half of 32, above what was rounded off; NaN
/// becomes one of them.
Bits bf16FromF32(Real x, Rounding rounding);

} // namespace kgen::vecmath
