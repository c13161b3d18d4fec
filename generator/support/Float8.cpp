#include "support/Float8.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace kgen {

Float8Format float8Format(ElementType type) {
  assert(isFloat8(type));
  return type == ElementType::f8e4m3fn ? Float8Format{3, 7, 0x7e, 0x7e}
                                       : Float8Format{2, 15, 0x7b, 0x7c};
}

double doubleOfFloat8(ElementType type, uint8_t bits) {
  Float8Format f = float8Format(type);
  int magnitude = bits & 0x7f, exponent = magnitude >> f.fractionBits;
  int implicit = 1 << f.fractionBits, fraction = magnitude & (implicit - 1);
  double value;
  if (magnitude > f.nan)
    value = std::numeric_limits<double>::quiet_NaN();
  else if (magnitude > f.largest)
    value = std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(fraction, 1 - f.bias - f.fractionBits);
  else
    value = std::ldexp(implicit + fraction, exponent - f.bias - f.fractionBits);
  return bits & 0x80 ? -value : value;
}

uint8_t float8OfDouble(ElementType type, double value, bool keepsInfinity) {
  Float8Format f = float8Format(type);
  if (std::isnan(value))
    return 0x7f;
  int sign = std::signbit(value) ? 0x80 : 0;
  if (keepsInfinity && std::isinf(value) && f.nan > f.largest)
    return static_cast<uint8_t>(sign | f.nan);
  double magnitude = std::min(std::abs(value), doubleOfFloat8(type, f.largest));
  int exponent = magnitude == 0 ? 1 - f.bias : std::max(std::ilogb(magnitude), 1 - f.bias);
  // Units of the last place; what is rounded up carries into the exponent.
  auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, f.fractionBits - exponent)));
  return static_cast<uint8_t>(sign | (((exponent + f.bias - 1) << f.fractionBits) + units));
}

} // namespace kgen
