// gelu(x) = x Phi(x), the exact one, with Phi the normal distribution function.
#include "transforms/math/Coefficients.h"
#include "transforms/math/Exp.h"
#include "transforms/math/Functions.h"

namespace kgen::vecmath {

/// exp(-a^2/2). The relative error of exp is the absolute error of its argument, so a^2 is needed
/// to more digits than one number has: `head` is a rounded to half of its digits, so that its
/// square is exact, and a^2 - head^2 = (a - head)(a + head) is small. Rounding by a product and not
/// by masking bits keeps a NaN what it is. A fused multiply-add has the rest of the square at once.
static ScaledExp gauss(Real a, const Site &site) {
  if (site.hasFma) {
    Pair square = exactProduct(a, a);
    return scaledExp(square.high * -0.5, square.low * -0.5, site);
  }
  Real spread = a * (site.isF64() ? 0x1p27 + 1 : 0x1p12 + 1);
  Real head = spread - (spread - a);
  Real difference = a - head;
  Real rest = difference * (a + head) * -0.5;
  return scaledExp(head * head * -0.5, rest, site);
}

/// Near 0, x (1/2 + x c(x^2)) does not cancel. Elsewhere gelu(x) = max(x, 0) - a (1 - Phi(a)) with
/// a = |x|, and a (1 - Phi(a)) = exp(-a^2/2) h(a) with h between 0.17 and 0.4.
Real gelu(Real x, const Site &site) {
  Real near = x * fma(x, polynomial(x * x, KGEN_TABLE(geluCenter, site)), 0.5);

  Real a = x.magnitude().atMost(site.isF64() ? 39.0 : 14.5);
  // Around the center of this map, t has the fewest rounding errors where h is steepest.
  double center = site.isF64() ? geluTailCenterF64 : geluTailCenterF32;
  Real top = a - center;
  Real t = top / (a + center);
  Real tail = gauss(a, site).times(polynomial(t, KGEN_TABLE(geluTail, site)));
  Real positive = (x > 0.0).select(x, 0.0);
  Real far = positive - tail;
  // The sign is that of x even where the result is zero.
  return (a < 0.5).select(near, far).withSignOf(x);
}

} // namespace kgen::vecmath
