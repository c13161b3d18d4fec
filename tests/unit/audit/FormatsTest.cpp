// Symbols of objects for Windows and macOS, by the names that they have in C.
#include "codegen/Audit.h"
#include "codegen/ObjectCode.h"
#include "codegen/ObjectFormat.h"

#include <catch2/catch.hpp>

using namespace kgen;
using Catch::Contains;

namespace {

std::string messageOf(llvm::Error error) { return llvm::toString(std::move(error)); }

} // namespace

TEST_CASE("symbols of COFF and Mach-O") {
  const std::string triple = GENERATE("x86_64-w64-windows-gnu", "x86_64-apple-macosx11.0.0");
  INFO(triple);
  auto object = assemble(
      std::string("  .text\n  .globl ") + (triple.find("apple") != std::string::npos ? "_" : "") +
          "mlp_f\n" + (triple.find("apple") != std::string::npos ? "_" : "") + "mlp_f:\n  call " +
          (triple.find("apple") != std::string::npos ? "_" : "") + "sin\n",
      triple);
  REQUIRE(bool(object));
  CHECK_THAT(messageOf(auditSymbols(*object, "mlp_", "f", {})),
             Contains("needs 'sin', which generated code must not call"));
  CHECK_THAT(messageOf(auditSymbols(*object, "net_", "f", {"sin"})),
             Contains("exports 'mlp_f', which does not begin with 'net_'"));
  CHECK(llvm::cantFail(definesFunction(*object, "mlp_f")));
  CHECK_FALSE(llvm::cantFail(definesFunction(*object, "mlp_g")));
}

TEST_CASE("constants of all formats are the library's own") {
  const std::string triple =
      GENERATE("x86_64-unknown-linux-gnu", "x86_64-w64-windows-gnu", "arm64-apple-macosx11.0.0");
  INFO(triple);
  auto object = emitData("mlp_w", std::string(100, 'x'), triple, CodeKind::object);
  REQUIRE(bool(object));
  CHECK(messageOf(auditSymbols(*object, "mlp_", "w", {})) == "");
  auto symbols = symbolsOf(*object);
  REQUIRE(bool(symbols));
  bool isThere = false;
  for (const ObjectSymbol &symbol : *symbols)
    isThere |= symbol.name == "mlp_w" && symbol.bytes == 100 && symbol.isHidden;
  CHECK(isThere);
}

TEST_CASE("objects that must show a symbol are not hidden on macOS") {
  auto object =
      assemble("  .data\n  .globl _mlp_w\n_mlp_w:\n  .byte 1\n", "arm64-apple-macosx11.0.0");
  REQUIRE(bool(object));
  CHECK_THAT(messageOf(auditSymbols(*object, "mlp_", "w", {})), Contains("'mlp_w' is not hidden"));
}
