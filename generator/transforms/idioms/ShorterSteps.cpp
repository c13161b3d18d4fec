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

/// True if the last steps keep an integer between `bounds`.
bool endsWithBounds(ArrayRef<ScalarStep> steps, Bounds bounds) {
  auto isBound = [](const ScalarStep &step, Kind kind, double bound) {
    return step.kind == kind && step.isInteger && llvm::all_equal(step.first) &&
           step.firstOf(0) == bound;
  };
  return steps.size() >= 2 && isBound(steps[steps.size() - 2], Kind::maximum, bounds.low) &&
         isBound(steps.back(), Kind::minimum, bounds.high);
}

/// Up to `count` multiply-adds of one channel after the other, and the vectors of `width` channels
/// that have them.
class ChannelSearch {
public:
  ChannelSearch(int64_t channels, int64_t width, size_t count)
      : channels(channels),
        width(width), found{std::vector<ScalarStep>(count, {Kind::multiplyAdd, false, {}, {}})} {}

  void add(const std::optional<MultiplyAdds> &ofChannel) {
    const MultiplyAdd none{0, 0};
    const MultiplyAdd list[] = {ofChannel ? ofChannel->first : none,
                                ofChannel ? ofChannel->second : none};
    for (auto [step, by] : llvm::zip(found.steps, ArrayRef(list).take_back(found.steps.size()))) {
      step.first.push_back(by.factor);
      step.second.push_back(by.term);
    }
    const auto added = static_cast<int64_t>(found.steps.front().first.size());
    found.channels += ofChannel ? 1 : 0;
    inVector += ofChannel ? 1 : 0;
    if (added % width != 0 && added != channels)
      return;
    whole += inVector == (added - 1) % width + 1 ? 1 : 0;
    inVector = 0;
  }

  int64_t vectors() const { return llvm::divideCeil(channels, width); }
  /// Operations on floats that are saved, of `before` in each vector.
  int64_t saved(int64_t before) const {
    return whole * (before - static_cast<int64_t>(found.steps.size()));
  }
  const ChannelMultiplyAdds &result() const { return found; }

private:
  int64_t channels, width;
  ChannelMultiplyAdds found;
  int64_t inVector = 0; ///< channels of the current vector that have them
  int64_t whole = 0;    ///< vectors all of whose channels have them
};

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

std::optional<ChannelMultiplyAdds> multiplyAddsOfChannels(const QuantizedInteger &function,
                                                          int64_t width) {
  std::optional<double> offset = commonOffset(function);
  const Bounds bounds = boundsOf(function);
  const int64_t before = countFloatOperations(function.steps);
  if (!offset || before <= 1 || !endsWithBounds(function.steps, bounds))
    return std::nullopt;
  ChannelSearch one(function.channels, width, 1), two(function.channels, width, 2);
  for (int64_t channel = 0; channel < function.channels; ++channel) {
    MultiplyAddSearch search(function, channel, bounds, /*hasFma=*/true);
    auto found = search.find();
    one.add(found);
    if (before > 2)
      two.add(found ? found : search.findTwo(firstMultiplyAdd(function, channel)));
  }
  const ChannelSearch &best = two.saved(before) > one.saved(before) ? two : one;
  return 2 * best.saved(before) >= best.vectors() ? std::optional(best.result()) : std::nullopt;
}

} // namespace kgen
