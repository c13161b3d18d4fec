#include "driver/run/TensorComparison.h"

#include "driver/run/TensorBytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace kgen {
namespace {

struct DefaultTolerance {
  ElementType type;
  double relative, absolute;
};

/// By ascending precision. f32's are those of ONNX's own tests of operators (onnx/backend/test),
/// f64's relative one is numpy.testing.assert_allclose's. bf16 and f16: some ten units in the last
/// place, and one unit of 1. f8: one unit in the last place, and of subnormals.
constexpr DefaultTolerance defaults[] = {
    {ElementType::f8e5m2, 0.25, 2e-5}, {ElementType::f8e4m3fn, 0.125, 2e-3},
    {ElementType::bf16, 4e-2, 1e-2},   {ElementType::f16, 1e-2, 1e-3},
    {ElementType::f32, 1e-3, 1e-7},    {ElementType::f64, 1e-7, 1e-15}};

DefaultTolerance defaultOf(ElementType element, ElementType precision) {
  for (const DefaultTolerance &each : defaults)
    if (each.type == element || each.type == precision)
      return each;
  return defaults[std::size(defaults) - 1];
}

/// A float's bits as an integer that grows with its value.
int64_t orderedBits(const TensorType &type, const void *tensor, int64_t index) {
  size_t width = byteWidth(type.element);
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(tensor) + static_cast<size_t>(index) * width, width);
  uint64_t sign = uint64_t(1) << (8 * width - 1);
  int64_t magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

size_t bucketOf(uint64_t distance) {
  size_t bucket = 0;
  for (; distance > 0; distance /= 10)
    ++bucket;
  return bucket;
}

/// Two elements.
struct Pair {
  double value, expected;
  uint64_t distance; ///< if both are finite

  bool isEqual() const { return value == expected || (std::isnan(value) && std::isnan(expected)); }
  bool isFinite() const { return std::isfinite(value) && std::isfinite(expected); }
};

Badness badnessOf(const Pair &pair, bool isFloatType, const Tolerance &tolerance) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!pair.isFinite())
    return {true, infinity, infinity};
  double difference =
      isFloatType ? std::fabs(pair.value - pair.expected) : static_cast<double>(pair.distance);
  double allowed = tolerance.absolute;
  if (isFloatType && tolerance.ulps) {
    bool isWrong = pair.distance > *tolerance.ulps && difference > allowed;
    return {isWrong, static_cast<double>(pair.distance), difference};
  }
  if (isFloatType)
    allowed += tolerance.relative * std::fabs(pair.expected);
  return {difference > allowed, allowed > 0 ? difference / allowed : infinity, difference};
}

} // namespace

std::string Tolerance::str() const {
  if (ulps)
    return fmt::format("{} ulp or {:.3g}", *ulps, absolute);
  if (relative == 0)
    return absolute == 0 ? "exact" : fmt::format("atol {:.3g}", absolute);
  return fmt::format("rtol {:.3g}, atol {:.3g}", relative, absolute);
}

Tolerance toleranceFor(ElementType element, ElementType precision,
                       const ToleranceOptions &options) {
  if (element == ElementType::boolean)
    return {};
  if (!isFloat(element))
    return {0, options.absolute.value_or(0), std::nullopt};
  DefaultTolerance standard = defaultOf(element, precision);
  return {options.ulps ? 0 : options.relative.value_or(standard.relative),
          options.absolute.value_or(standard.absolute), options.ulps};
}

uint64_t ulpsBetween(const TensorType &type, const void *a, const void *b, int64_t index) {
  bool isInteger = !isFloat(type.element);
  int64_t x = isInteger ? integerAt(type, a, index) : orderedBits(type, a, index),
          y = isInteger ? integerAt(type, b, index) : orderedBits(type, b, index);
  auto difference = static_cast<uint64_t>(x) - static_cast<uint64_t>(y);
  bool isLess = type.element == ElementType::u64
                    ? static_cast<uint64_t>(x) < static_cast<uint64_t>(y)
                    : x < y;
  return isLess ? -difference : difference;
}

TensorComparison compareElements(const TensorType &type, const void *tensor, const void *expected,
                                 const Tolerance &tolerance) {
  TensorComparison comparison;
  comparison.elements = type.elementCount();
  comparison.histogram.resize(1);
  for (int64_t i = 0; i < comparison.elements; ++i) {
    Pair pair{elementAt(type, tensor, i), elementAt(type, expected, i), 0};
    bool isNumber = !std::isnan(pair.value) && !std::isnan(pair.expected);
    pair.distance = isNumber ? ulpsBetween(type, tensor, expected, i) : 0;
    // Large i64 may be equal as double and yet differ.
    if (pair.isEqual() && pair.distance == 0) {
      ++comparison.histogram[0];
      continue;
    }
    Badness badness = badnessOf(pair, isFloat(type.element), tolerance);
    comparison.wrong += std::get<bool>(badness);
    if (pair.isFinite()) {
      size_t bucket = bucketOf(pair.distance);
      comparison.histogram.resize(std::max(comparison.histogram.size(), bucket + 1));
      ++comparison.histogram[bucket];
      comparison.largestDifference = std::max(comparison.largestDifference, std::get<2>(badness));
    } else {
      ++comparison.notFinite;
    }
    if (comparison.worst >= 0 && badness <= comparison.badness)
      continue;
    comparison.badness = badness;
    comparison.worst = i;
    comparison.worstUlps = pair.isFinite() ? std::optional(pair.distance) : std::nullopt;
  }
  return comparison;
}

bool TensorComparison::append(const TensorComparison &next) {
  histogram.resize(std::max(histogram.size(), next.histogram.size()));
  for (size_t i = 0; i < next.histogram.size(); ++i)
    histogram[i] += next.histogram[i];
  bool isWorse = next.worst >= 0 && (worst < 0 || next.badness > badness);
  if (isWorse) {
    worst = elements + next.worst;
    badness = next.badness;
    worstUlps = next.worstUlps;
  }
  notFinite += next.notFinite;
  elements += next.elements;
  wrong += next.wrong;
  largestDifference = std::max(largestDifference, next.largestDifference);
  return isWorse;
}

double typicalMagnitude(const TensorType &type, const void *tensor) {
  std::vector<double> magnitudes;
  for (int64_t i = 0; i < type.elementCount(); ++i)
    if (double magnitude = std::fabs(elementAt(type, tensor, i));
        magnitude > 0 && std::isfinite(magnitude))
      magnitudes.push_back(magnitude);
  if (magnitudes.empty())
    return 0;
  auto quartile = magnitudes.begin() + static_cast<ptrdiff_t>(magnitudes.size() / 4);
  std::nth_element(magnitudes.begin(), quartile, magnitudes.end());
  return *quartile;
}

std::vector<int64_t> subscriptsOf(const TensorType &type, int64_t index) {
  std::vector<int64_t> subscripts(type.shape.size());
  for (size_t i = type.shape.size(); i-- > 0; index /= type.shape[i])
    subscripts[i] = index % type.shape[i];
  return subscripts;
}

} // namespace kgen
