// The vector math functions on f32 and f64. Accuracy: within 4 ulp for every input, subnormal
// results included; the same bits on every target with fused multiply-adds, and the same on every
// target without. If results are rounded to 16 bits (Site::hasReducedPrecision), their relative
// error is at most 2^-16 for f16 and 2^-12.5 for bf16. There is one file per function; the
// coefficients come from tests/oracle/fit_math.py.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

Real exp(Real x, const Site &site);
Real exp2(Real x, const Site &site);
Real log(Real x, const Site &site);
Real log2(Real x, const Site &site);
Real log10(Real x, const Site &site);
Real tanh(Real x, const Site &site);
Real erf(Real x, const Site &site);
Real erfc(Real x, const Site &site);
Real gelu(Real x, const Site &site);
/// The approximation of gelu by tanh.
Real geluTanh(Real x, const Site &site);
Real sigmoid(Real x, const Site &site);
/// y sigmoid(x), rounded as y / (1 + exp(-x)).
Real sigmoidProduct(Real y, Real x, const Site &site);
Real softplus(Real x, const Site &site);
Real expm1(Real x, const Site &site);
/// expm1 of x <= 0, with fewer operations; not specified for other x.
Real expm1OfNegative(Real x, const Site &site);
/// exp of x <= 88 (f64: 709), with fewer operations; 0 if x < `lower`. exp(lower) must be normal.
/// For sums of exponentials whose largest one is 1.
Real expOrZero(Real x, double lower, bool isNonPositive, const Site &site);
/// 2^x of x <= 127 (f64: 1023), with the properties of expOrZero.
Real exp2OrZero(Real x, double lower, const Site &site);
Real log1p(Real x, const Site &site);
Real pow(Real x, Real y, const Site &site);
/// x to an integer, given as a sum: integers of 64 bits have more digits than the type.
Real powerOfInteger(Real x, Pair y, Truth isOdd, const Site &site);
Real cbrt(Real x, const Site &site);
Real rsqrt(Real x, const Site &site);
/// Exact, with the sign of x.
Real remainder(Real x, Real y, const Site &site);
/// To the nearest integer, halves away from 0. Exact.
Real round(Real x, const Site &site);
/// a b + c without fused multiply-adds. f32: rounded once. f64: within 2 ulp.
Real fusedMultiplyAdd(Real a, Real b, Real c, const Site &site);
/// For arguments of any magnitude.
Real sin(Real x, const Site &site);
Real cos(Real x, const Site &site);
Real tan(Real x, const Site &site);
Real asin(Real x, const Site &site);
Real acos(Real x, const Site &site);
Real atan(Real x, const Site &site);
Real atan2(Real y, Real x, const Site &site);
Real sinh(Real x, const Site &site);
Real cosh(Real x, const Site &site);
Real asinh(Real x, const Site &site);
Real acosh(Real x, const Site &site);
Real atanh(Real x, const Site &site);

} // namespace kgen::vecmath
