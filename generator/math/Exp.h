// Building blocks of exp for the other functions.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// An exp as (1 + `rest`) 2^n, with 2^n kept as two factors: neither overflows nor underflows
/// alone, so that applying both rounds once, in the subnormal range too.
struct ScaledExp {
  FloatValue rest; // in [-0.3, 0.42]
  FloatValue factor1, factor2;

  /// The exp times a weight. Adding `rest` times the weight rounds less than multiplying by the
  /// sum.
  FloatValue times(FloatValue weight) const {
    return fma(weight, rest, weight) * factor1 * factor2;
  }
  FloatValue value() const { return (1.0 + rest) * factor1 * factor2; }
};

/// exp(x), for x clamped to expRange.
ScaledExp scaledExp(FloatValue x, const Emitter &emitter);

/// exp(x + rest), for |rest| much smaller than |x| and x within expRange.
ScaledExp scaledExp(FloatValue x, FloatValue rest, const Emitter &emitter);

/// 2^by exp(x) as (1 + `rest`) `factor`, if it is normal: fewer operations than a ScaledExp.
struct NormalExp {
  FloatValue rest; // in [-0.3, 0.42]
  FloatValue factor;

  FloatValue times(FloatValue weight) const { return fma(weight, rest, weight) * factor; }
  FloatValue value() const { return fma(factor, rest, factor); }
};

/// 2^by exp(x).
NormalExp normalExp(FloatValue x, int64_t by, const Emitter &emitter);

/// 2^by exp(x) for an x of twice the precision: the relative error of exp is the absolute error of
/// x.
NormalExp normalExp(Pair x, int64_t by, const Emitter &emitter);

/// exp(x) - 1, if exp(x) is normal.
FloatValue normalExpm1(FloatValue x, const Emitter &emitter);

/// 2^by exp(x), with fewer multiplications on targets with lookups; `factor` is rounded then, so it
/// does not serve exp(x) - 1.
NormalExp tableExp(FloatValue x, int64_t by, const Emitter &emitter);

/// tableExp with another table of powers of eighths, a multiple of expEighthsF32. Needs lookups.
NormalExp tableExp(FloatValue x, llvm::ArrayRef<double> powers, int64_t by, const Emitter &emitter);

/// tableExp with other coefficients of (exp(r) - 1 - r) / r^2, |r| <= ln(2) / 16.
NormalExp tableExp(FloatValue x, llvm::ArrayRef<double> powers, llvm::ArrayRef<double> rest,
                   int64_t by, const Emitter &emitter);

/// 2^(n + by), which must be normal, from `shifted` = n + 1.5 * 2^20 with n a multiple of 1/8.
/// Needs lookups.
FloatValue powerOfEighths(FloatValue shifted, int64_t by = 0);

/// exp overflows above `high` and is zero below `low`.
struct Range {
  double low, high;
};
Range expRange(const Emitter &emitter);

} // namespace kgen::vecmath
