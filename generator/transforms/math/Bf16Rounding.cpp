#include "transforms/math/Bf16Rounding.h"

namespace kgen::vecmath {

/// Adds a half of the last digit that is kept, less one if that digit is even: of a NaN whose lower
/// digits are 0, the sum has the same upper ones. Any other NaN is chosen last,
/// so that the last sum and the choice are one instruction where instructions have masks.
Bits bf16FromF32(Real x, Rounding rounding) {
  constexpr uint64_t nan = 0x7fc00000, half = 0x8000;
  Bits bits = x.bits();
  Bits rounded = rounding.tiesToEven ? (bits + ((bits >> 16) & 1)) + (half - 1) : bits + half;
  if (rounding.canonicalNans)
    return rounded;
  return (x == x).select(rounded, bits.constant(nan));
}

} // namespace kgen::vecmath
