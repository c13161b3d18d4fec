#include "math/F16Conversion.h"

namespace kgen::vecmath {

namespace {
constexpr unsigned extraBits = 13; ///< of the mantissa of f32, beyond those of f16
/// The difference of the exponents' biases, in the exponent field of f32.
constexpr uint64_t bias = uint64_t(127 - 15) << 23;
constexpr uint64_t one = uint64_t(1) << 23; ///< of an exponent
constexpr uint64_t quiet = 0x400000;        ///< of a NaN of f32
} // namespace

FloatValue f32FromF16(BitsValue half, const Emitter &emitter) {
  // The f16 as an f32 with the wrong bias: comparisons of such values are right.
  BitsValue shifted = (half & 0x7fff) << extraBits;
  FloatValue order = shifted.real();
  BitsValue normal = shifted + bias, special = normal + bias;
  // Of a subnormal number the extraBits are put after those of 2^-14, which is then taken away.
  FloatValue subnormal = (shifted + (bias + one)).real() - 0x1p-14;
  constexpr double infinity = 0x1p-96; // the exponent field of f16 is 31
  FloatValue nan = (special | quiet).real();
  FloatValue large = (order > infinity).select(nan, special.real());
  FloatValue magnitude = (order < 0x1p-126).select(subnormal, normal.real());
  magnitude = (order < infinity).select(magnitude, large);
  return (magnitude.bits() | ((half & 0x8000) << 16)).real();
}

BitsValue f16FromF32(FloatValue x, const Emitter &emitter) {
  FloatValue magnitude = x.magnitude();
  BitsValue bits = magnitude.bits();
  // Ties to even: add half a unit minus one, and one more if the last bit that is kept is odd.
  BitsValue odd = (bits >> extraBits) & 1;
  BitsValue normal = ((bits - bits.constant(bias)) + odd + 0xfff) >> extraBits;
  // Below 2^-14, adding 0.5 rounds at the last bit of f16: the unit in the last place of 0.5 is
  // 2^-24.
  BitsValue subnormal = (magnitude + 0.5).bits() - bits.constant(0x3f000000);
  BitsValue nan = ((bits >> extraBits) & 0x3ff) | 0x7e00;
  FloatValue result = (magnitude < 0x1p-14).select(subnormal.real(), normal.real());
  result = (magnitude < 65536.0).select(result, bits.constant(0x7c00).real());
  result = magnitude.isNaN().select(nan.real(), result);
  return result.bits() | ((x.bits() >> 16) & 0x8000);
}

} // namespace kgen::vecmath
