#include "transforms/idioms/ShorterSteps.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen {
namespace {

using Kind = ScalarStep::Kind;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Integers below are far from wrapping around, and from what no float is converted to.
constexpr double largestSafe = 0x1p30;

/// The steps without roundings and bounds: x * factor + term, rounded, plus an offset.
struct Line {
  double factor = 1, term = 0, offset = 0;

  Line(ArrayRef<ScalarStep> steps, int64_t channel) {
    bool isRounded = false;
    for (const ScalarStep &step : steps) {
      isRounded |= step.kind == Kind::roundEven;
      if (step.kind == Kind::add) {
        (isRounded ? offset : term) += step.firstOf(channel);
      } else if (step.kind == Kind::multiply || step.kind == Kind::divide) {
        double by = step.firstOf(channel);
        by = step.kind == Kind::divide ? 1 / by : by;
        factor *= by;
        term *= by;
      }
    }
  }
};

struct Bounds {
  double low = infinity, high = -infinity;
  double bounded(double number) const { return std::min(std::max(number, low), high); }
};

/// The least and the greatest result of all channels.
Bounds boundsOf(const QuantizedInteger &function) {
  Bounds bounds;
  for (int64_t channel = 0; channel < function.channels; ++channel) {
    double ends[] = {function.lowest, function.highest};
    function.evaluate(channel, ends);
    bounds.low = std::min(bounds.low, ends[0]);
    bounds.high = std::max(bounds.high, ends[1]);
  }
  return bounds;
}

/// Numbers next to which the function of one channel grows, and its values there.
class Growth {
public:
  Growth(const QuantizedInteger &function, int64_t channel) : function(function), channel(channel) {
    Line line(function.steps, channel);
    const double least = valueAt(function.lowest), greatest = valueAt(function.highest);
    std::vector<double> first; // the first x with each value
    for (double value = least + 1; value <= greatest; ++value)
      first.push_back(guess(line, value));
    correct(first, least + 1);
    xs = {function.lowest, function.highest};
    for (double x : first)
      xs.insert(xs.end(), {x, x - 1});
    values = xs;
    function.evaluate(channel, values);
  }

  /// True if `valueOf` has the same values. The number that the last one failed at is tried first.
  template <typename ValueOf> bool agrees(const ValueOf &valueOf) {
    if (valueOf(xs[failed]) != values[failed])
      return false;
    for (size_t i = 0; i < xs.size(); ++i)
      if (valueOf(xs[i]) != values[i]) {
        failed = i;
        return false;
      }
    return true;
  }

  ArrayRef<double> numbers() const { return xs; }
  ArrayRef<double> results() const { return values; }

private:
  double valueAt(double x) const {
    function.evaluate(channel, x);
    return x;
  }

  double guess(const Line &line, double value) const {
    constexpr double half = 0.5;
    double x = std::ceil((value - line.offset - half - line.term) / line.factor);
    x = std::isfinite(x) ? x : 0;
    return std::min(std::max(x, function.lowest + 1), function.highest);
  }

  void correct(std::vector<double> &first, double value) const {
    std::vector<double> at(first), before(first);
    for (double &x : before)
      --x;
    function.evaluate(channel, at);
    function.evaluate(channel, before);
    for (size_t i = 0; i < first.size(); ++i, ++value)
      if (at[i] < value || before[i] >= value)
        first[i] = bisected(value);
  }

  /// The first x with at least this value.
  double bisected(double value) const {
    double below = function.lowest, found = function.highest;
    while (found - below > 1) {
      double middle = std::floor((below + found) / 2);
      (valueAt(middle) < value ? below : found) = middle;
    }
    return found;
  }

  const QuantizedInteger &function;
  int64_t channel;
  std::vector<double> xs, values;
  size_t failed = 0;
};

/// `steps` floats further, each of which is at least `least` away from the one before.
float further(float number, int steps, float least) {
  float next = std::nextafter(number, infinity) - number;
  return number + static_cast<float>(steps) * std::max(next, least);
}

struct MultiplyAdd {
  float factor, term;
};

/// Multiply-adds of single channels.
class MultiplyAddSearch {
public:
  MultiplyAddSearch(const QuantizedInteger &function, Bounds bounds, bool hasFma)
      : function(function), bounds(bounds), hasFma(hasFma) {}

