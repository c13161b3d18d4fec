// Conversions between f32 and the bits of f16, with the results of the instructions that CPUs have
// for it: rounded to nearest, ties to even; subnormal numbers, infinities and zeros keep their
// value and sign, NaN its upper bits, and becomes quiet.
#pragma once

#include "math/VectorMath.h"

namespace kgen::vecmath {

/// `half` has the f16 in its lower 16 bits.
FloatValue f32FromF16(BitsValue half, const Emitter &emitter);
/// The lower 16 bits of the result are the f16.
BitsValue f16FromF32(FloatValue x, const Emitter &emitter);

} // namespace kgen::vecmath
