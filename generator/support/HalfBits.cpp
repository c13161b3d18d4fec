#include "support/HalfBits.h"

#include <cmath>
#include <cstring>

namespace kgen {
namespace {

constexpr int doubleFractionBits = 52, doubleBias = 1023;
constexpr uint64_t doubleInfinity = 0x7ff0000000000000, doubleQuiet = uint64_t(1) << 51;

double fromBits(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Drops the lowest bits; rounds to nearest, ties to even.
uint64_t rounded(uint64_t digits, int below) {
  uint64_t odd = digits >> below & 1, half = uint64_t(1) << (below - 1);
  return (digits + half - 1 + odd) >> below;
}

} // namespace

double doubleOfHalf(HalfFormat format, uint16_t bits) {
  const int lost = doubleFractionBits - format.fractionBits;
  const uint64_t infinity = ((uint64_t(1) << format.exponentBits) - 1) << format.fractionBits;
  uint64_t sign = uint64_t(bits >> 15) << 63, magnitude = bits & 0x7fff;
  if (magnitude >= infinity) {
    uint64_t digits = (magnitude - infinity) << lost;
    return fromBits(sign | doubleInfinity | digits | (digits ? doubleQuiet : 0));
  }
  if (magnitude >> format.fractionBits == 0) {
    double value = std::ldexp(double(magnitude), 1 - format.bias() - format.fractionBits);
    return sign ? -value : value;
  }
  return fromBits(
      sign | ((magnitude << lost) + (uint64_t(doubleBias - format.bias()) << doubleFractionBits)));
}

uint16_t halfOfDouble(HalfFormat format, double value) {
  const int lost = doubleFractionBits - format.fractionBits;
  const uint64_t infinity = ((uint64_t(1) << format.exponentBits) - 1) << format.fractionBits;
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint64_t sign = bits >> 63 << 15, magnitude = bits & ~(uint64_t(1) << 63);
  if (magnitude > doubleInfinity)
    return uint16_t(sign | infinity | (magnitude | doubleQuiet) << 12 >> 12 >> lost);
  int exponent = int(magnitude >> doubleFractionBits) - doubleBias + format.bias();
  uint64_t result;
  if (exponent > 0) { // what is rounded up carries into the exponent
    uint64_t bias = uint64_t(doubleBias - format.bias()) << doubleFractionBits;
    result = rounded(magnitude - bias, lost);
  } else {
    uint64_t one = uint64_t(1) << doubleFractionBits;
    int below = lost + 1 - exponent;
    result = below > doubleFractionBits + 1 ? 0 : rounded((magnitude & (one - 1)) | one, below);
  }
  return uint16_t(sign | (result < infinity ? result : infinity));
}

} // namespace kgen
