// The vector math functions, each as straight-line arithmetic on f32 or f64: within 4 ulp for every
// input, subnormal results included, and the same bits on every target with fused multiply-adds and
// on every one without. Where results are rounded to 16 bits (Site::isRounded), they may be off by
// 2^-16 of their size. The formulas are in one
// file per function; the coefficients come from tests/oracle/fit_math.py.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

Real exp(Real x, const Site &site);
Real log(Real x, const Site &site);
Real tanh(Real x, const Site &site);
Real erf(Real x, const Site &site);
Real gelu(Real x, const Site &site);
/// By its approximation with tanh.
Real geluTanh(Real x, const Site &site);
Real sigmoid(Real x, const Site &site);
Real softplus(Real x, const Site &site);
Real expm1(Real x, const Site &site);
/// Of what is not positive, for others anything: fewer operations.
Real expm1OfNegative(Real x, const Site &site);
/// exp of what is at most 88 (f64: 709), for sums of powers that have a 1 among them: 0 where x is
/// less than `least`, whose power is normal. Fewer operations than exp.
Real expOrZero(Real x, double least, const Site &site);
/// The same of 2^x, for x of at most 127 (f64: 1023).
Real exp2OrZero(Real x, double least, const Site &site);
Real log1p(Real x, const Site &site);
Real pow(Real x, Real y, const Site &site);
/// Exact, with the sign of x; in loops.
Real remainder(Real x, Real y, const Site &site);
/// For every argument, however large.
Real sin(Real x, const Site &site);
Real cos(Real x, const Site &site);
Real tan(Real x, const Site &site);
Real asin(Real x, const Site &site);
Real acos(Real x, const Site &site);
Real atan(Real x, const Site &site);
Real sinh(Real x, const Site &site);
Real cosh(Real x, const Site &site);
Real asinh(Real x, const Site &site);
Real acosh(Real x, const Site &site);
Real atanh(Real x, const Site &site);

} // namespace kgen::vecmath
