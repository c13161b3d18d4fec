#include "math/Bf16Rounding.h"

namespace kgen::vecmath {

/// Adds half a unit of the last bit that is kept, minus one if that bit is even. A NaN whose lower
/// bits are 0 keeps its upper bits. Other NaNs are selected last, so that the last addition and the
/// selection are one masked instruction.
BitsValue bf16FromF32(FloatValue x, Rounding rounding) {
  constexpr uint64_t nan = 0x7fc00000, half = 0x8000;
  BitsValue bits = x.bits();
  BitsValue rounded = rounding.tiesToEven ? (bits + ((bits >> 16) & 1)) + (half - 1) : bits + half;
  if (rounding.canonicalNans)
    return rounded;
  return (x == x).select(rounded, bits.constant(nan));
}

} // namespace kgen::vecmath
