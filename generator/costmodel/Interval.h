// A number that may not be known exactly yet: at least `min`, at most `max`.
#pragma once

#include <cstdint>

namespace kgen {

struct SizeInterval {
  int64_t min, max;

  /// A number is an interval of one.
  SizeInterval(int64_t value) : min(value), max(value) {} // NOLINT(google-explicit-constructor)
  SizeInterval(int64_t min, int64_t max) : min(min), max(max) {}

  bool isNumber() const { return min == max; }
};

/// Of sizes and counts, none of which is negative.
inline SizeInterval operator*(SizeInterval a, SizeInterval b) {
  return {a.min * b.min, a.max * b.max};
}
inline SizeInterval operator+(SizeInterval a, SizeInterval b) {
  return {a.min + b.min, a.max + b.max};
}

} // namespace kgen
