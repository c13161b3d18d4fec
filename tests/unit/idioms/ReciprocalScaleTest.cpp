// Quotients by a known scale, against a division.
#include "transforms/idioms/ReciprocalScale.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace kgen;

namespace {

/// roundeven(x / scale), between two integers; NaN becomes the lower one.
double divided(float x, float scale, double low, double high) {
  return std::isnan(x) ? low : std::min(std::max<double>(std::nearbyint(x / scale), low), high);
}

} // namespace

TEST_CASE("every float is rounded as after a division") {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponents(-12, 12), units(-1.5F, 1.5F);
  std::uniform_int_distribution<int> bytes(0, 255);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  size_t found = 0, wrong = 0;
  for (int i = 0; i < 300; ++i) {
    const float scale = std::exp2(exponents(random));
    const double low = -bytes(random), high = low + 255;
    auto reciprocal = ReciprocalScale::get(scale, low, high);
    if (!reciprocal)
      continue;
    ++found;
    auto isWrong = [&](float x) { return reciprocal->rounded(x) != divided(x, scale, low, high); };
    for (float x :
         {0.0F, -0.0F, infinity, -infinity, std::nanf(""), 3e38F, -3e38F, 1e-40F, -1e-40F})
      wrong += isWrong(x);
    for (int n = 0; n < 2000; ++n)
      wrong += isWrong(units(random) * 256 * scale);
    for (int n = -300; n < 300; ++n) { // next to halves
      float x = (static_cast<float>(n) + 0.5F) * scale;
      wrong +=
          isWrong(x) + isWrong(std::nextafter(x, infinity)) + isWrong(std::nextafter(x, -infinity));
    }
  }
  CHECK(wrong == 0);
  CHECK(found > 290); // a scale of a hundred may need the division
}

TEST_CASE("scales that no float may be divided by, and ranges of large integers, are refused") {
  for (float scale : {0.0F, -1.0F, std::nanf(""), std::numeric_limits<float>::infinity(), 1e-30F})
    CHECK(!ReciprocalScale::get(scale, -128, 127));
  CHECK(!ReciprocalScale::get(0.5F, -0x1p31, 0x1p31));
  CHECK(ReciprocalScale::get(0.5F, 0, 65535));
}
