// tanh(x) = t / (t + 2) with t = exp(2 |x|) - 1.
#include "math/Coefficients.h"
#include "math/Exp.h"
#include "math/Functions.h"
#include "math/TableLookup.h"

namespace kgen::vecmath {

/// With e = 2^n (1 + r), t = 2^n r + (2^n - 1), which does not cancel. Beyond 22 (f32: 10) the
/// result is 1.
Real tanh(Real x, const Site &site) {
  if (isLowPrecision(site))
    return oddBySquares(x, KGEN_ODD_TABLE(tanh, site));
  Real a = x.magnitude();
  NormalExp e = normalExp((a + a).atMost(site.isF64() ? 44.0 : 20.0), 0, site);
  Real t = fma(e.rest, e.factor, e.factor - 1.0);
  Bits sign = x.bits() & (uint64_t(1) << (site.isF64() ? 63 : 31));
  return ((t / (t + 2.0)).bits() | sign).real();
}

} // namespace kgen::vecmath
