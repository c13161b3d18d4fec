// What gelu and gelu_tanh share: max(x, 0) - a tail(a) with a = |x|, where tail(a) is half at 0, so
// that the difference does not cancel.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// With the tail from a table of polynomials; what `exact` makes where x is so negative that the
/// table has ended. Needs lookups.
Real geluByPieces(Real x, llvm::ArrayRef<double> tails, llvm::function_ref<Real()> exact,
                  const Site &site);

} // namespace kgen::vecmath
