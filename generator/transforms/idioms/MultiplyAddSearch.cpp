#include "transforms/idioms/MultiplyAddSearch.h"

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

using Kind = ScalarStep::Kind;

double factorOf(const ScalarStep &step, int64_t channel) {
  switch (step.kind) {
  case Kind::multiply:
  case Kind::multiplyAdd:
    return step.firstOf(channel);
  case Kind::multiplyByParts:
    return step.firstOf(channel) + step.secondOf(channel);
  case Kind::divide:
    return 1 / step.firstOf(channel);
  default:
    return 1;
  }
}

/// `steps` floats further, each of which is at least `least` away from the one before.
float further(float number, int steps, float least) {
  float next = std::nextafter(number, std::numeric_limits<float>::infinity()) - number;
  return number + static_cast<float>(steps) * std::max(next, least);
}

} // namespace

Line::Line(ArrayRef<ScalarStep> steps, int64_t channel) {
  bool isRounded = false;
  for (const ScalarStep &step : steps) {
    isRounded |= step.kind == Kind::roundEven;
    if (step.kind == Kind::add) {
      (isRounded ? offset : term) += step.firstOf(channel);
      continue;
    }
    const double by = factorOf(step, channel);
    factor *= by;
    term *= by;
    if (step.kind == Kind::multiplyAdd)
      term += step.secondOf(channel);
  }
}

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

Growth::Growth(const QuantizedInteger &function, int64_t channel)
    : function(function), channel(channel) {
  Line line(function.steps, channel);
  const double least = valueAt(lowest()), greatest = valueAt(highest());
  std::vector<double> first; // the first x with each value
  for (double value = least + 1; value <= greatest; ++value)
    first.push_back(guess(line, value));
  correct(first, least + 1);
  xs = {lowest(), highest()};
  for (double x : first)
    xs.insert(xs.end(), {x, x - 1});
  values = xs;
  function.evaluate(channel, values);
}

double Growth::valueAt(double x) const {
  function.evaluate(channel, x);
  return x;
}

double Growth::guess(const Line &line, double value) const {
  constexpr double half = 0.5;
  double x = std::ceil((value - line.offset - half - line.term) / line.factor);
  x = std::isfinite(x) ? x : 0;
  return std::min(std::max(x, lowest() + 1), highest());
}

void Growth::correct(std::vector<double> &first, double value) const {
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
double Growth::bisected(double value) const {
  double below = lowest(), found = highest();
  while (found - below > 1) {
    double middle = std::floor((below + found) / 2);
    (valueAt(middle) < value ? below : found) = middle;
  }
  return found;
}

std::optional<MultiplyAdds> MultiplyAddSearch::find() {
  return findAfter(MultiplyAdd(), /*mostFactors=*/6, /*mostTerms=*/128, /*leastStep=*/0x1p-22F);
}

std::optional<MultiplyAdds> MultiplyAddSearch::findTwo(MultiplyAdd near) {
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

/// Steps of terms are parts of the last place of 127, which is 2^-17.
std::optional<MultiplyAdds> MultiplyAddSearch::findAfter(MultiplyAdd first, int mostFactors,
                                                         int mostTerms, float leastStep) {
  const double ofFirst = line.factor / first.factor;
  const auto factor = static_cast<float>(ofFirst),
             term = static_cast<float>(line.term - first.term * ofFirst);
  for (int ofTerm = 0; ofTerm <= mostTerms; ++ofTerm)
    for (int ofFactor = -mostFactors; ofFactor <= mostFactors; ++ofFactor)
      for (int sign : {1, -1}) {
        MultiplyAdds tried{first,
                           {further(factor, ofFactor, 0), further(term, sign * ofTerm, leastStep)}};
        auto valueOf = [&](double x) { return bounds.bounded(rounded(tried, x) + line.offset); };
        if (growth.agrees(valueOf) && isSmall(tried))
          return tried;
      }
  return std::nullopt;
}

float MultiplyAddSearch::applied(MultiplyAdd by, float x) const {
  if (hasFma)
    return std::fma(x, by.factor, by.term);
  const float product = x * by.factor; // compilers fuse within a statement only
  return product + by.term;
}

double MultiplyAddSearch::rounded(const MultiplyAdds &by, double x) const {
  return std::nearbyint(applied(by.second, applied(by.first, static_cast<float>(x))));
}

bool MultiplyAddSearch::isSmall(const MultiplyAdds &by) const {
  return std::abs(rounded(by, function.lowest)) < largestSafe &&
         std::abs(rounded(by, function.highest)) < largestSafe;
}

} // namespace kgen
