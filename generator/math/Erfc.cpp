// erfc(x): 1 - erf(x) near 0, else exp(-a^2) q(a) with a = |x|, and 2 minus that for negative x.
#include "math/Coefficients.h"
#include "math/Exp.h"
#include "math/Functions.h"

#include <cmath>

namespace kgen::vecmath {

/// p((a - 1) / (a + 1)) / (a + 1) is exp(a^2) erfc(a). From the upper bound on, the result is 0.
/// The factor 2^by keeps subnormal results normal until the end. What the inverse of a + 1 lacks is
/// a part of the exponential.
FloatValue erfc(FloatValue x, const Emitter &emitter) {
  constexpr double nearest = 0.5; // from there on, 1 - erf(x) would cancel
  FloatValue a = x.magnitude().atMost(emitter.isF64() ? 27.5 : 10.25);
  Pair divisor = exactSum(a, a.constant(1.0));
  FloatValue inverse = 1.0 / divisor.high, t = fma(inverse, -2.0, 1.0);
  Pair back = exactProduct(inverse, divisor.high);
  FloatValue lost = ((1.0 - back.high) - back.low) - inverse * divisor.low;
  FloatValue weight = inverse * horner(t, KGEN_TABLE(erfcTail, emitter));
  int by = emitter.isF64() ? 128 : 64;
  NormalExp power = normalExp(exactProduct(-a, a), by, emitter);
  power.rest = power.rest + lost;
  FloatValue tail = power.times(weight) * std::ldexp(1.0, -by);
  FloatValue far = (x < 0.0).select(2.0 - tail, tail);
  FloatValue near = fma(-x, polynomial(x * x, KGEN_TABLE(erfRest, emitter)), 1.0 - x);
  return (a < nearest).select(near, far);
}

} // namespace kgen::vecmath
