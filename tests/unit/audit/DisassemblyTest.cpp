// The audit by LLVM's disassembler, which AArch64 has: what it accepts, and planted instructions
// that it finds.
#include "backend/Backend.h"
#include "codegen/ObjectCode.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

constexpr const char *triple = "aarch64-unknown-linux-gnu";

/// The report on an object that has these instructions, in a target with these features.
llvm::Expected<AuditReport> audit(const std::string &instructions,
                                  const std::vector<std::string> &features) {
  llvm::Expected<std::string> object = assemble(
      "\t.arch armv8.6-a+sve\n\t.arch_extension dotprod\n\t.arch_extension i8mm\n" + instructions,
      triple);
  if (!object)
    return object.takeError();
  return backendOf(triple)->audit(*object, features, "graph.target");
}

/// The audit's message; empty: accepted.
std::string message(const std::string &instructions, const std::vector<std::string> &features) {
  llvm::Expected<AuditReport> report = audit(instructions, features);
  return report ? "" : llvm::toString(report.takeError());
}

} // namespace

TEST_CASE("the disassembler accepts instructions of the target") {
  CHECK(message("fmla v0.4s, v1.4s, v2.s[1]\nldr q0, [x0]\nbti c\nret", {"neon"}) == "");
  CHECK(message("sdot v0.4s, v1.16b, v2.4b[3]", {"neon", "dotprod"}) == "");
  CHECK(message("usdot v0.4s, v1.16b, v2.16b", {"neon", "dotprod", "i8mm"}) == "");
}

TEST_CASE("the disassembler finds planted instructions, and says which feature they need") {
  CHECK(message("ret\nsdot v0.4s, v1.16b, v2.4b[3]\nret", {"neon"}) ==
        "graph.target: 1 instruction(s) outside the target:\n"
        "  .text+0x4: sdot v0.4s, v1.16b, v2.4b[3]: needs dotprod");
  CHECK_THAT(message("usdot v0.4s, v1.16b, v2.16b", {"neon", "dotprod"}),
             Catch::Contains("usdot v0.4s, v1.16b, v2.16b: needs i8mm"));
  CHECK_THAT(message("fadd z0.s, z1.s, z2.s", {"neon", "dotprod"}),
             Catch::Contains(".text+0x0: bytes that are no instruction of a target with these "
                             "features"));
  std::string many;
  for (int i = 0; i < 12; ++i)
    many += "fmla v0.8h, v1.8h, v2.8h\n";
  CHECK_THAT(message(many, {"neon"}),
             Catch::StartsWith("graph.target: 12 instruction(s) outside the target:\n") &&
                 Catch::EndsWith("\n  and 2 more"));
}

TEST_CASE("the disassembler counts instructions on vectors") {
  llvm::Expected<AuditReport> report =
      audit("fmla v0.4s, v1.4s, v2.4s\nfmla v3.4s, v1.4s, v2.s[1]\nadd x0, x1, x2\nret", {"neon"});
  REQUIRE(bool(report));
  CHECK(report->instructions == 4);
  CHECK(report->vectorInstructions ==
        std::map<std::pair<std::string, unsigned>, uint64_t>{{{"fmla", 128}, 2}});
}

TEST_CASE("the disassembler refuses what is no object of the architecture") {
  auto failure = [](llvm::ArrayRef<char> object) {
    llvm::Expected<AuditReport> report = backendOf(triple)->audit(object, {}, "graph.target");
    return report ? "" : llvm::toString(report.takeError());
  };
  CHECK_THAT(failure(llvm::StringRef("text")), Catch::StartsWith("graph.target: not an object"));
  llvm::Expected<std::string> other = assemble("ret", "x86_64-unknown-linux-gnu");
  REQUIRE(bool(other));
  CHECK(failure(*other) == "graph.target: not an object for aarch64");
}
