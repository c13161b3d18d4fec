// Converts 16-bit floats to and from double with integer arithmetic, which is fast enough for large
// tensors.
#pragma once

#include <cstdint>

namespace kgen {

/// A sign, an exponent and a fraction in 16 bits, as IEEE 754 has them.
struct HalfFormat {
  int exponentBits, fractionBits;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
};

constexpr HalfFormat f16Format = {5, 10}, bf16Format = {8, 7};

/// Exact; a NaN keeps its digits and becomes quiet.
double doubleOfHalf(HalfFormat format, uint16_t bits);
/// Rounded to nearest, ties to even; a NaN keeps its upper digits and becomes quiet.
uint16_t halfOfDouble(HalfFormat format, double value);

} // namespace kgen
