// The readers of .npy and safetensors on bytes in memory. Bad files are in tests/errors.
#include "spec/WeightFiles.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

std::string npy(const std::string &header, const std::string &data, char major = 1) {
  std::string length = {char(header.size() & 255), char(header.size() >> 8)};
  if (major > 1)
    length += std::string(2, '\0');
  return std::string("\x93NUMPY") + major + '\0' + length + header + data;
}

std::string safetensors(const std::string &header, const std::string &data) {
  std::string length(8, '\0');
  length[0] = char(header.size() & 255);
  length[1] = char(header.size() >> 8);
  return length + header + data;
}

llvm::Expected<FileTensor> tensorOf(llvm::StringRef file, const std::string &name) {
  llvm::Expected<SafetensorsFile> parsed = SafetensorsFile::parse(file);
  return parsed ? parsed->find(name) : parsed.takeError();
}

std::string outcome(llvm::Expected<FileTensor> tensor) {
  return tensor ? tensor->type.str() : llvm::toString(tensor.takeError());
}

} // namespace

TEST_CASE("headers as NumPy has written them over the years") {
  const std::string data(24, '\0');
  for (std::string header : {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }   \n",
                             "{'shape': (3L, 2L), 'fortran_order': False, 'descr': '<f4'}",
                             "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(3,2)}"})
    CHECK(outcome(readNpy(npy(header, data))) == "f32[3, 2]");
  CHECK(outcome(readNpy(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
                            std::string(8, 0)))) == "f64[]");
  CHECK(outcome(readNpy(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (0, 5), }", ""))) ==
        "i64[0, 5]");
  CHECK(outcome(readNpy(npy("{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }", "ab",
                            3))) == "f16[1]");
}

TEST_CASE("all element types of .npy") {
  const std::pair<const char *, const char *> types[] = {
      {"<f4", "f32[2]"}, {"<f8", "f64[2]"}, {"<f2", "f16[2]"}, {"|i1", "i8[2]"},
      {"|u1", "u8[2]"},  {"<i2", "i16[2]"}, {"<u2", "u16[2]"}, {"<i4", "i32[2]"},
      {"<u4", "u32[2]"}, {"<i8", "i64[2]"}, {"<u8", "u64[2]"}, {"|b1", "bool[2]"}};
  for (auto [name, type] : types) {
    size_t width = name[1] == 'b' ? 1 : size_t(name[2] - '0');
    std::string header =
        std::string("{'descr': '") + name + "', 'fortran_order': False, 'shape': (2,)}";
    CHECK(outcome(readNpy(npy(header, std::string(2 * width, '\0')))) == type);
  }
  CHECK_THAT(outcome(readNpy(npy("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}", "ab"))),
             Catch::Contains("bf16 needs a safetensors file"));
}

TEST_CASE("headers that are not NumPy's") {
  for (std::string header :
       {"", "{", "{}", "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr: '<f4', 'fortran_order': False, 'shape': (1,)}"}) {
    INFO(header);
    CHECK(outcome(readNpy(npy(header, "abcd"))) == "its header is malformed");
  }
}

TEST_CASE("every prefix of a good file is refused") {
  std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "abcd");
  REQUIRE(outcome(readNpy(good)) == "f32[1]");
  for (size_t n = 0; n < good.size(); ++n)
    CHECK(outcome(readNpy(llvm::StringRef(good).take_front(n))) != "f32[1]");
  std::string tensors =
      safetensors(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})", "abcd");
  REQUIRE(outcome(tensorOf(tensors, "a")) == "i8[4]");
  for (size_t n = 0; n < tensors.size(); ++n)
    CHECK(outcome(tensorOf(llvm::StringRef(tensors).take_front(n), "a")) != "i8[4]");
}

TEST_CASE("the right bytes of a safetensors file") {
  std::string file = safetensors(R"({"b":{"dtype":"BF16","shape":[2,1],"data_offsets":[3,7]},)"
                                 R"("a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                                 R"("e":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[7,8]},)"
                                 R"("__metadata__":{"k":"v"}})",
                                 "abcdefgh");
  auto b = tensorOf(file, "b");
  REQUIRE(bool(b));
  CHECK(b->type.str() == "bf16[2, 1]");
  CHECK(b->bytes == "defg");
  auto a = tensorOf(file, "a");
  REQUIRE(bool(a));
  CHECK(a->bytes == "abc");
}

TEST_CASE("all element types of safetensors") {
  const std::pair<const char *, const char *> types[] = {
      {"F32", "f32[1]"},       {"F64", "f64[1]"},
      {"F16", "f16[1]"},       {"BF16", "bf16[1]"},
      {"I8", "i8[1]"},         {"U8", "u8[1]"},
      {"I16", "i16[1]"},       {"U16", "u16[1]"},
      {"I32", "i32[1]"},       {"U32", "u32[1]"},
      {"I64", "i64[1]"},       {"U64", "u64[1]"},
      {"BOOL", "bool[1]"},     {"F8_E4M3", "f8e4m3fn[1]"},
      {"F8_E5M2", "f8e5m2[1]"}};
  for (auto [name, type] : types) {
    std::string expected = type;
    size_t bytes = byteWidth(*parseElementType(expected.substr(0, expected.find('['))));
    std::string header = std::string(R"({"a":{"dtype":")") + name +
                         R"(","shape":[1],"data_offsets":[0,)" + std::to_string(bytes) + "]}}";
    CHECK(outcome(tensorOf(safetensors(header, std::string(bytes, '\0')), "a")) == expected);
  }
}

TEST_CASE("headers that are not safetensors'") {
  const std::string entry = R"("dtype":"I8","shape":[4],"data_offsets":[0,4])";
  for (std::string header :
       {std::string("[]"), std::string("1"), std::string("{\"a\":1}"), std::string("{\"a\":{}}"),
        std::string(R"({"a":{"dtype":1,"shape":[4],"data_offsets":[0,4]}})"),
        std::string(R"({"a":{"dtype":"I8","shape":4,"data_offsets":[0,4]}})"),
        std::string(R"({"a":{"dtype":"I8","shape":[4.0],"data_offsets":[0,4]}})"),
        std::string(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0]}})"),
        std::string(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[4,0]}})"),
        std::string(
            R"({"a":{"dtype":"I8","shape":[18446744073709551615,4],"data_offsets":[0,4]}})"),
        std::string(R"({"a":{"dtype":"I8","shape":[4294967296,4294967296],"data_offsets":[0,4]}})"),
        "{\"a\":{" + entry + "}} x", "{\"a\":{" + entry + "}", std::string(),
        "{\"a\":{\"\xFF\":1," + entry + "}}"}) {
    INFO(header);
    std::string result = outcome(tensorOf(safetensors(header, "abcd"), "a"));
    CHECK(result != "i8[4]");
    CHECK(!result.empty());
  }
}
