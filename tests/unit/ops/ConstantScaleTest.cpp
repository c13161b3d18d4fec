// Quantization by a known scale, against a division.
#include "ops/ConstantScale.h"
#include "ops/Conversion.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace kgen;

namespace {

/// saturate(roundeven(x / scale) + zero point) - zero point
double divided(float x, float scale, int64_t zeroPoint, ElementType type) {
  auto [low, high] = limitsOf(type);
  if (std::isnan(x))
    return static_cast<double>(low - zeroPoint);
  double rounded = std::nearbyint(x / scale);
  return std::min(std::max(rounded, static_cast<double>(low - zeroPoint)),
                  static_cast<double>(high - zeroPoint));
}

} // namespace

TEST_CASE("every float is quantized as by a division") {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponents(-12, 12), units(-1.5F, 1.5F);
  std::uniform_int_distribution<int64_t> bytes(0, 255);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  size_t found = 0, wrong = 0;
  for (int i = 0; i < 300; ++i) {
    const float scale = std::exp2(exponents(random));
    const bool isUnsigned = i % 2 == 0;
    const ElementType type = isUnsigned ? ElementType::u8 : ElementType::i8;
    const int64_t zeroPoint = bytes(random) - (isUnsigned ? 0 : 128);
    auto constant = ConstantScale::of(scale, zeroPoint, type);
    if (!constant)
      continue;
    ++found;
    auto isWrong = [&](float x) {
      return constant->quantized(x) != divided(x, scale, zeroPoint, type);
    };
    for (float x :
         {0.0F, -0.0F, infinity, -infinity, std::nanf(""), 3e38F, -3e38F, 1e-40F, -1e-40F})
      wrong += isWrong(x);
    for (int n = 0; n < 2000; ++n)
      wrong += isWrong(units(random) * 256 * scale);
    for (int n = -300; n < 300; ++n) { // beside halves
      float x = (static_cast<float>(n) + 0.5F) * scale;
      wrong +=
          isWrong(x) + isWrong(std::nextafter(x, infinity)) + isWrong(std::nextafter(x, -infinity));
    }
  }
  CHECK(wrong == 0);
  CHECK(found > 290); // a scale of a hundred may need the division
}

TEST_CASE("scales that no float may be divided by, and types that are no integers, are refused") {
  for (float scale : {0.0F, -1.0F, std::nanf(""), std::numeric_limits<float>::infinity(), 1e-30F})
    CHECK(!ConstantScale::of(scale, 0, ElementType::i8));
  CHECK(!ConstantScale::of(1, 0, ElementType::f8e4m3fn));
  CHECK(ConstantScale::of(0.5F, 0, ElementType::u16));
}
