// sinh and cosh: by exponentials; for 16 bits, by the even and the odd part of a power of 2.
#include "math/Coefficients.h"
#include "math/Exp.h"
#include "math/Functions.h"
#include "math/TableLookup.h"

namespace kgen::vecmath {

namespace {

/// With |x| = (n + r) ln 2: cosh(r ln 2) and sinh(r ln 2), and half the sum and half the difference
/// of 2^n and 2^-n. Nothing cancels where n is 0.
struct PowerParts {
  FloatValue even, odd, sum, difference;
};

/// Beyond the limit, results are infinite: for bf16, n is 129 there, and r positive.
PowerParts lowPrecisionParts(FloatValue x, const Emitter &emitter) {
  const double limit = emitter.significantBits > 8 ? 88.0 : 89.5;
  constexpr unsigned bias = 126, width = 23;
  constexpr uint64_t magicBits = 0x4b400000; // 1.5 * 2^23
  constexpr double magic = 0x1.8p23 + bias;
  FloatValue a = x.magnitude().atMost(limit);
  FloatValue shifted = fma(a, log2E, magic);
  FloatValue r = fma(a, log2E, magic - shifted), square = r * r;
  // The exponent fields bias + n and bias - n; the limit keeps the second one from becoming
  // negative.
  BitsValue field = shifted.bits(), limited = field.atMost(magicBits + 2 * bias);
  FloatValue power = (field << width).real();
  FloatValue inverse = ((field.constant(magicBits + 2 * bias) - limited) << width).real();
  return {horner(square, KGEN_LOW_PRECISION_TABLE(coshOfPower, emitter)),
          r * horner(square, KGEN_LOW_PRECISION_TABLE(sinhOfPower, emitter)), power + inverse,
          power - inverse};
}

} // namespace

/// Up to 1, a polynomial. Above, h - 1 / (4 h) with h = exp(|x|) / 2, which overflows only if the
/// result does, and at the bound.
FloatValue sinh(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter)) {
    PowerParts parts = lowPrecisionParts(x, emitter);
    FloatValue result = fma(parts.odd, parts.sum, parts.even * parts.difference);
    return (result.bits() | x.signBits()).real();
  }
  FloatValue a = x.magnitude(), square = a * a; // of tiny numbers 0
  FloatValue half =
      scaledExp(a.atMost(emitter.isF64() ? 711.0 : 90.0), emitter).times(x.constant(0.5));
  FloatValue near = fma(a * square, polynomial(square, KGEN_TABLE(sinhRest, emitter)), a);
  return (a < 1.0).select(near, half - 0.25 / half).withSignOf(x);
}

/// h^2 / 2 + (1 / h^2) / 2 with h = exp(|x| / 2)
FloatValue cosh(FloatValue x, const Emitter &emitter) {
  if (isLowPrecision(emitter)) {
    PowerParts parts = lowPrecisionParts(x, emitter);
    return fma(parts.odd, parts.difference, parts.even * parts.sum);
  }
  FloatValue root = exp(x.magnitude() * 0.5, emitter);
  FloatValue large = (root * 0.5) * root;
  return large + 0.25 / large;
}

} // namespace kgen::vecmath
