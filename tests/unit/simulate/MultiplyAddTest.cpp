// The fast sums of products against loops over single elements.
#include "simulate/MultiplyAdd.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>

using namespace kgen;

namespace {

/// Any bits, also NaN and infinities.
std::vector<char> randomBytes(size_t count, std::mt19937 &random) {
  std::vector<char> bytes(count);
  for (char &byte : bytes)
    byte = static_cast<char>(random());
  return bytes;
}

/// Computes step by step, each result rounded.
void slowly(Number sum, FactorForm a, FactorForm b, char *s, const char *x, const char *y) {
  Lane lanes[3];
  loadLanes(sum, s, 0, 1, 1, &lanes[0]);
  loadLanes(a.number, x, 0, 1, 1, &lanes[1]);
  loadLanes(b.number, y, 0, 1, 1, &lanes[2]);
  if (isFloatNumber(sum)) {
    lanes[1].f *= lanes[2].f;
    roundLanes(sum, &lanes[1], 1);
    lanes[0].f += lanes[1].f;
  } else {
    uint64_t p = a.isUnsigned ? unsignedOf(a.number, lanes[1]) : uint64_t(lanes[1].i),
             q = b.isUnsigned ? unsignedOf(b.number, lanes[2]) : uint64_t(lanes[2].i);
    lanes[0].i = static_cast<int64_t>(uint64_t(lanes[0].i) + p * q);
  }
  roundLanes(sum, lanes, 1);
  storeLanes(sum, s, 0, 1, 1, lanes);
}

bool isNan(Number number, const char *element) {
  Lane lane;
  loadLanes(number, element, 0, 1, 1, &lane);
  return isFloatNumber(number) && std::isnan(lane.f);
}

} // namespace

TEST_CASE("fast sums of products have the bits of slow ones") {
  std::mt19937 random(3);
  int kinds = 0;
  for (Number sum : {Number::i8, Number::i16, Number::i32, Number::i64, Number::f16, Number::bf16,
                     Number::f32, Number::f64})
    for (Number factor : {Number::i8, Number::i16, Number::i32, Number::i64, Number::f16,
                          Number::bf16, Number::f32, Number::f64})
      for (int sign = 0; sign < 4; ++sign) {
        FactorForm a{factor, (sign & 1) != 0}, b{factor, (sign & 2) != 0};
        MultiplyAdd fast = multiplyAddFor(sum, a, b);
        if (!fast)
          continue;
        ++kinds;
        INFO(nameOf(sum) << " " << nameOf(factor) << " " << sign);
        constexpr int64_t outer = 3, inner = 9;
        for (auto [so, si, ao, ai, bo, bi] : {std::array<int64_t, 6>{0, 1, 1, 0, 9, 1},
                                              {9, 1, 9, 1, 9, 1},
                                              {1, 0, 9, 1, 9, 1},
                                              {1, 3, 2, 1, 1, 2}}) {
          size_t size = 64, width = bytesOf(sum), factorWidth = bytesOf(factor);
          std::vector<char> s = randomBytes(size * width, random), expected = s,
                            x = randomBytes(size * factorWidth, random),
                            y = randomBytes(size * factorWidth, random);
          for (int64_t i = 0; i < outer; ++i)
            for (int64_t j = 0; j < inner; ++j)
              slowly(sum, a, b, &expected[(i * so + j * si) * width],
                     &x[(i * ao + j * ai) * factorWidth], &y[(i * bo + j * bi) * factorWidth]);
          fast({s.data(), so, si}, {x.data(), ao, ai}, {y.data(), bo, bi}, outer, inner);
          for (size_t i = 0; i < size; ++i) {
            bool isSame = std::memcmp(&s[i * width], &expected[i * width], width) == 0 ||
                          (isNan(sum, &s[i * width]) && isNan(sum, &expected[i * width]));
            REQUIRE(isSame);
          }
        }
      }
  CHECK(kinds == 13);
  CHECK(!multiplyAddFor(Number::f16, {Number::f16}, {Number::f16}));
}
