#include "transforms/math/F16Conversion.h"

namespace kgen::vecmath {

namespace {
constexpr unsigned digits = 13; ///< that f32 has more than f16
/// The difference of the exponents' biases, at the place of an exponent of f32.
constexpr uint64_t bias = uint64_t(127 - 15) << 23;
constexpr uint64_t one = uint64_t(1) << 23; ///< of an exponent
constexpr uint64_t quiet = 0x400000;        ///< of a NaN of f32
} // namespace

Real f32FromF16(Bits half, const Site &site) {
  // As a number of f32 with the wrong bias: its order is right, which is all that is asked of it.
  Bits shifted = (half & 0x7fff) << digits;
  Real order = shifted.real();
  Bits normal = shifted + bias, special = normal + bias;
  // Of a subnormal number the digits are put behind those of 2^-14, which is then taken away.
  Real subnormal = (shifted + (bias + one)).real() - 0x1p-14;
  constexpr double infinity = 0x1p-96; // an exponent of 31
  Real nan = (special | quiet).real();
  Real large = (order > infinity).select(nan, special.real());
  Real magnitude = (order < 0x1p-126).select(subnormal, normal.real());
  magnitude = (order < infinity).select(magnitude, large);
  return (magnitude.bits() | ((half & 0x8000) << 16)).real();
}

Bits f16FromF32(Real x, const Site &site) {
  Real magnitude = x.magnitude();
  Bits bits = magnitude.bits();
  // Ties to even: a half less one, and one more if the last digit that is kept is odd.
  Bits odd = (bits >> digits) & 1;
  Bits normal = ((bits - bits.constant(bias)) + odd + 0xfff) >> digits;
  // Below 2^-14, an addition of f32 rounds where f16 has its last digit: 2^-24 is one of 0.5.
  Bits subnormal = (magnitude + 0.5).bits() - bits.constant(0x3f000000);
  Bits nan = ((bits >> digits) & 0x3ff) | 0x7e00;
  Real result = (magnitude < 0x1p-14).select(subnormal.real(), normal.real());
  result = (magnitude < 65536.0).select(result, bits.constant(0x7c00).real());
  result = magnitude.isNaN().select(nan.real(), result);
  return result.bits() | ((x.bits() >> 16) & 0x8000);
}

} // namespace kgen::vecmath
