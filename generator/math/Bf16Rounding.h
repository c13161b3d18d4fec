// Rounding from f32 to bf16.
#pragma once

#include "math/VectorMath.h"

namespace kgen::vecmath {

/// Relaxations that make roundings cheaper.
struct Rounding {
  bool tiesToEven = true;     ///< else away from 0
  bool canonicalNans = false; ///< NaNs have zeros in the lower 16 bits
};

/// x (f32) rounded to nearest. The upper 16 bits of the result are the bf16, the lower ones are not
/// specified. NaN stays NaN.
BitsValue bf16FromF32(FloatValue x, Rounding rounding);

} // namespace kgen::vecmath
