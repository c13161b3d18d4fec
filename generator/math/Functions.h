// The vector math functions on f32 and f64. Accuracy: within 4 ulp for every input, subnormal
// results included; the same bits on every target with fused multiply-adds, and the same on every
// target without. If results are rounded to 16 bits (Emitter::hasReducedPrecision), their relative
// error is at most 2^-16 for f16 and 2^-12.5 for bf16. There is one file per function; the
// coefficients come from tests/oracle/fit_math.py.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

FloatValue exp(FloatValue x, const Emitter &emitter);
FloatValue exp2(FloatValue x, const Emitter &emitter);
FloatValue log(FloatValue x, const Emitter &emitter);
FloatValue log2(FloatValue x, const Emitter &emitter);
FloatValue log10(FloatValue x, const Emitter &emitter);
FloatValue tanh(FloatValue x, const Emitter &emitter);
FloatValue erf(FloatValue x, const Emitter &emitter);
FloatValue erfc(FloatValue x, const Emitter &emitter);
FloatValue gelu(FloatValue x, const Emitter &emitter);
/// The approximation of gelu by tanh.
FloatValue geluTanh(FloatValue x, const Emitter &emitter);
FloatValue sigmoid(FloatValue x, const Emitter &emitter);
/// y sigmoid(x), rounded as y / (1 + exp(-x)).
FloatValue sigmoidProduct(FloatValue y, FloatValue x, const Emitter &emitter);
FloatValue softplus(FloatValue x, const Emitter &emitter);
FloatValue expm1(FloatValue x, const Emitter &emitter);
/// expm1 of x <= 0, with fewer operations; not specified for other x.
FloatValue expm1OfNegative(FloatValue x, const Emitter &emitter);
/// exp of x <= 88 (f64: 709), with fewer operations; 0 if x < `lower`. exp(lower) must be normal.
/// For sums of exponentials whose largest one is 1.
FloatValue expOrZero(FloatValue x, double lower, bool isNonPositive, const Emitter &emitter);
/// 2^x of x <= 127 (f64: 1023), with the properties of expOrZero.
FloatValue exp2OrZero(FloatValue x, double lower, const Emitter &emitter);
FloatValue log1p(FloatValue x, const Emitter &emitter);
FloatValue pow(FloatValue x, FloatValue y, const Emitter &emitter);
/// x to an integer, given as a sum: integers of 64 bits have more digits than the type.
FloatValue powerOfInteger(FloatValue x, Pair y, Mask isOdd, const Emitter &emitter);
FloatValue cbrt(FloatValue x, const Emitter &emitter);
FloatValue rsqrt(FloatValue x, const Emitter &emitter);
/// Exact, with the sign of x.
FloatValue remainder(FloatValue x, FloatValue y, const Emitter &emitter);
/// To the nearest integer, halves away from 0. Exact.
FloatValue round(FloatValue x, const Emitter &emitter);
/// a b + c without fused multiply-adds. f32: rounded once. f64: within 2 ulp.
FloatValue fusedMultiplyAdd(FloatValue a, FloatValue b, FloatValue c, const Emitter &emitter);
/// For arguments of any magnitude.
FloatValue sin(FloatValue x, const Emitter &emitter);
FloatValue cos(FloatValue x, const Emitter &emitter);
FloatValue tan(FloatValue x, const Emitter &emitter);
FloatValue asin(FloatValue x, const Emitter &emitter);
FloatValue acos(FloatValue x, const Emitter &emitter);
FloatValue atan(FloatValue x, const Emitter &emitter);
FloatValue atan2(FloatValue y, FloatValue x, const Emitter &emitter);
FloatValue sinh(FloatValue x, const Emitter &emitter);
FloatValue cosh(FloatValue x, const Emitter &emitter);
FloatValue asinh(FloatValue x, const Emitter &emitter);
FloatValue acosh(FloatValue x, const Emitter &emitter);
FloatValue atanh(FloatValue x, const Emitter &emitter);

} // namespace kgen::vecmath
