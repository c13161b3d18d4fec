// The object of a large constant, made without its bytes.
#include "codegen/ObjectCode.h"

#include <catch2/catch.hpp>

#include <llvm/Object/COFF.h>

using namespace kgen;

namespace {

/// Without the sum over a section's bytes, which COFF has for sections that linkers compare.
std::string withoutSums(std::string object) {
  llvm::MemoryBufferRef buffer(object, "object");
  auto parsed = llvm::object::ObjectFile::createObjectFile(buffer);
  REQUIRE(bool(parsed));
  auto *coff = llvm::dyn_cast<llvm::object::COFFObjectFile>(parsed->get());
  if (!coff)
    return object;
  std::string copy = object;
  for (const llvm::object::SymbolRef &symbol : coff->symbols())
    if (const auto *section = coff->getCOFFSymbol(symbol).getSectionDefinition())
      for (size_t i = 0; i < sizeof section->CheckSum; ++i)
        copy[reinterpret_cast<const char *>(&section->CheckSum) - object.data() + i] = 0;
  return copy;
}

} // namespace

TEST_CASE("the parts of a constant's object are those of the whole") {
  const std::string triple = GENERATE("x86_64-unknown-linux-gnu", "x86_64-w64-windows-gnu",
                                      "x86_64-apple-macosx11.0.0", "arm64-apple-macosx11.0.0");
  for (size_t size : {1, 2, 7, 8, 63, 64, 65, 4096, 100003}) {
    INFO(triple << ", " << size);
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<char>(i * i + 1);
    auto whole = emitData("mylib_weights_0123", bytes, triple, CodeKind::object);
    auto parts = dataObject("mylib_weights_0123", size, triple);
    REQUIRE(bool(whole));
    REQUIRE(bool(parts));
    CHECK(withoutSums(parts->head + bytes + parts->tail) == withoutSums(*whole));
    bytes.assign(size, '\0'); // zeros are read-only data, too
    whole = emitData("mylib_weights_0123", bytes, triple, CodeKind::object);
    REQUIRE(bool(whole));
    CHECK(withoutSums(parts->head + bytes + parts->tail) == withoutSums(*whole));
  }
}
