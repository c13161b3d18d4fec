// Bytes of sums by fewer operations, against the operations that were written.
#include "transforms/idioms/ShorterSteps.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace kgen;

namespace {

using Kind = ScalarStep::Kind;

/// QuantizeLinear of (x - correction) * scale + bias, at least `least`, by `resultScale`.
QuantizedInteger quantized(std::vector<double> corrections, std::vector<double> scales,
                           std::vector<double> biases, double least, float resultScale,
                           double zeroPoint, double range) {
  QuantizedInteger function;
  function.lowest = -range;
  function.highest = range;
  function.channels = static_cast<int64_t>(scales.size());
  function.steps = {{Kind::add, true, std::move(corrections), {}},
                    {Kind::toFloat, false, {}, {}},
                    {Kind::multiply, false, std::move(scales), {}},
                    {Kind::add, false, std::move(biases), {}},
                    {Kind::maximum, false, {least}, {}},
                    {Kind::divide, false, {resultScale}, {}},
                    {Kind::maximum, false, {-zeroPoint}, {}},
                    {Kind::minimum, false, {255 - zeroPoint}, {}},
                    {Kind::roundEven, false, {}, {}},
                    {Kind::toInteger, true, {}, {}},
                    {Kind::add, true, {zeroPoint}, {}}};
  return function;
}

/// Counts the results that differ, of all integers in the range.
int64_t differences(const QuantizedInteger &a, const QuantizedInteger &b) {
  int64_t count = 0;
  std::vector<double> all;
  for (double x = a.lowest; x <= a.highest; ++x)
    all.push_back(x);
  for (int64_t channel = 0; channel < a.channels; ++channel) {
    std::vector<double> resultsOfA(all), resultsOfB(all);
    a.evaluate(channel, resultsOfA);
    b.evaluate(channel, resultsOfB);
    for (size_t i = 0; i < all.size(); ++i)
      count += resultsOfA[i] != resultsOfB[i];
  }
  return count;
}

bool has(const QuantizedInteger &function, Kind kind) {
  return llvm::any_of(function.steps, [&](const ScalarStep &step) { return step.kind == kind; });
}

/// Eight channels of one scale, with biases of their own.
QuantizedInteger quantizedByOneScale(float scale, float resultScale) {
  const std::vector<double> scales(8, scale);
  std::vector<double> biases;
  for (int channel = 0; channel < 8; ++channel)
    biases.push_back(static_cast<float>(0.001 * (channel * 37 % 64)));
  return quantized({0}, scales, biases, -1e9, resultScale, 113, 80000);
}

} // namespace

TEST_CASE("shorter steps give the same byte for each sum") {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponents(-13, -4), units(-1, 1);
  size_t found = 0, multiplyAdds = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<double> corrections, scales, biases;
    const float resultScale = std::exp2(exponents(random) / 2);
    for (int channel = 0; channel < 4; ++channel) {
      corrections.push_back(std::round(3000 * units(random)));
      scales.push_back(static_cast<float>(std::exp2(exponents(random)) * resultScale));
      biases.push_back(static_cast<float>(20 * units(random) * resultScale));
    }
    const bool hasFma = i % 3 != 0, isBounded = i % 2 != 0;
    QuantizedInteger function =
        quantized(corrections, scales, biases, isBounded ? 0 : -1e9, resultScale, i * 4, 60000);
    REQUIRE(function.isSound());
    auto shorter = shorterSteps(function, hasFma);
    if (!shorter)
      continue;
    ++found;
    multiplyAdds += has(*shorter, Kind::multiplyAdd);
    CHECK(shorter->steps.size() < function.steps.size());
    CHECK(!has(*shorter, Kind::divide));
    CHECK((hasFma || !has(*shorter, Kind::multiplyAdd)));
    CHECK(differences(function, *shorter) == 0);
  }
  CHECK(found >= 40); // without fused operations, some stay as they are
  CHECK(multiplyAdds >= 20);
}

TEST_CASE("sums next to a half are moved by a second multiply-add") {
  // 3 / 848: a sum next to a half in every 424.
  QuantizedInteger function = quantizedByOneScale(0.092F / 1000, 0.026F);
  auto shorter = shorterSteps(function, true);
  REQUIRE(shorter);
  CHECK(has(*shorter, Kind::multiplyAdd));
  CHECK(!has(*shorter, Kind::multiplyByParts));
  CHECK(differences(function, *shorter) == 0);
}

