// Distance of a tensor from the expected one: which elements differ by more than a tolerance, the
// worst of them, and how many units in the last place (ulp) all are apart.
#pragma once

#include "support/TensorType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace kgen {

/// Requested tolerances; defaults take the place of missing ones.
struct ToleranceOptions {
  std::optional<double> relative, absolute;
  std::optional<uint64_t> ulps;
};

/// An element may differ from the expected one by `absolute` + `relative` * its magnitude; with
/// `ulps`, by that many units in the last place or by `absolute`, whichever is more. Integers may
/// differ by `absolute`, truth values not at all.
struct Tolerance {
  double relative = 0, absolute = 0;
  std::optional<uint64_t> ulps;

  std::string str() const; ///< "rtol 0.001, atol 1e-07", "3 ulp or 1e-07", "exact"
};

/// The tolerance for results of type `element` in a graph that computes in `precision`: of the
/// coarser of both types there are defaults.
Tolerance toleranceFor(ElementType element, ElementType precision, const ToleranceOptions &options);

/// Severity of a difference: if it is wrong, by how many times it exceeds the tolerance, and by how
/// much it differs.
using Badness = std::tuple<bool, double, double>;

struct TensorComparison {
  /// Elements by their distance in ulp (of integers: the difference). Of the buckets the first is
  /// distance 0, and number k begins at 10^(k-1).
  std::vector<int64_t> histogram;
  /// Elements where a NaN or an infinity stands on one side and something else on the other.
  int64_t notFinite = 0;
  int64_t elements = 0, wrong = 0;
  int64_t worst = -1;                ///< index of the worst element; -1: all are equal
  Badness badness{};                 ///< of the worst element
  double largestDifference = 0;      ///< where both sides are finite
  std::optional<uint64_t> worstUlps; ///< its distance, if it is finite on both sides

  /// Appends the elements of another tensor. True if its worst element is the worst of all now.
  bool append(const TensorComparison &next);
};

/// NaN equals NaN, an infinity the one of the same sign, and -0 equals 0.
TensorComparison compareElements(const TensorType &type, const void *tensor, const void *expected,
                                 const Tolerance &tolerance);

/// The magnitude that three quarters of a tensor's elements have at least; those that are 0, NaN or
/// infinite do not count. 0 if there are no others. Masks, which may be as large as the type
/// allows, do not make it larger unless they are most of the tensor.
double typicalMagnitude(const TensorType &type, const void *tensor);

/// The distance of two elements that are no NaN: the number of values of the type from one to the
/// other.
uint64_t ulpsBetween(const TensorType &type, const void *a, const void *b, int64_t index);

/// Returns where a row-major index is in each dimension; for a scalar nothing.
std::vector<int64_t> subscriptsOf(const TensorType &type, int64_t index);

} // namespace kgen
