// Symbols that objects may export and need.
#include "Assemble.h"

#include "codegen/Audit.h"

#include <catch2/catch.hpp>

using namespace kgen;
using namespace kgen::test;

namespace {
std::string audit(const std::string &assembly) {
  auto object = assemble(assembly);
  REQUIRE(object);
  return llvm::toString(auditSymbols(*object, "mlp_", "forward.v3"));
}
} // namespace

TEST_CASE("hidden symbols with the prefix, memcpy and memset are fine") {
  CHECK(
      audit(
          ".globl mlp_forward\n.hidden mlp_forward\nmlp_forward: call memcpy@PLT\ncall memset@PLT\n"
          "lea rax, [rip + mlp_weights]\nhelper: ret") == "");
}

TEST_CASE("functions that graphs call from outside are fine, and no others") {
  auto object = assemble("call my_nms@PLT\ncall my_other@PLT");
  REQUIRE(object);
  auto audited = [&](std::vector<std::string> externs) {
    return llvm::toString(auditSymbols(*object, "mlp_", "forward.v3", externs));
  };
  CHECK(audited({"my_nms", "my_other"}) == "");
  CHECK_THAT(audited({"my_nms"}), Catch::Contains("needs 'my_other'"));
}

TEST_CASE("everything else is refused") {
  using Catch::Contains;
  CHECK_THAT(audit("call expf@PLT"), Contains("forward.v3: needs 'expf'"));
  CHECK_THAT(audit("call malloc@PLT\ncall free@PLT"), Contains("'malloc'") && Contains("'free'"));
  CHECK_THAT(audit(".globl forward\n.hidden forward\nforward: ret"),
             Contains("does not begin with 'mlp_'"));
  CHECK_THAT(audit(".globl mlp_forward\nmlp_forward: ret"), Contains("is not hidden"));
  CHECK_THAT(audit(".weak mlp_forward\n.hidden mlp_forward\nmlp_forward: ret"),
             Contains("is weak"));
  CHECK_THAT(llvm::toString(auditSymbols({}, "mlp_", "x")), Contains("x: not an object: "));
}
