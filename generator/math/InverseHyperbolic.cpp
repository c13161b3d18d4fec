// asinh, acosh and atanh by logarithms.
#include "math/Functions.h"
#include "math/Log.h"
#include "math/TableLookup.h"

#include <cmath>
#include <limits>

namespace kgen::vecmath {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// log1p(sum), or log(2 x) for x > 2^60, where x + sqrt(x^2 + 1) rounds to 2 x in every type.
/// Squares of smaller numbers do not overflow.
FloatValue logarithmOfSum(FloatValue x, FloatValue sum, const Emitter &emitter) {
  Mask isLarge = x > 0x1p60;
  FloatValue result = log1p(isLarge.select(x, sum), emitter);
  return result + isLarge.select(std::log(2.0), x.constant(0.0));
}

/// log(x + sqrt(x^2 + c)) for a c of 1 or -1.
FloatValue lowPrecisionLogOfSum(FloatValue x, double c, const Emitter &emitter) {
  return lowPrecisionLogOfNormal(x + fma(x, x, c).root(), 0, emitter);
}

/// Squares of larger numbers overflow in f32.
constexpr double maxLowPrecision = 0x1p60;
constexpr uint64_t maxLowPrecisionBits = 0x5d800000;

/// log(2 x) for x > maxLowPrecision; infinity and NaN stay.
FloatValue lowPrecisionLogOfLarge(FloatValue x, const Emitter &emitter) {
  return (x < infinity).select(lowPrecisionLogOfNormal(x, 1, emitter), x);
}

/// True if no branch for large numbers is needed: squares of f16 do not overflow in f32.
bool isTotal(const Emitter &emitter) {
  return emitter.machine.hasExponentInstructions && emitter.significantBits > 8;
}

/// Below the bound, x itself, which is precise enough for 16 bits. Above, the logarithm, whose
/// operand is not so close to 1 that its rounding error matters.
FloatValue selectSmall(FloatValue x, double bound, FloatValue logarithm) {
  return (x < bound).select(x, logarithm);
}

FloatValue lowPrecisionAsinh(FloatValue x, const Emitter &emitter) {
  FloatValue a = x.magnitude();
  FloatValue result = selectSmall(a, 0x1p-7, lowPrecisionLogOfSum(a, 1.0, emitter));
  if (!isTotal(emitter)) {
    Mask isUsual = a < maxLowPrecision;
    result = ifAny(!isUsual, result,
                   [&] { return isUsual.select(result, lowPrecisionLogOfLarge(a, emitter)); });
  }
  return (result.bits() | x.signBits()).real();
}

FloatValue lowPrecisionAcosh(FloatValue x, const Emitter &emitter) {
  constexpr uint64_t one = 0x3f800000;
  FloatValue usual = lowPrecisionLogOfSum(x, -1.0, emitter);
  if (isTotal(emitter))
    return (x < 1.0).select(std::nan(""), usual);
  Mask isUsual = (x.bits() - x.bits().constant(one)) < (maxLowPrecisionBits - one);
  return ifAny(!isUsual, usual, [&] {
    Mask isLarge = !(x < maxLowPrecision);
    FloatValue ofOthers = isUsual.select(usual, std::nan(""));
    return ifAny(isLarge, ofOthers,
                 [&] { return isLarge.select(lowPrecisionLogOfLarge(x, emitter), ofOthers); });
  });
}

FloatValue lowPrecisionAtanh(FloatValue x, const Emitter &emitter) {
  FloatValue a = x.magnitude();
  FloatValue ofQuotient = lowPrecisionLogOfNormal((a + 1.0) / (1.0 - a), 0, emitter) * 0.5;
  FloatValue result = selectSmall(a, 0x1.bp-8, ofQuotient);
  if (!emitter.machine.hasExponentInstructions) {
    Mask isWithin = a < 1.0;
    result = ifAny(!isWithin, result, [&] {
      FloatValue ofOthers = (a == 1.0).select(infinity, a.constant(std::nan("")));
      return isWithin.select(result, ofOthers);
    });
  }
  return (result.bits() | x.signBits()).real();
}

} // namespace

/// log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))
FloatValue asinh(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return lowPrecisionAsinh(x, emitter);
  FloatValue a = x.magnitude(), square = a * a;
  FloatValue rest = square / ((square + 1.0).root() + 1.0);
  return logarithmOfSum(a, a + rest, emitter).withSignOf(x);
}

/// log1p(t + sqrt(t (t + 2))) with t = x - 1
FloatValue acosh(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return lowPrecisionAcosh(x, emitter);
  FloatValue t = x + -1.0;
  FloatValue result = logarithmOfSum(x, t + (t * (t + 2.0)).root(), emitter);
  return (x < 1.0).select(std::nan(""), result);
}

/// log1p(2 |x| / (1 - |x|)) / 2
FloatValue atanh(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter))
    return lowPrecisionAtanh(x, emitter);
  FloatValue a = x.magnitude();
  return (log1p((a * 2.0) / (1.0 - a), emitter) * 0.5).withSignOf(x);
}

} // namespace kgen::vecmath
