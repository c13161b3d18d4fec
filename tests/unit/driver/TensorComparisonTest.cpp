// Distances of elements, tolerances, and what a comparison of two tensors says.
#include "driver/run/TensorComparison.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

using namespace kgen;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), notANumber = NAN;
constexpr uint64_t farthest = std::numeric_limits<uint64_t>::max();

template <typename T> uint64_t distance(ElementType type, T a, T b) {
  return ulpsBetween({type, {1}}, &a, &b, 0);
}

TensorComparison compare(const std::vector<float> &value, const std::vector<float> &expected,
                         const Tolerance &tolerance) {
  return compareElements({ElementType::f32, {int64_t(value.size())}}, value.data(), expected.data(),
                         tolerance);
}

const Tolerance standard = toleranceFor(ElementType::f32, ElementType::f32, {});

} // namespace

TEST_CASE("the distance is the number of values from one to the other") {
  CHECK(distance(ElementType::f32, 1.0f, 1.0f) == 0);
  CHECK(distance(ElementType::f32, 1.0f, std::nextafter(1.0f, 2.0f)) == 1);
  CHECK(distance(ElementType::f32, 1.0f, 2.0f) == 1u << 23);
  CHECK(distance(ElementType::f32, 2.0f, 1.0f) == 1u << 23);
  CHECK(distance(ElementType::f32, -0.0f, 0.0f) == 0);
  float tiny = std::numeric_limits<float>::denorm_min();
  CHECK(distance(ElementType::f32, -tiny, tiny) == 2);
  float largest = std::numeric_limits<float>::max();
  CHECK(distance(ElementType::f32, -largest, largest) == 2u * 0x7f7fffffu);
  CHECK(distance(ElementType::f32, largest, infinity) == 1);
  double huge = std::numeric_limits<double>::max();
  CHECK(distance(ElementType::f64, -huge, huge) == 2 * 0x7fefffffffffffffu);
  CHECK(distance(ElementType::f64, 1.0, std::nextafter(1.0, 0.0)) == 1);
  CHECK(distance<uint16_t>(ElementType::f16, 0x3c00, 0x4000) == 0x400);   // 1 and 2
  CHECK(distance<uint16_t>(ElementType::bf16, 0xbf80, 0x3f80) == 0x7f00); // -1 and 1
}

TEST_CASE("the distance of integers is their difference") {
  CHECK(distance<int8_t>(ElementType::i8, -128, 127) == 255);
  CHECK(distance<uint8_t>(ElementType::u8, 255, 0) == 255);
  CHECK(distance<int32_t>(ElementType::i32, 3, -4) == 7);
  CHECK(distance<int64_t>(ElementType::i64, std::numeric_limits<int64_t>::min(),
                          std::numeric_limits<int64_t>::max()) == farthest);
  CHECK(distance<uint64_t>(ElementType::u64, 0, farthest) == farthest);
  CHECK(distance<uint64_t>(ElementType::u64, farthest, 1) == farthest - 1);
  CHECK(distance<uint16_t>(ElementType::u16, 65535, 1) == 65534);
  CHECK(distance<uint32_t>(ElementType::u32, 1, 0xffffffff) == 0xfffffffe);
  CHECK(distance<int8_t>(ElementType::i4, -8, 7) == 15);
  CHECK(distance<uint8_t>(ElementType::f8e4m3fn, 0x38, 0xb8) == 0x70); // 1 and -1
  CHECK(distance<uint8_t>(ElementType::boolean, 1, 0) == 1);
}

TEST_CASE("tolerances by type, and what is requested instead") {
  CHECK(standard.str() == "rtol 0.001, atol 1e-07");
  CHECK(toleranceFor(ElementType::f64, ElementType::f64, {}).str() == "rtol 1e-07, atol 1e-15");
  CHECK(toleranceFor(ElementType::f16, ElementType::f64, {}).str() == "rtol 0.01, atol 0.001");
  CHECK(toleranceFor(ElementType::bf16, ElementType::f32, {}).str() == "rtol 0.04, atol 0.01");
  CHECK(toleranceFor(ElementType::f8e4m3fn, ElementType::f32, {}).str() ==
        "rtol 0.125, atol 0.002");
  CHECK(toleranceFor(ElementType::f8e5m2, ElementType::f64, {}).str() == "rtol 0.25, atol 2e-05");
  // A result is no more precise than what computes it.
  CHECK(toleranceFor(ElementType::f32, ElementType::bf16, {}).str() == "rtol 0.04, atol 0.01");
  CHECK(toleranceFor(ElementType::f64, ElementType::f32, {}).str() == standard.str());
  CHECK(toleranceFor(ElementType::f32, ElementType::f64, {}).str() == standard.str());
  ToleranceOptions absolute{std::nullopt, 2.0, std::nullopt};
  CHECK(toleranceFor(ElementType::f32, ElementType::f32, absolute).str() == "rtol 0.001, atol 2");
  CHECK(toleranceFor(ElementType::i8, ElementType::f32, absolute).str() == "atol 2");
  CHECK(toleranceFor(ElementType::boolean, ElementType::f32, absolute).str() == "exact");
  CHECK(toleranceFor(ElementType::i8, ElementType::f32, {0.5, std::nullopt, 9}).str() == "exact");
  CHECK(toleranceFor(ElementType::f32, ElementType::f32, {std::nullopt, std::nullopt, 3}).str() ==
        "3 ulp or 1e-07");
  CHECK(toleranceFor(ElementType::f32, ElementType::f32, {0.0, 0.0, std::nullopt}).str() ==
        "exact");
}

