// The object of a large constant, made without its bytes.
#include "codegen/ObjectCode.h"

#include <catch2/catch.hpp>

using namespace kgen;

TEST_CASE("the parts of a constant's object are those of the whole") {
  const std::string triple = "x86_64-unknown-linux-gnu";
  for (size_t size : {1, 2, 7, 8, 63, 64, 65, 4096, 100003}) {
    INFO(size);
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<char>(i * i + 1);
    auto whole = emitData("mylib_weights_0123", bytes, triple, CodeKind::object);
    auto parts = dataObject("mylib_weights_0123", size, triple);
    REQUIRE(bool(whole));
    REQUIRE(bool(parts));
    CHECK(parts->head + bytes + parts->tail == *whole);
    bytes.assign(size, '\0'); // zeros are read-only data, too
    whole = emitData("mylib_weights_0123", bytes, triple, CodeKind::object);
    REQUIRE(bool(whole));
    CHECK(parts->head + bytes + parts->tail == *whole);
  }
}
