// Multiply-adds that make the same integers as other steps, found by trial.
#pragma once

#include "transforms/idioms/QuantizedInteger.h"

#include <limits>

namespace kgen {

/// Integers below are far from wrapping around, and from what no float is converted to.
constexpr double largestSafe = 0x1p30;

/// The steps of a channel without roundings and bounds: x * factor + term, rounded, plus an offset.
struct Line {
  double factor = 1, term = 0, offset = 0;

  Line(mlir::ArrayRef<ScalarStep> steps, int64_t channel);
};

struct Bounds {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  double bounded(double number) const { return std::min(std::max(number, low), high); }
};

/// The least and the greatest result of all channels.
Bounds boundsOf(const QuantizedInteger &function);

/// Numbers next to which the function of one channel grows, and its values there.
class Growth {
public:
  Growth(const QuantizedInteger &function, int64_t channel);

  /// True if `valueOf` has the same values. Numbers that it failed at are tried first.
  template <typename ValueOf> bool agrees(const ValueOf &valueOf) {
    for (size_t i = 0; i < xs.size(); ++i)
      if (valueOf(xs[i]) != values[i]) {
        std::rotate(xs.begin(), xs.begin() + i, xs.begin() + i + 1);
        std::rotate(values.begin(), values.begin() + i, values.begin() + i + 1);
        return false;
      }
    return true;
  }

  mlir::ArrayRef<double> numbers() const { return xs; }
  mlir::ArrayRef<double> results() const { return values; }

private:
  double lowest() const { return function.lowestOf(channel); }
  double highest() const { return function.highestOf(channel); }
  double valueAt(double x) const;
  double guess(const Line &line, double value) const;
  void correct(std::vector<double> &first, double value) const;
  double bisected(double value) const;

  const QuantizedInteger &function;
  int64_t channel;
  std::vector<double> xs, values;
};

/// x * factor + term, rounded once.
struct MultiplyAdd {
  float factor = 1, term = 0;
};

/// One multiply-add after the other.
struct MultiplyAdds {
  MultiplyAdd first, second;
};

/// Multiply-adds of a single channel. `bounds` are those of the results.
class MultiplyAddSearch {
public:
  MultiplyAddSearch(const QuantizedInteger &function, int64_t channel, Bounds bounds, bool hasFma)
      : function(function), line(function.steps, channel), growth(function, channel),
        bounds(bounds), hasFma(hasFma) {}

  /// Returns a single one, the second.
  std::optional<MultiplyAdds> find();
  /// Two, or one. The first one multiplies by a small number, which is exact, and makes the product
  /// of both factors finer than one of them. Or it is like `near`, and has about the roundings of
  /// the function, each of them others, which move the numbers next to a half.
  std::optional<MultiplyAdds> findTwo(MultiplyAdd near);

private:
  std::optional<MultiplyAdds> findAfter(MultiplyAdd first, int mostFactors, int mostTerms,
                                        float leastStep);
  float applied(MultiplyAdd by, float x) const;
  double rounded(const MultiplyAdds &by, double x) const;
  bool isSmall(const MultiplyAdds &by) const;

  const QuantizedInteger &function;
  Line line;
  Growth growth;
  Bounds bounds;
  bool hasFma;
};

} // namespace kgen
