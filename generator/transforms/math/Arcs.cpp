// asin and acos: by the arcus tangent of half the angle; for 16 bits, by one polynomial and a root.
#include "transforms/math/Coefficients.h"
#include "transforms/math/Functions.h"
#include "transforms/math/Lookup.h"

namespace kgen::vecmath {

namespace {

constexpr double pi = 0x1.921fb54442d18p+1;

/// asin(x) = s q(s^2) for small x with s = |x|, and pi/2 - 2 s q(s^2) with s^2 = (1 - |x|) / 2.
struct Arc {
  Truth isSmall;
  Real value; // s q(s^2), not negative; NaN beyond 1
};

Arc roughArc(Real x, const Site &site) {
  Real a = x.magnitude();
  Truth isSmall = a < 0.5;
  Real square = isSmall.select(a * a, fma(a, -0.5, 0.5));
  Real s = isSmall.select(a, square.root()); // squares of tiny numbers are 0
  return {isSmall, s * horner(square, KGEN_ROUGH_TABLE(asinSlope, site))};
}

} // namespace

/// 2 atan(x / (1 + sqrt(1 - x^2))); (1 - x) (1 + x) loses nothing near 1.
Real asin(Real x, const Site &site) {
  if (isRough(site)) {
    Arc arc = roughArc(x, site);
    Real result = arc.isSmall.select(arc.value, fma(arc.value, -2.0, pi / 2));
    return (result.bits() | x.signBits()).real();
  }
  Real half = x / (((1.0 - x) * (x + 1.0)).root() + 1.0);
  return atan(half, site) * 2.0;
}

/// 2 atan(sqrt((1 - x) / (1 + x))), where both differences are exact near 1 and -1.
Real acos(Real x, const Site &site) {
  if (isRough(site)) {
    Arc arc = roughArc(x, site);
    Real ofSmall = pi / 2 - (arc.value.bits() | x.signBits()).real();
    Real ofNegative = fma(arc.value, -2.0, pi);
    return arc.isSmall.select(ofSmall, (x < 0.0).select(ofNegative, arc.value + arc.value));
  }
  Real half = ((1.0 - x) / (x + 1.0)).root();
  return atan(half, site) * 2.0;
}

} // namespace kgen::vecmath