TEST_CASE("many sums next to a half take the products that there are") {
  // 3 / 40: a sum next to a half in every 20.
  QuantizedInteger function = quantizedByOneScale(0.015F, 0.2F);
  auto shorter = shorterSteps(function, true);
  REQUIRE(shorter);
  CHECK(has(*shorter, Kind::multiplyByParts));
  CHECK(differences(function, *shorter) == 0);
}

TEST_CASE("a channel that has one value, and channels with zero points of their own") {
  QuantizedInteger one = quantized({0, 5}, {0, 0.01F}, {2, -1}, -1e9, 0.5F, 10, 5000);
  auto shorter = shorterSteps(one, true);
  REQUIRE(shorter);
  CHECK(differences(one, *shorter) == 0);
  one.steps.back().first = {10, 11};
  CHECK(!shorterSteps(one, true));
}

/// The function with these multiply-adds in place of its steps on floats, of its first channels.
QuantizedInteger withMultiplyAdds(QuantizedInteger function, const ChannelMultiplyAdds &by,
                                  int64_t channels) {
  auto rounding = llvm::find_if(
      function.steps, [](const ScalarStep &step) { return step.kind == Kind::roundEven; });
  function.steps.erase(function.steps.begin(), rounding);
  function.steps.insert(function.steps.begin(), by.steps.begin(), by.steps.end());
  function.steps.insert(function.steps.begin(), {Kind::toFloat, false, {}, {}});
  function.channels = channels;
  return function;
}

TEST_CASE("channels that are computed at once have multiply-adds if each of them has") {
  // As above: of nine, the last one is next to a half too often for any multiply-adds, which leaves
  // one of two vectors of eight, or eight of nine single channels.
  QuantizedInteger function = quantizedByOneScale(0.0137F, 0.2F);
  for (ScalarStep &step : function.steps)
    if (step.kind == Kind::multiply)
      step.first.push_back(0.015F);
    else if (step.first.size() == 8)
      step.first.push_back(0);
  function.channels = 9;
  auto shorter = shorterSteps(function, true);
  REQUIRE(shorter);
  REQUIRE(has(*shorter, Kind::multiplyByParts));
  QuantizedInteger ofEight = *shorter;
  ofEight.channels = 8;
  for (int64_t width : {1, 8, 64}) {
    auto found = multiplyAddsOfChannels(*shorter, width);
    REQUIRE(found.has_value() == (width != 64));
    if (!found)
      continue;
    CHECK(found->channels == 8);
    CHECK(found->steps.front().firstOf(8) == 0);
    CHECK(differences(ofEight, withMultiplyAdds(*shorter, *found, 8)) == 0);
  }
  CHECK(!multiplyAddsOfChannels(function, 1)); // it does not end between integers
}

TEST_CASE("two multiply-adds take the place of three operations where one does not") {
  // Sums next to a half, as above, in half of the channels.
  QuantizedInteger function = quantizedByOneScale(0.092F / 1000, 0.026F);
  for (ScalarStep &step : function.steps)
    if (step.first.size() == 8)
      step.first.insert(step.first.end(), 8, step.kind == Kind::multiply ? 0.0137F / 1000 : 0);
  function.channels = 16;
  function.steps = {function.steps[1],
                    function.steps[2],
                    function.steps[3],
                    function.steps[5],
                    function.steps[8],
                    function.steps[9],
                    function.steps[10],
                    {Kind::maximum, true, {0}, {}},
                    {Kind::minimum, true, {255}, {}}};
  auto byVectors = multiplyAddsOfChannels(function, 8),
       byBlocks = multiplyAddsOfChannels(function, 16);
  REQUIRE(byVectors);
  REQUIRE(byBlocks);
  CHECK(byVectors->steps.size() == 1);
  CHECK(byVectors->channels < 16);
  CHECK(byBlocks->steps.size() == 2);
  CHECK(byBlocks->channels == 16);
  CHECK(differences(function, withMultiplyAdds(function, *byBlocks, 16)) == 0);
}
