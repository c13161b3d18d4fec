// erf(x): x q(|x|) with piecewise polynomials q on targets with lookups; else an odd polynomial up
// to 1, and 1 - exp(-a^2) q(a) with a = |x| above.
#include "math/Coefficients.h"
#include "math/Exp.h"
#include "math/Functions.h"
#include "math/TableLookup.h"

namespace kgen::vecmath {

FloatValue erf(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return oddBySquares(x, KGEN_ODD_TABLE(erf, emitter));
  // The product of the bound and its slope is 1, in f32.
  if (hasLookups(emitter))
    return oddPiecewise(x, 0x1.f7075ep+1, erfScaleF32, erfSlopesF32);
  FloatValue near = fma(x, polynomial(x * x, KGEN_TABLE(erfRest, emitter)), x);

  // For a >= 1, erfc(a) < 0.16, so its relative error counts less than a sixth; from 6 on (f32: 4)
  // the result is 1. The map to t lets one polynomial serve the whole range.
  FloatValue a = x.magnitude().atMost(emitter.isF64() ? 6.0 : 4.0);
  FloatValue top = a - 2.0;
  FloatValue t = top / (a + 2.0);
  FloatValue tail =
      scaledExp(-1.0 * a * a, emitter).times(polynomial(t, KGEN_TABLE(erfTail, emitter)));
  FloatValue far = (1.0 - tail).withSignOf(x);
  return (a < 1.0).select(near, far);
}

} // namespace kgen::vecmath
