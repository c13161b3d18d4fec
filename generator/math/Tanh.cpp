// tanh(x) = t / (t + 2) with t = exp(2 |x|) - 1.
#include "math/Coefficients.h"
#include "math/Exp.h"
#include "math/Functions.h"
#include "math/TableLookup.h"

namespace kgen::vecmath {

/// With e = 2^n (1 + r), t = 2^n r + (2^n - 1), which does not cancel. Beyond 22 (f32: 10) the
/// result is 1.
FloatValue tanh(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return oddBySquares(x, KGEN_ODD_TABLE(tanh, emitter));
  FloatValue a = x.magnitude();
  NormalExp e = normalExp((a + a).atMost(emitter.isF64() ? 44.0 : 20.0), 0, emitter);
  FloatValue t = fma(e.rest, e.factor, e.factor - 1.0);
  BitsValue sign = x.bits() & (uint64_t(1) << (emitter.isF64() ? 63 : 31));
  return ((t / (t + 2.0)).bits() | sign).real();
}

} // namespace kgen::vecmath
