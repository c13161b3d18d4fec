// The formula that gelu and gelu_tanh share: max(x, 0) - a tail(a) with a = |x|. tail(0) is 1/2, so
// the difference does not cancel.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// gelu with piecewise polynomials for the tail, and the result of `exact` for x below the range of
/// the table. Needs lookups.
FloatValue geluPiecewise(FloatValue x, llvm::ArrayRef<double> tails,
                         llvm::function_ref<FloatValue()> exact, const Emitter &emitter);

/// NaN for -infinity, which is multiplied by 0; else `result`.
FloatValue orNanOfMinusInfinity(FloatValue x, FloatValue result);

} // namespace kgen::vecmath
