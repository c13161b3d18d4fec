// The audit of RISC-V's objects: features that each CPU has need not be named, lengths of registers
// are no instructions.
#include "backend/Backend.h"
#include "codegen/ObjectCode.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

constexpr const char *riscvTriple = "riscv64-unknown-linux-gnu";

/// The audit's message; empty: accepted.
std::string offencesOf(const std::string &instructions, const std::vector<std::string> &features) {
  llvm::Expected<std::string> object =
      assemble("\t.option arch, +v, +zbb\n" + instructions, riscvTriple);
  REQUIRE(bool(object));
  llvm::Expected<AuditReport> report =
      backendOf(riscvTriple)->audit(*object, features, "graph.target");
  return report ? "" : llvm::toString(report.takeError());
}

} // namespace

TEST_CASE("RISC-V's audit accepts what the target has") {
  CHECK(offencesOf("fmadd.d fa0, fa1, fa2, fa3\nc.addi a0, 1\nret", {}) == "");
  CHECK(offencesOf("vsetivli zero, 4, e32, m1, ta, ma\nvfmacc.vf v1, fa0, v2", {"v"}) == "");
}

TEST_CASE("RISC-V's audit finds planted instructions, after compressed ones") {
  CHECK(offencesOf("c.addi a0, 1\nvfmacc.vf v1, fa0, v2\nret", {"c"}) ==
        "graph.target: 1 instruction(s) outside the target:\n"
        "  .text+0x2: vfmacc.vf v1, fa0, v2: needs v");
  CHECK_THAT(offencesOf("min a0, a1, a2", {"v"}), Catch::Contains("min a0, a1, a2: needs zbb"));
}
