// sigmoid(x) = 1 / (1 + exp(-x)).
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"
#include "transforms/math/LowPrecisionExp.h"
#include "transforms/math/TableLookup.h"

#include "transforms/math/Coefficients.h"

#include <cmath>

namespace kgen::vecmath {

/// Numerator and denominator are scaled by 2^-by, so that exp(-x) does not overflow while the
/// result is subnormal. Beyond the bounds, the result is 0 or 1.
Real sigmoid(Real x, const Site &site) {
  if (isLowPrecision(site)) {
    Real bounded = x.atMost(70.0).atLeast(-105.0);
    return lowPrecisionLogistic(bounded, x.constant(-log2E), site);
  }
  int by = static_cast<int>(site.mantissaBits()) + 1;
  Real bounded = site.isF64() ? x.atMost(40.0).atLeast(-746.0) : x.atMost(20.0).atLeast(-105.0);
  double one = std::ldexp(1.0, -by);
  return one / (tableExp(-bounded, -by, site).value() + one);
}

} // namespace kgen::vecmath