  std::optional<MultiplyAdd> find(int64_t channel) const {
    constexpr int mostFactors = 3, mostTerms = 128;
    constexpr float leastStep = 0x1p-22F; // a thirtieth of the last place of 127
    Line line(function.steps, channel);
    Growth growth(function, channel);
    for (int ofTerm = 0; ofTerm <= mostTerms; ++ofTerm)
      for (int ofFactor = -mostFactors; ofFactor <= mostFactors; ++ofFactor)
        for (int sign : {1, -1}) {
          MultiplyAdd tried{further(static_cast<float>(line.factor), ofFactor, 0),
                            further(static_cast<float>(line.term), sign * ofTerm, leastStep)};
          auto valueOf = [&](double x) { return bounds.bounded(rounded(tried, x) + line.offset); };
          if (growth.agrees(valueOf) && isSmall(tried))
            return tried;
        }
    return std::nullopt;
  }

private:
  double rounded(MultiplyAdd by, double x) const {
    auto number = static_cast<float>(x);
    return std::nearbyint(hasFma ? std::fma(number, by.factor, by.term)
                                 : number * by.factor + by.term);
  }
  bool isSmall(MultiplyAdd by) const {
    return std::abs(rounded(by, function.lowest)) < largestSafe &&
           std::abs(rounded(by, function.highest)) < largestSafe;
  }

  const QuantizedInteger &function;
  Bounds bounds;
  bool hasFma;
};

/// The number that every channel has after rounding, if it is the same.
std::optional<double> commonOffset(const QuantizedInteger &function) {
  double offset = Line(function.steps, 0).offset;
  for (int64_t channel = 1; channel < function.channels; ++channel)
    if (Line(function.steps, channel).offset != offset)
      return std::nullopt;
  return offset;
}

/// Adds what makes an integer between two bounds of a float.
void appendRounding(std::vector<ScalarStep> &steps, double offset, Bounds bounds) {
  steps.push_back({Kind::roundEven, false, {}, {}});
  steps.push_back({Kind::toInteger, true, {}, {}});
  if (offset != 0)
    steps.push_back({Kind::add, true, {offset}, {}});
  steps.push_back({Kind::maximum, true, {bounds.low}, {}});
  steps.push_back({Kind::minimum, true, {bounds.high}, {}});
}

std::optional<std::vector<ScalarStep>> byMultiplyAdd(const QuantizedInteger &function,
                                                     double offset, Bounds bounds, bool hasFma) {
  MultiplyAddSearch search(function, bounds, hasFma);
  std::vector<double> factors, terms;
  for (int64_t channel = 0; channel < function.channels; ++channel) {
    auto found = search.find(channel);
    if (!found)
      return std::nullopt;
    factors.push_back(found->factor);
    terms.push_back(found->term);
  }
  std::vector<ScalarStep> steps = {{Kind::toFloat, false, {}, {}}};
  if (hasFma) {
    steps.push_back({Kind::multiplyAdd, false, factors, terms});
  } else {
    steps.push_back({Kind::multiply, false, factors, {}});
    steps.push_back({Kind::add, false, terms, {}});
  }
  appendRounding(steps, offset, bounds);
  return steps;
}

/// The steps before rounding, without bounds and divisions.
std::vector<ScalarStep> withoutBounds(const QuantizedInteger &function, double offset,
                                      Bounds bounds) {
  std::vector<ScalarStep> steps;
  for (ScalarStep step : function.steps) {
    if (step.kind == Kind::roundEven)
      break;
    if (step.kind == Kind::divide) {
      step.kind = Kind::multiplyByParts;
      for (double &scale : step.first) {
        const double inverse = 1 / scale;
        scale = static_cast<float>(inverse);
        step.second.push_back(static_cast<float>(inverse - scale));
      }
    }
    if (step.kind != Kind::maximum && step.kind != Kind::minimum)
      steps.push_back(std::move(step));
  }
  appendRounding(steps, offset, bounds);
  return steps;
}

bool isEqual(const QuantizedInteger &function, const QuantizedInteger &other) {
  auto isSmall = [](double number) { return std::abs(number) < largestSafe; };
  for (int64_t channel = 0; channel < function.channels; ++channel) {
    double ends[] = {function.lowest, function.highest};
    for (const ScalarStep &step : other.steps) {
      step.apply(channel, ends);
      if (step.isInteger && !llvm::all_of(ends, isSmall))
        return false;
    }
    Growth growth(function, channel);
    std::vector<double> numbers(growth.numbers());
    other.evaluate(channel, numbers);
    if (ArrayRef(numbers) != growth.results())
      return false;
  }
  return true;
}

} // namespace

std::optional<QuantizedInteger> shorterSteps(const QuantizedInteger &function, bool hasFma) {
  std::optional<double> offset = commonOffset(function);
  if (!offset)
    return std::nullopt;
  const Bounds bounds = boundsOf(function);
  QuantizedInteger shorter = function;
  if (auto steps = byMultiplyAdd(function, *offset, bounds, hasFma)) {
    shorter.steps = std::move(*steps);
    return shorter;
  }
  shorter.steps = withoutBounds(function, *offset, bounds);
  return hasFma && isEqual(function, shorter) ? std::optional(shorter) : std::nullopt;
}

} // namespace kgen
