// The references: libm's functions, gelu from erfc, sigmoid, softplus and x^x.
#include "Reference.h"

#include <cstdlib>
#include <string>

namespace kgen::test {

/// x erfc(u) / 2 with u = -x / sqrt(2). Rounding u moves erfc by a multiple of u^2, which shows in
/// long double: what was rounded off is put back by erfc's derivative.
static long double geluInLongDouble(long double x) {
  constexpr long double head = 0x1.6a09e667f3bcc908p-1L; // sqrt(1/2) in two parts
  constexpr long double rest = 0x1.65f626cdd52afa7cp-66L;
  if (std::isinf(x))
    return x > 0 ? x : NAN;
  long double u = -x * head;
  long double lost = std::fma(-x, head, -u) - x * rest;
  constexpr long double twoOverSqrtPi = 1.128379167095512573896158903121545172L;
  return x * (std::erfc(u) - lost * twoOverSqrtPi * std::exp(-u * u)) / 2;
}

static double geluInDouble(double x) {
  if (std::isinf(x))
    return x > 0 ? x : NAN;
  return x * std::erfc(-x * 0.70710678118654752440) / 2;
}

/// x / (1 + exp(-w)), or with exp(w) where that would overflow.
template <typename T> static T geluTanh(T x) {
  if (std::isinf(x))
    return x > 0 ? x : T(NAN);
  T w = x * (1.595769121605730711759542417817L + 0.07135481627260024877633875227986L * x * x);
  T e = std::exp(-std::fabs(w));
  return (x < 0 ? x * e : x) / (1 + e);
}

/// Without a power that overflows where the result does not.
template <typename T> static T sigmoid(T x) {
  T e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

template <typename T> static T silu(T x) { return x * sigmoid(x); }

template <typename T> static T softplus(T x) {
  return std::fmax(x, T(0)) + std::log1p(std::exp(-std::fabs(x))) + (std::isnan(x) ? x : T(0));
}

template <typename T> static T powerOfItself(T x) { return std::pow(x, x); }

template <typename T> static T inverseRoot(T x) { return 1 / std::sqrt(x); }

/// All, or the only one that the environment names.
static std::vector<Function> selected(std::vector<Function> all) {
  const char *name = std::getenv("KGEN_MATH_FUNCTION");
  if (name)
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const Function &f) { return f.name != std::string(name); }),
              all.end());
  return all;
}

const std::vector<Function> &functions() {
  static const std::vector<Function> all = selected({
      {"exp", "math.exp", std::exp, std::exp, {-745.2, -708.4, -104, -87.4, 0.35, 88.73, 709.79}},
      {"log", "math.log", std::log, std::log, {0.70710678, 1, 1.41421356, 1.2e-38, 2.3e-308}},
      {"tanh", "math.tanh", std::tanh, std::tanh, {0.173, 0.625, 9.01, 10, 19.06, 22}},
      {"erf", "math.erf", std::erf, std::erf, {1, 3.92, 4, 5.92, 6}},
      {"gelu",
       "kgen.gelu",
       geluInDouble,
       geluInLongDouble,
       {0.5, 2, 4.94237, 5.40625, 13, 14.4, 14.5, 37.5, 38.5, 39}},
      {"gelut",
       "kgen.gelu_tanh",
       geluTanh<double>,
       geluTanh<long double>,
       {0.5, 2, 5.40625, 10.5, 10.8, 11, 21, 21.5, 22}},
      {"sigm.",
       "kgen.sigmoid",
       sigmoid<double>,
       sigmoid<long double>,
       {-745.2, -708.4, -104, -103.3, -87.4, 0, 16.7, 20, 36.8, 40}},
      {"silu",
       "kgen.sigmoid_product %x,",
       silu<double>,
       silu<long double>,
       {-745.2, -708.4, -104, -103.3, -87.4, -87, 0, 16.7, 87, 708}},
      {"softp.",
       "kgen.softplus",
       softplus<double>,
       softplus<long double>,
       {-745.2, -708.4, -104, -103.3, -87.4, 0, 1, 16.7, 36.8}},
      {"exp2", "math.exp2", std::exp2, std::exp2, {-1074.5, -1022, -150, -126, 0.5, 128, 1024}},
      {"log2", "math.log2", std::log2, std::log2, {0.70710678, 1, 1.41421356, 1.2e-38, 2.3e-308}},
      {"log10",
       "math.log10",
       std::log10,
       std::log10,
       {0.70710678, 1, 1.41421356, 10, 1e22, 1.2e-38, 2.3e-308}},
      {"cbrt", "math.cbrt", std::cbrt, std::cbrt, {0.35355339, 1, 2.8284271, 8, 1.2e-38, 2.3e-308}},
      {"rsqrt", "math.rsqrt", inverseRoot<double>, inverseRoot<long double>, {0.25, 1, 1.2e-38, 4}},
      {"erfc",
       "math.erfc",
       std::erfc,
       std::erfc,
       {0.5, 1, 9.19, 10.0625, 10.25, 26.54, 27.226, 27.5, 12}},
      {"round",
       "math.round",
       std::round,
       std::round,
       {0.5, 1.5, 8388607.5, 4503599627370495.5, 9},
       0},
      {"expm1", "math.expm1", std::expm1, std::expm1, {-40, -0.35, 0.35, 1.04, 44, 88.73, 709.79}},
      {"log1p", "math.log1p", std::log1p, std::log1p, {-1, -0.29, 0.41, 1, 1e8, 1e16}},
      {"atan", "math.atan", std::atan, std::atan, {0.41421356, 1, 2.41421356, 1e8, 1e17}},
      {"sin",
       "math.sin",
       std::sin,
       std::sin,
       {0.785398, 1.570796, 3.141593, 355, 2097152, 6381956970095103.0 * 0x1p797, 1e22}},
      {"cos",
       "math.cos",
       std::cos,
       std::cos,
       {0.785398, 1.570796, 3.141593, 355, 2097152, 6381956970095103.0 * 0x1p797, 1e22}},
      {"tan", "math.tan", std::tan, std::tan, {0.785398, 1.570796, 3.141593, 355, 131072, 1e22}},
      {"asin", "math.asin", std::asin, std::asin, {0.5, 0.70710678, 1}},
      {"acos", "math.acos", std::acos, std::acos, {0.5, 0.70710678, 1}},
      {"sinh", "math.sinh", std::sinh, std::sinh, {0.35, 0.69, 1.04, 44, 89.41, 710.47}},
      {"cosh", "math.cosh", std::cosh, std::cosh, {0.35, 0.69, 1.04, 44, 89.41, 710.47}},
      {"asinh", "math.asinh", std::asinh, std::asinh, {0.0625, 1, 4096, 0x1p60, 1e30}},
      {"acosh", "math.acosh", std::acosh, std::acosh, {1, 1.5, 4096, 0x1p60, 1e30}},
      {"atanh", "math.atanh", std::atanh, std::atanh, {0.0625, 0.5, 1}},
      {"x^x",
       "math.powf %x,",
       powerOfItself<double>,
       powerOfItself<long double>,
       {0.36787944, 0.70710678, 1, 2, 26, 35, 134, 143.0163, 150}},
  });
  return all;
}

} // namespace kgen::test
