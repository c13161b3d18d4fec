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
};

/// `steps` floats further, each of which is at least `least` away from the one before.
float further(float number, int steps, float least) {
  float next = std::nextafter(number, infinity) - number;
  return number + static_cast<float>(steps) * std::max(next, least);
}

/// x * factor + term, rounded once.
struct MultiplyAdd {
  float factor = 1, term = 0;
};

/// The function's first multiplication, with what is added before and after it.
MultiplyAdd firstMultiplyAdd(const QuantizedInteger &function, int64_t channel) {
  double factor = 1, term = 0;
  bool isMultiplied = false;
  for (const ScalarStep &step : function.steps) {
    if (step.kind == Kind::multiply && !isMultiplied) {
      factor = step.firstOf(channel);
      term *= factor;
      isMultiplied = true;
    } else if (step.kind == Kind::add) {
      term += step.firstOf(channel);
    } else if (step.kind != Kind::toFloat) {
      break;
    }
  }
  return {static_cast<float>(factor), static_cast<float>(term)};
}

/// One multiply-add after the other.
struct MultiplyAdds {
  MultiplyAdd first, second;
};

/// Multiply-adds of a single channel.
class MultiplyAddSearch {
public:
  MultiplyAddSearch(const QuantizedInteger &function, int64_t channel, Bounds bounds, bool hasFma)
      : function(function), line(function.steps, channel), growth(function, channel),
        bounds(bounds), hasFma(hasFma) {}

  std::optional<MultiplyAdds> find() {
    return findAfter(MultiplyAdd(), /*mostFactors=*/6, /*mostTerms=*/128, /*leastStep=*/0x1p-22F);
  }

  /// Two, or one. The first one multiplies by a small number, which is exact, and makes the product
  /// of both factors finer than one of them. Or it is like `near`, and has about the roundings of
  /// the function, each of them others, which move the numbers next to a half.
  std::optional<MultiplyAdds> findTwo(MultiplyAdd near) {
    constexpr double exactIntegers = 0x1p24;
    constexpr int most = 1 << 13;
    constexpr float farther = 0x1p13F; // in sums
    std::optional<MultiplyAdds> found = find();
    const double largest = std::max(std::abs(function.lowest), std::abs(function.highest));
    for (float by = 3; by * largest <= exactIntegers && !found; by += 2)
      for (float leastStep : {0x1p-25F, 0x1p-22F})
        if (!found)
          found = findAfter({by, 0}, /*mostFactors=*/2, /*mostTerms=*/128, leastStep);
    for (int i = 0; i < most && !found && near.factor > 0; ++i) {
      const float scale = 1 + static_cast<float>(i / 4) / (most / 4),
                  moved = static_cast<float>(i % 4 - 1) * farther;
      MultiplyAdd first{near.factor * scale, (near.term + near.factor * moved) * scale};
      found = findAfter(first, /*mostFactors=*/2, /*mostTerms=*/16, /*leastStep=*/0x1p-21F);
    }
    return found;
  }

private:
  /// Steps of terms are parts of the last place of 127, which is 2^-17.
  std::optional<MultiplyAdds> findAfter(MultiplyAdd first, int mostFactors, int mostTerms,
                                        float leastStep) {
    const double ofFirst = line.factor / first.factor;
    const auto factor = static_cast<float>(ofFirst),
               term = static_cast<float>(line.term - first.term * ofFirst);
    for (int ofTerm = 0; ofTerm <= mostTerms; ++ofTerm)
      for (int ofFactor = -mostFactors; ofFactor <= mostFactors; ++ofFactor)
        for (int sign : {1, -1}) {
          MultiplyAdds tried{
              first, {further(factor, ofFactor, 0), further(term, sign * ofTerm, leastStep)}};
          auto valueOf = [&](double x) { return bounds.bounded(rounded(tried, x) + line.offset); };
          if (growth.agrees(valueOf) && isSmall(tried))
            return tried;
        }
    return std::nullopt;
  }

  float applied(MultiplyAdd by, float x) const {
    return hasFma ? std::fma(x, by.factor, by.term) : x * by.factor + by.term;
  }
  double rounded(const MultiplyAdds &by, double x) const {
    return std::nearbyint(applied(by.second, applied(by.first, static_cast<float>(x))));
  }
  bool isSmall(const MultiplyAdds &by) const {
    return std::abs(rounded(by, function.lowest)) < largestSafe &&
           std::abs(rounded(by, function.highest)) < largestSafe;
  }

  const QuantizedInteger &function;
  Line line;
  Growth growth;
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

/// Adds a multiply-add with numbers for each channel, if it does anything.
void appendMultiplyAdd(std::vector<ScalarStep> &steps, ArrayRef<MultiplyAdd> ofChannels,
                       bool hasFma) {
  std::vector<double> factors, terms;
  for (MultiplyAdd each : ofChannels) {
    factors.push_back(each.factor);
    terms.push_back(each.term);
  }
  const bool multiplies = !llvm::all_of(factors, [](double factor) { return factor == 1; }),
             adds = !llvm::all_of(terms, [](double term) { return term == 0; });
  if (multiplies && adds && hasFma)
    return steps.push_back({Kind::multiplyAdd, false, factors, terms});
  if (multiplies)
    steps.push_back({Kind::multiply, false, factors, {}});
  if (adds)
    steps.push_back({Kind::add, false, terms, {}});
}

/// Returns the steps of multiply-adds that `find` has for each channel.
std::optional<std::vector<ScalarStep>>
byMultiplyAdds(const QuantizedInteger &function, double offset, Bounds bounds, bool hasFma,
               llvm::function_ref<std::optional<MultiplyAdds>(MultiplyAddSearch &, int64_t)> find) {
  std::vector<MultiplyAdd> first, second;
  for (int64_t channel = 0; channel < function.channels; ++channel) {
    MultiplyAddSearch search(function, channel, bounds, hasFma);
    auto found = find(search, channel);
    if (!found)
      return std::nullopt;
    first.push_back(found->first);
    second.push_back(found->second);
  }
  std::vector<ScalarStep> steps = {{Kind::toFloat, false, {}, {}}};
  appendMultiplyAdd(steps, first, hasFma);
  appendMultiplyAdd(steps, second, hasFma);
  appendRounding(steps, offset, bounds);
  return steps;
}

/// Operations on floats before the rounding.
int64_t countFloatOperations(ArrayRef<ScalarStep> steps) {
  int64_t count = 0;
  for (const ScalarStep &step : steps) {
    if (step.kind == Kind::roundEven)
      break;
    if (!step.isInteger && step.kind != Kind::toFloat)
      count += step.kind == Kind::multiplyByParts ? 2 : 1;
  }
  return count;
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
  auto one = [](MultiplyAddSearch &search, int64_t) { return search.find(); };
  if (auto steps = byMultiplyAdds(function, *offset, bounds, hasFma, one)) {
    shorter.steps = std::move(*steps);
    return shorter;
  }
  if (!hasFma)
    return std::nullopt;
  auto two = [&](MultiplyAddSearch &search, int64_t channel) {
    return search.findTwo(firstMultiplyAdd(function, channel));
  };
  shorter.steps = withoutBounds(function, *offset, bounds);
  if (countFloatOperations(shorter.steps) > 2)
    if (auto steps = byMultiplyAdds(function, *offset, bounds, hasFma, two)) {
      shorter.steps = std::move(*steps);
      return shorter;
    }
  return isEqual(function, shorter) ? std::optional(shorter) : std::nullopt;
}

} // namespace kgen
