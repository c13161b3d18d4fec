// Rounding of sizes, none of which is negative.
#pragma once

#include <cassert>
#include <cstdint>

namespace kgen {

inline int64_t divideCeil(int64_t number, int64_t by) {
  assert(number >= 0 && by > 0);
  return (number + by - 1) / by;
}

/// The largest power of two that is not greater than a positive number.
inline int64_t powerOf2Floor(int64_t number) {
  int64_t power = 1;
  while (power <= number / 2)
    power *= 2;
  return power;
}

/// The smallest multiple of `unit` that is at least `number`.
inline int64_t roundUp(int64_t number, int64_t unit) { return divideCeil(number, unit) * unit; }

inline int64_t powerOf2Ceil(int64_t number) {
  int64_t power = 1;
  while (power < number)
    power *= 2;
  return power;
}

} // namespace kgen
