#include "transforms/idioms/ShorterSteps.h"

#include "transforms/idioms/MultiplyAddSearch.h"

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

using Kind = ScalarStep::Kind;

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

std::optional<ScalarStep> singleMultiplyAdds(const QuantizedInteger &function) {
  std::optional<double> offset = commonOffset(function);
  const Bounds bounds = boundsOf(function);
  const size_t count = function.steps.size();
  auto isLast = [&](size_t fromEnd, Kind kind, double bound) {
    const ScalarStep &step = function.steps[count - fromEnd];
    return step.kind == kind && step.isInteger && llvm::all_equal(step.first) &&
           step.firstOf(0) == bound;
  };
  if (!offset || count < 2 || countFloatOperations(function.steps) <= 1 ||
      !isLast(2, Kind::maximum, bounds.low) || !isLast(1, Kind::minimum, bounds.high))
    return std::nullopt;
  ScalarStep step{Kind::multiplyAdd, false, {}, {}};
  for (int64_t channel = 0; channel < function.channels; ++channel) {
    auto found = MultiplyAddSearch(function, channel, bounds, /*hasFma=*/true).find();
    step.first.push_back(found ? found->second.factor : 0);
    step.second.push_back(found ? found->second.term : 0);
  }
  if (2 * llvm::count(step.first, 0) > function.channels)
    return std::nullopt;
  return step;
}

} // namespace kgen
