// asin and acos by one polynomial and a square root.
#include "math/Coefficients.h"
#include "math/Functions.h"
#include "math/TableLookup.h"

namespace kgen::vecmath {

namespace {

constexpr double pi = 0x1.921fb54442d18p+1;

/// asin(x) = s q(s^2) for small x with s = |x|, and pi/2 - 2 s q(s^2) with s^2 = (1 - |x|) / 2,
/// which is exact.
struct Arc {
  Mask isSmall;
  FloatValue value; // s q(s^2), not negative; NaN beyond 1
};

Arc arcOf(FloatValue x, const Emitter &emitter) {
  FloatValue a = x.magnitude();
  Mask isSmall = a < 0.5;
  FloatValue square = isSmall.select(a * a, fma(a, -0.5, 0.5));
  FloatValue s = isSmall.select(a, square.root()); // squares of tiny numbers are 0
  if (isLowPrecision(emitter))
    return {isSmall, s * horner(square, KGEN_LOW_PRECISION_TABLE(asinSlope, emitter))};
  return {isSmall, fma(s * square, polynomial(square, KGEN_TABLE(asinRest, emitter)), s)};
}

/// pi/2 minus its value in the type.
double restOfHalfPi(const Emitter &emitter) {
  constexpr double restOfF64 = 0x1.1a62633145c07p-54;
  return emitter.isF64() ? restOfF64 : pi / 2 - static_cast<double>(static_cast<float>(pi / 2));
}

} // namespace

FloatValue asin(FloatValue x, const Emitter &emitter) {
  Arc arc = arcOf(x, emitter);
  FloatValue ofLarge = fma(arc.value, -2.0, pi / 2);
  if (!isLowPrecision(emitter))
    ofLarge = ofLarge + restOfHalfPi(emitter);
  FloatValue result = arc.isSmall.select(arc.value, ofLarge);
  return (result.bits() | x.signBits()).real();
}

FloatValue acos(FloatValue x, const Emitter &emitter) {
  Arc arc = arcOf(x, emitter);
  FloatValue ofSmall = pi / 2 - (arc.value.bits() | x.signBits()).real();
  FloatValue ofNegative = fma(arc.value, -2.0, pi);
  return arc.isSmall.select(ofSmall, (x < 0.0).select(ofNegative, arc.value + arc.value));
}

} // namespace kgen::vecmath
