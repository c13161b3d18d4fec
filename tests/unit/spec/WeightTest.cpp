// Weights of every source, down to their bytes.
#include "spec/Weights.h"

#include "TemporaryFolder.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace kgen;

namespace {

/// The bytes of weight w, declared as in a spec.
std::vector<char> load(const std::string &declaration, std::string *errors = nullptr) {
  Diagnostics diagnostics;
  std::string text = "library: a\ngraphs:\n  - name: f\n    weights:\n      w: " + declaration +
                     "\n    outputs: [w]\n";
  std::string path = KGEN_SOURCE_DIR "/tests/errors/a.yaml";
  auto spec = parseLibraryText(text, path, diagnostics);
  WeightData data;
  if (spec)
    data = WeightLoader().load(spec->graphs[0].weights[0], diagnostics);
  if (errors)
    *errors = diagnostics.str();
  else
    INFO(diagnostics.str());
  REQUIRE((data != nullptr) == !diagnostics.hasErrors());
  REQUIRE((errors || data));
  return data ? *data : std::vector<char>();
}

template <typename T> std::vector<T> loadAs(const std::string &declaration) {
  std::vector<char> bytes = load(declaration);
  std::vector<T> values(bytes.size() / sizeof(T));
  REQUIRE(values.size() * sizeof(T) == bytes.size());
  if (!bytes.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

} // namespace

TEST_CASE("values: nested, flat, one for all, empty") {
  using F = std::vector<float>;
  CHECK(loadAs<float>("{type: \"f32[2, 2]\", value: [[1, 2], [3, 4.5]]}") == F{1, 2, 3, 4.5f});
  CHECK(loadAs<float>("{type: \"f32[2, 2]\", value: [1, 2, 3, 4]}") == F{1, 2, 3, 4});
  CHECK(loadAs<float>("{type: \"f32[2, 2]\", value: -0.5}") == F{-0.5f, -0.5f, -0.5f, -0.5f});
  CHECK(loadAs<float>("{type: \"f32[]\", value: 3}") == F{3});
  CHECK(loadAs<float>("{type: \"f32[1, 1]\", value: [[7]]}") == F{7});
  CHECK(loadAs<float>("{type: \"f32[0]\", value: []}").empty());
  CHECK(loadAs<float>("{type: \"f32[2, 0]\", value: [[], []]}").empty());
  CHECK(loadAs<float>("{type: \"f32[0]\", value: 1}").empty());
}

TEST_CASE("values that are not finite are written as YAML does") {
  auto values = loadAs<float>("{type: \"f32[4]\", value: [.inf, -.inf, .nan, -0.0]}");
  CHECK(values[0] == INFINITY);
  CHECK(values[1] == -INFINITY);
  CHECK(std::isnan(values[2]));
  CHECK(std::signbit(values[3]));
}

TEST_CASE("values are rounded to the type") {
  using H = std::vector<uint16_t>;
  CHECK(loadAs<uint16_t>("{type: \"f16[3]\", value: [1, 65504, 0.1]}") ==
        H{0x3c00, 0x7bff, 0x2e66});
  CHECK(loadAs<uint16_t>("{type: \"bf16[4]\", value: [1, 0.1, -2, 1.00390625]}") ==
        H{0x3f80, 0x3dcd, 0xc000, 0x3f80});
  CHECK(loadAs<float>("{type: \"f32[1]\", value: [16777217]}") == std::vector<float>{16777216});
  CHECK(loadAs<float>("{type: \"f32[1]\", value: [3.4028235e38]}") ==
        std::vector<float>{3.4028235e38f});
  CHECK(loadAs<double>("{type: \"f64[1]\", value: [0.1]}") == std::vector<double>{0.1});
}

TEST_CASE("values beyond the type are errors") {
  for (std::string declaration :
       {"{type: \"f16[1]\", value: [65520]}", "{type: \"bf16[1]\", value: [3.4e38]}",
        "{type: \"f32[1]\", value: [3.4028236e38]}"}) {
    std::string errors;
    load(declaration, &errors);
    CHECK_THAT(errors, Catch::Contains("expected a number that fits"));
  }
}

TEST_CASE("integers are exact to the ends of their range") {
  CHECK(loadAs<int64_t>("{type: \"i64[3]\", value: [9223372036854775807, -9223372036854775808, "
                        "9007199254740993]}") ==
        std::vector<int64_t>{INT64_MAX, INT64_MIN, 9007199254740993});
  CHECK(loadAs<int32_t>("{type: \"i32[2]\", value: [-2147483648, +7]}") ==
        std::vector<int32_t>{INT32_MIN, 7});
  CHECK(loadAs<int8_t>("{type: \"i8[2]\", value: [-128, 127]}") == std::vector<int8_t>{-128, 127});
  CHECK(loadAs<uint8_t>("{type: \"u8[2]\", value: [0, 255]}") == std::vector<uint8_t>{0, 255});
  CHECK(loadAs<uint8_t>("{type: \"bool[4]\", value: [true, false, 0, 1]}") ==
        std::vector<uint8_t>{1, 0, 0, 1});
}

TEST_CASE("files of all versions and both formats") {
  std::vector<float> expected = {1, 2, 3};
  for (std::string file :
       {"f32.npy", "f32-v2.npy", "f32-v3.npy", "good.safetensors, tensor: weight"})
    CHECK(loadAs<float>("{type: \"f32[3]\", file: weights/" + file + "}") == expected);
  CHECK(loadAs<double>("{type: \"f64[3]\", file: weights/f64.npy}") ==
        std::vector<double>{1, 2, 3});
  CHECK(loadAs<uint8_t>("{type: \"bool[3]\", file: weights/bool.npy}") ==
        std::vector<uint8_t>{0, 1, 1});
}

TEST_CASE("a tensor is called like the weight unless the spec says otherwise") {
  std::string errors;
  load("{type: \"f32[3]\", file: weights/good.safetensors}", &errors);
  CHECK_THAT(errors, Catch::Contains("it has no tensor 'w'; it has 'weight'"));
}

TEST_CASE("a folder is not a weight file") {
  test::TemporaryFolder folder;
  folder.write("w.npy/x", "");
  std::string errors;
  load("{type: \"f32[3]\", file: " + folder.path("w.npy") + "}", &errors);
  CHECK_THAT(errors, Catch::Contains("it is a folder, not a file"));
}

TEST_CASE("integers keep all their bits") {
  CHECK(loadAs<uint64_t>(
            "{type: \"u64[3]\", value: [18446744073709551615, 9223372036854775808, 0]}") ==
        std::vector<uint64_t>{UINT64_MAX, uint64_t(1) << 63, 0});
  CHECK(loadAs<uint32_t>("{type: \"u32[2]\", value: [4294967295, 1]}") ==
        std::vector<uint32_t>{UINT32_MAX, 1});
  CHECK(loadAs<int16_t>("{type: \"i16[2]\", value: [-32768, 32767]}") ==
        std::vector<int16_t>{INT16_MIN, INT16_MAX});
}

TEST_CASE("floats of 8 bits are rounded, and what does not fit is an error") {
  CHECK(loadAs<uint8_t>("{type: \"f8e4m3fn[5]\", value: [1, 448, 464, -0.0009765625, .nan]}") ==
        std::vector<uint8_t>{0x38, 0x7e, 0x7e, 0x80, 0x7f});
  CHECK(loadAs<uint8_t>("{type: \"f8e5m2[4]\", value: [1, 61439, 1e-5, -.inf]}") ==
        std::vector<uint8_t>{0x3c, 0x7b, 0x01, 0xfc});
  for (uint8_t v : loadAs<uint8_t>("{type: \"f8e4m3fn[1000]\", random: {seed: 3}}"))
    REQUIRE((v & 0x7f) <= 0x30); // 0.5
}

TEST_CASE("elements of four bits are two a byte in files, the lower bits first") {
  test::TemporaryFolder folder;
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n";
  folder.write("w.npy", "\x93NUMPY\x01" + std::string(1, '\0') + static_cast<char>(header.size()) +
                            std::string(1, '\0') + header + "\x2f\x98");
  std::string file = ", file: " + folder.path("w.npy") + "}";
  CHECK(loadAs<int8_t>("{type: \"i4[2, 2]\"" + file) == std::vector<int8_t>{-1, 2, -8, -7});
  CHECK(loadAs<uint8_t>("{type: \"u4[3]\"" + file) == std::vector<uint8_t>{15, 2, 8});
  std::string errors;
  load("{type: \"i4[5]\"" + file, &errors);
  CHECK_THAT(errors, Catch::Contains(
                         "expected 3 elements of u8 or i8, each with two of i4[5], found u8[2]"));
}

TEST_CASE("random numbers are the documented ones") {
  // SplitMix64's first outputs for seed 1234567, as published by its authors.
  const uint64_t known[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u};
  auto doubles = loadAs<double>("{type: \"f64[3]\", random: {seed: 1234567}}");
  auto floats = loadAs<float>("{type: \"f32[3]\", random: {seed: 1234567}}");
  auto bytes = loadAs<int8_t>("{type: \"i8[3]\", random: {seed: 1234567}}");
  for (size_t i = 0; i < 3; ++i) {
    CHECK(doubles[i] == std::ldexp(double(known[i] >> 11), -53) - 0.5);
    CHECK(floats[i] == std::ldexp(float(known[i] >> 40), -24) - 0.5f);
    CHECK(bytes[i] == int(known[i] >> 60) - 8);
  }
}

TEST_CASE("random numbers stay in their ranges and use them") {
  float low = 1, high = -1;
  double sum = 0;
  auto values = loadAs<float>("{type: \"f32[100, 100]\", random: {seed: 3}}");
  for (float v : values) {
    low = std::min(low, v);
    high = std::max(high, v);
    sum += v;
  }
  CHECK(low >= -0.5f);
  CHECK(low < -0.49f);
  CHECK(high < 0.5f);
  CHECK(high > 0.49f);
  CHECK(std::abs(sum / 10000) < 0.02);
  for (uint8_t v : loadAs<uint8_t>("{type: \"bool[1000]\", random: {seed: 3}}"))
    REQUIRE(v <= 1);
  for (uint8_t v : loadAs<uint8_t>("{type: \"u8[1000]\", random: {seed: 3}}"))
    REQUIRE(v <= 15);
  for (uint8_t v : loadAs<uint8_t>("{type: \"u4[1000]\", random: {seed: 3}}"))
    REQUIRE(v <= 15);
  for (uint64_t v : loadAs<uint64_t>("{type: \"u64[1000]\", random: {seed: 3}}"))
    REQUIRE(v <= 15);
  for (int16_t v : loadAs<int16_t>("{type: \"i16[1000]\", random: {seed: 3}}"))
    REQUIRE((v >= -8 && v <= 7));
  CHECK(load("{type: \"f32[4]\", random: {seed: 1}}") !=
        load("{type: \"f32[4]\", random: {seed: 2}}"));
}
