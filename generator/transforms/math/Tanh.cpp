// tanh(x): an odd polynomial near 0, 1 - 2 / (exp(2|x|) + 1) beyond.
#include "transforms/math/Coefficients.h"
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"

namespace kgen::vecmath {

Real tanh(Real x, const Site &site) {
  Real square = x * x;
  Real near = fma(x, square * polynomial(square, KGEN_TABLE(tanhRest, site)), x);

  // Beyond 22 (f64; 10 for f32) the result is 1.
  Real a = x.magnitude();
  Real e = scaledExp((a + a).atMost(site.isF64() ? 44.0 : 20.0), site).value();
  Real far = 1.0 - 2.0 / (e + 1.0);
  return (a < 0.625).select(near, far).withSignOf(x);
}

} // namespace kgen::vecmath
