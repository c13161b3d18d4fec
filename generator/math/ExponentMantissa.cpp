#include "math/ExponentMantissa.h"

#include <llvm/Support/MathExtras.h>

#include <limits>

using namespace mlir;

namespace kgen::vecmath {

namespace {

/// The exponent of |x|, as a float.
FloatValue exponentOf(FloatValue x) {
  const Emitter &emitter = x.where();
  return {emitter, ExponentOp::create(emitter.builder, emitter.loc, x.value())};
}

/// The mantissa in [1, 2); 1 for 0 and infinity, NaN for negative numbers.
FloatValue mantissaOf(FloatValue x) {
  const Emitter &emitter = x.where();
  return {emitter, MantissaOp::create(emitter.builder, emitter.loc, x.value())};
}

ExponentFraction splitByInstructions(FloatValue x, double root) {
  FloatValue exponent = exponentOf(x), mantissa = mantissaOf(x);
  Mask isLower = mantissa < 2 * root;
  return {isLower.select(exponent, exponent + 1.0), isLower.select(mantissa, mantissa * 0.5) - 1.0};
}

} // namespace

/// Adding the distance from sqrt(1/2) to 1 to the bits carries into the exponent if the mantissa is
/// at least sqrt(2).
ExponentFraction split(FloatValue x, const Emitter &emitter) {
  unsigned width = emitter.mantissaBits();
  uint64_t one = uint64_t(emitter.exponentBias()) << width;
  uint64_t root = emitter.isF64() ? 0x3fe6a09e667f3bcdu : 0x3f3504f3u;
  if (emitter.machine.hasExponentInstructions)
    return splitByInstructions(x, emitter.isF64() ? 0x1.6a09e667f3bcdp-1 : 0x1.6a09e6p-1);

  // Subnormals are scaled into the normal range.
  double scale = double(uint64_t(1) << (width + 1));
  Mask tiny = x < (emitter.isF64() ? double(std::numeric_limits<double>::min())
                                   : double(std::numeric_limits<float>::min()));
  FloatValue normal = tiny.select(x * scale, x);
  BitsValue carried = normal.bits() + (one - root);
  BitsValue mantissa = (carried & ((uint64_t(1) << width) - 1)) + root;

  // An integer below 2^mantissaBits becomes a float by way of the bits of 2^mantissaBits.
  uint64_t anchor = uint64_t(emitter.exponentBias() + width) << width;
  double offset = double(uint64_t(1) << width) + emitter.exponentBias();
  FloatValue biased = ((carried >> width) | anchor).real();
  FloatValue usual = biased.constant(offset);
  FloatValue bias = tiny.select(offset + width + 1, usual);
  return {biased - bias, mantissa.real() - 1.0};
}

/// The exponent field of f32, with the sign.
static constexpr uint64_t exponents = 0xff800000;
static constexpr double unitOfFields = 1 << 23;

IntervalSplit splitByIntervals(FloatValue x, uint64_t root, unsigned count) {
  BitsValue above = x.bits() - x.bits().constant(root);
  BitsValue shifted = above & exponents;
  unsigned shift = x.where().mantissaBits() - llvm::Log2_32(count);
  return {shifted.signedNumber(), (x.bits() - shifted).real(), above >> shift};
}

IntervalSplit splitByEighths(FloatValue x) { return splitByIntervals(x, 0x3f3504f3, 8); }

SplitByOctaves splitByOctaves(FloatValue x) {
  constexpr uint64_t one = 0x3f800000;
  if (x.where().machine.hasExponentInstructions) {
    FloatValue mantissa = mantissaOf(x);
    return {exponentOf(x), 1, mantissa, mantissa.bits() >> 20};
  }
  BitsValue shifted = (x.bits() - x.bits().constant(one)) & exponents;
  return {shifted.signedNumber(), unitOfFields, (x.bits() - shifted).real(), x.bits() >> 20};
}

Limited fromMinNormal(FloatValue x) {
  constexpr uint64_t lower = 0x00800000, infinity = 0x7f800000;
  return {x.bits() - x.bits().constant(lower), infinity - lower - 1};
}

Mask isPositiveNormal(FloatValue x) { return fromMinNormal(x).isWithin(); }

} // namespace kgen::vecmath
