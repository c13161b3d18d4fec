// Floats of 8 bits, as "FP8 Formats for Deep Learning" (Micikevicius et al., 2022) defines them.
#pragma once

#include "support/TensorType.h"

namespace kgen {

struct Float8Format {
  int fractionBits, bias;
  uint8_t largest; ///< bits of the largest finite number
  uint8_t nan;     ///< what has more bits than this, without the sign, is NaN
};

/// Of f8e4m3fn or f8e5m2.
Float8Format float8Format(ElementType type);

/// Exact.
double doubleOfFloat8(ElementType type, uint8_t bits);
/// Rounded to nearest, ties to even; what is beyond the largest number, infinity too, becomes that
/// (ONNX's `saturate`), but with `keepsInfinity`, where the type has it. NaN becomes 0x7f.
uint8_t float8OfDouble(ElementType type, double value, bool keepsInfinity = false);

} // namespace kgen
