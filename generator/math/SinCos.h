// Argument reduction that sin and cos of f32 and f64 share.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// With fused multiply-adds, arguments below these are reduced by subtracting multiples of pi in
/// parts (Cody and Waite).
constexpr double nearLimitF32 = 0x1p17, nearLimitF64 = 0x1p30;

/// x = quotient pi/2 + remainder + rest; the quotient modulo 4, from -2 to 2.
struct Division {
  FloatValue quotient, remainder, rest;
};

FloatValue moduloFour(FloatValue x);

/// Selects between two divisions: `far` for magnitudes from `limit` on, which are rare. It is
/// computed in a branch, only if a vector holds such a number.
Division divide(FloatValue x, const Emitter &emitter, double limit, Division (*near)(FloatValue),
                Division (*far)(FloatValue));

/// sin(remainder + (quotient + shift) pi/2) from the remainder's sine and cosine.
FloatValue selectByQuadrant(FloatValue quotient, double shift, FloatValue sine, FloatValue cosine);

/// sin(x) for a shift of 0, cos(x) = sin(x + pi/2) for a shift of 1.
FloatValue shiftedF64(FloatValue x, double shift, const Emitter &emitter);

} // namespace kgen::vecmath