TEST_CASE("equal tensors have no worst element") {
  TensorComparison same = compare({1, 0, notANumber, infinity, -infinity},
                                  {1, -0.0f, -notANumber, infinity, -infinity}, {});
  CHECK(same.elements == 5);
  CHECK(same.wrong == 0);
  CHECK(same.worst == -1);
  CHECK(same.histogram == std::vector<int64_t>{5});
  CHECK(same.notFinite == 0);
  TensorComparison empty = compare({}, {}, standard);
  CHECK(empty.elements == 0);
  CHECK(empty.worst == -1);
  CHECK(empty.histogram == std::vector<int64_t>{0});
}

TEST_CASE("the worst element is that which exceeds the tolerance most") {
  // By 0.1 of 100, 0.1 of 1 and 0.2 of 1000.
  TensorComparison found = compare({100.1f, 1.1f, 1000.2f, 5}, {100, 1, 1000, 5}, standard);
  CHECK(found.wrong == 1);
  CHECK(found.worst == 1);
  CHECK(found.worstUlps == distance(ElementType::f32, 1.1f, 1.0f));
  // A tensor within the tolerance has a worst element, too.
  TensorComparison within = compare({1, 2.000001f}, {1, 2}, standard);
  CHECK(within.wrong == 0);
  CHECK(within.worst == 1);
  // Of equally bad ones the first.
  CHECK(compare({1, 2, 2, 1}, {1, 1, 1, 1}, standard).worst == 1);
  // Without a tolerance, the larger difference.
  CHECK(compare({1.5f, 3, 2}, {1, 1, 1}, {}).worst == 1);
}

TEST_CASE("NaN and infinities are wrong where something else is expected") {
  for (auto [value, expected] :
       {std::pair(notANumber, 1.0f), std::pair(1.0f, notANumber), std::pair(infinity, 1.0f),
        std::pair(1.0f, -infinity), std::pair(infinity, -infinity), std::pair(infinity, notANumber),
        std::pair(notANumber, infinity)}) {
    INFO(value << " where " << expected << " is expected");
    TensorComparison found = compare({9, value, 3}, {1, expected, 3}, {1e30, 1e30, farthest});
    CHECK(found.wrong == 1);
    CHECK(found.worst == 1);
    CHECK(!found.worstUlps);
    CHECK(found.notFinite == 1);
    CHECK(found.histogram[0] == 1);
  }
}

TEST_CASE("units in the last place, or a floor") {
  float near = 1, beside = std::nextafter(1.0f, 2.0f);
  Tolerance none{0, 0, 0}, one{0, 0, 1}, floor{0, 1e-3, 0};
  CHECK(compare({near}, {beside}, none).wrong == 1);
  CHECK(compare({near}, {beside}, one).wrong == 0);
  CHECK(compare({near}, {beside}, floor).wrong == 0);
  // Around 0 there are many values.
  CHECK(compare({1e-10f}, {-1e-10f}, one).wrong == 1);
  CHECK(compare({1e-10f}, {-1e-10f}, floor).wrong == 0);
  CHECK(compare({1e-2f}, {-1e-2f}, floor).wrong == 1);
}

TEST_CASE("buckets are powers of ten") {
  std::vector<int32_t> value{0, 1, 9, 10, 99, 100, 1000000}, zero(7);
  TensorComparison found = compareElements({ElementType::i32, {7}}, value.data(), zero.data(), {});
  CHECK(found.histogram == std::vector<int64_t>{1, 2, 2, 1, 0, 0, 0, 1});
  CHECK(found.wrong == 6);
  CHECK(found.worst == 6);
  CHECK(found.worstUlps == 1000000);
  CHECK(found.largestDifference == 1e6);
  CHECK(compareElements({ElementType::i32, {7}}, value.data(), zero.data(), {0, 99, std::nullopt})
            .wrong == 2);
}

TEST_CASE("large integers that are equal as double are told apart") {
  int64_t value = int64_t(1) << 62, expected = value + 1;
  TensorComparison found = compareElements({ElementType::i64, {1}}, &value, &expected, {});
  CHECK(found.wrong == 1);
  CHECK(found.worstUlps == 1);
  CHECK(compareElements({ElementType::i64, {1}}, &value, &expected, {0, 1, std::nullopt}).wrong ==
        0);
}

TEST_CASE("a typical magnitude, whatever zeros and masks there are") {
  auto typical = [](const std::vector<float> &tensor) {
    return typicalMagnitude({ElementType::f32, {int64_t(tensor.size())}}, tensor.data());
  };
  CHECK(typical({4, -1, 3, -2}) == 2);
  CHECK(typical({0, 0, 0, 0, 4, -1, 3, -2, infinity, notANumber}) == 2);
  CHECK(typical({-1e30f, -1e30f, 4, -1, 3, -2}) == 2);
  CHECK(typical({5}) == 5);
  CHECK(typical({0, infinity}) == 0);
  CHECK(typical({}) == 0);
}

TEST_CASE("subscripts") {
  CHECK(subscriptsOf({ElementType::f32, {2, 3, 4}}, 23) == std::vector<int64_t>{1, 2, 3});
  CHECK(subscriptsOf({ElementType::f32, {2, 3, 4}}, 4) == std::vector<int64_t>{0, 1, 0});
  CHECK(subscriptsOf({ElementType::f32, {}}, 0).empty());
}
