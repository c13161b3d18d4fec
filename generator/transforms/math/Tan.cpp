// tan(x) = sin(x) / cos(x).
#include "transforms/math/Coefficients.h"
#include "transforms/math/Functions.h"
#include "transforms/math/Lookup.h"

namespace kgen::vecmath {

/// What is left of x when the nearest multiple of pi/2 is taken away, in two parts: its sine and
/// cosine change places for an odd one. Larger numbers are rare, and none of f16.
static Real roughTan(Real x, const Site &site) {
  constexpr double magic = 0x1.8p23, inverse = 0x1.45f306dc9c883p-1, limit = 1 << 17;
  Real shifted = fma(x, inverse, magic), n = shifted - magic;
  Real r = fma(n, -0x1.4442dp-24, fma(n, -0x1.921fb4p+0, x)), square = r * r;
  Real sine = r * horner(square, KGEN_ROUGH_TABLE(sinOfEighthTurn, site));
  Real cosine = horner(square, KGEN_ROUGH_TABLE(cosOfEighthTurn, site));
  Truth isEven = (shifted.bits() & 1) < 1;
  Real quotient = isEven.select(sine, cosine) / isEven.select(cosine, sine);
  Real usual = (quotient.bits() + (shifted.bits() << 31)).real();
  if (site.digits > 8)
    return usual;
  Truth isFar = !(x.magnitude() < limit);
  return ifAny(isFar, usual, [&] { return isFar.select(sin(x, site) / cos(x, site), usual); });
}

Real tan(Real x, const Site &site) {
  return isRough(site) ? roughTan(x, site) : sin(x, site) / cos(x, site);
}

} // namespace kgen::vecmath
