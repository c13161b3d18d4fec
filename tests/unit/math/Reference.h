// Expected results of the functions, computed by libm in the next wider type, and the distance from
// it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace kgen::test {

/// A type's reference type, precise enough that its own errors do not show.
template <typename T> struct Wider;
template <> struct Wider<float> { using Type = double; };
template <> struct Wider<double> { using Type = long double; };

struct Function {
  const char *name;
  const char *operation; // in MLIR
  double (*inDouble)(double);
  long double (*inLongDouble)(long double); ///< null: a function of f32 only
  /// Numbers at which the formula changes, and at which results overflow, underflow or saturate.
  std::vector<double> landmarks;
  double allowedUlp = 4;

  double reference(float x) const { return inDouble(x); }
  long double reference(double x) const { return inLongDouble(x); }
};

const std::vector<Function> &functions();

/// Those of a type.
template <typename T> std::vector<Function> functionsOf() {
  std::vector<Function> result;
  for (const Function &function : functions())
    if (sizeof(T) == 4 || function.inLongDouble)
      result.push_back(function);
  return result;
}

template <typename T> auto bitsOf(T x) {
  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> bits;
  std::memcpy(&bits, &x, sizeof x);
  return bits;
}

/// The unit in the last place of T at y, as far as T's range goes.
inline double ulpAt(float, double y) {
  int64_t exponent = int64_t(bitsOf(y) >> 52 & 0x7ff) - 1023;
  exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
  uint64_t bits = uint64_t(exponent - 23 + 1023) << 52;
  double ulp;
  std::memcpy(&ulp, &bits, sizeof ulp);
  return ulp;
}

inline long double ulpAt(double, long double y) {
  int exponent = -1022;
  if (y != 0)
    exponent = std::min(std::max(std::ilogb(y), -1022), 1023);
  return std::ldexp(1.0L, exponent - 52);
}

/// The distance in ulp of a result from the exact value; infinite where they differ in sign (of
/// zero too), or in being NaN or, after rounding, infinite.
template <typename T> double ulpError(T result, typename Wider<T>::Type exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) && std::isnan(result) ? 0 : wrong;
  if (std::signbit(result) != std::signbit(exact))
    return wrong;
  T rounded = static_cast<T>(exact);
  if (std::isinf(result) || std::isinf(rounded))
    return result == rounded ? 0 : wrong;
  return double(std::fabs(result - exact) / ulpAt(T(), exact));
}

} // namespace kgen::test
