// Reports of the audit about whole objects.
#include "Assemble.h"

#include "backend/x86/Audit.h"
#include "backend/x86/CpuFeatures.h"

#include <Zydis/Zydis.h>
#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace kgen;
using namespace kgen::test;

namespace {
const std::vector<std::string> v2 = {"cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"};
std::vector<std::string> with(std::vector<std::string> features,
                              const std::vector<std::string> &more) {
  features.insert(features.end(), more.begin(), more.end());
  return features;
}
const std::vector<std::string> v3 =
    with(v2, {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"});
const std::vector<std::string> v4 =
    with(v3, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});

/// The audit's message; empty: accepted.
std::string audit(const std::string &assembly, const std::vector<std::string> &features) {
  auto object = assemble(assembly);
  REQUIRE(object);
  llvm::Expected<AuditReport> report = auditObject(*object, features, "graph.target");
  return report ? "" : llvm::toString(report.takeError());
}
} // namespace

TEST_CASE("what is inside the target passes") {
  CHECK(audit("addps xmm0, xmm1\nmov eax, [rdi]\ncmovne eax, ecx\nret", {}) == "");
  CHECK(audit("pshufb xmm0, xmm1\npmulld xmm0, xmm1\npopcnt eax, eax", v2) == "");
  CHECK(audit("vfmadd231ps ymm0, ymm1, [rdi]\nvzeroupper\nshlx eax, ecx, edx\nvcvtph2ps ymm0, xmm1",
              v3) == "");
  CHECK(audit("vfmadd231ps zmm0, zmm1, [rdi]{1to16}\nkmovw k1, eax\nkmovd k1, eax\nvaddps ymm16, "
              "ymm1, ymm2",
              v4) == "");
  CHECK(audit("vpdpbusd zmm0, zmm1, zmm2", with(v4, {"avx512vnni"})) == "");
}

TEST_CASE("what is outside is refused, with place, text and feature") {
  std::string message = audit("ret\nvaddps zmm0, zmm1, zmm2", v3);
  CHECK_THAT(message, Catch::StartsWith("graph.target: 1 instruction(s) outside the target:"));
  CHECK_THAT(message, Catch::Contains(".text+0x1: vaddps zmm0, zmm1, zmm2: needs avx512f"));
  CHECK_THAT(audit("vfmadd231ps xmm0, xmm1, xmm2", v2),
             Catch::Contains("needs") && Catch::Contains("fma"));
  CHECK_THAT(audit("vaddps xmm0, xmm1, xmm2", v2), Catch::Contains("needs avx"));
  CHECK_THAT(audit("shlx eax, ecx, edx", v2), Catch::Contains("needs bmi2"));
  CHECK_THAT(audit("pshufb xmm0, xmm1", {}), Catch::Contains("needs ssse3"));
  CHECK_THAT(audit("vpdpbusd zmm0, zmm1, zmm2", v4), Catch::Contains("needs avx512vnni"));
  CHECK_THAT(audit("vaddps ymm16, ymm1, ymm2", with(v3, {"avx512f"})),
             Catch::Contains("needs avx512vl"));
  CHECK_THAT(audit("tdpbf16ps tmm0, tmm1, tmm2", v4), Catch::Contains("amx-bf16"));
}

TEST_CASE("instructions that the table does not know are refused") {
  CHECK_THAT(audit("vmcall", v4), Catch::Contains("does not know"));
  CHECK_THAT(audit("rdtscp", v4), Catch::Contains("does not know"));
  CHECK_THAT(audit("xbegin 1f\n1: ret", v4), Catch::Contains("does not know"));
}

TEST_CASE("bytes that are no instruction are refused") {
  CHECK_THAT(audit("ret\n.byte 0x06", v4),
             Catch::Contains(".text+0x1: bytes that are no instruction"));
  CHECK_THAT(audit(".byte 0x62, 0xf1", v4), Catch::Contains("no instruction")); // cut off
}

TEST_CASE("bsf may have the prefix that makes it tzcnt on CPUs with bmi") {
  CHECK(audit("tzcnt rax, [rdi]", v2) == "");
  CHECK_THAT(audit("lzcnt rax, [rdi]", v2), Catch::Contains("needs lzcnt"));
}

TEST_CASE("padding and landing pads are fine") {
  CHECK(
      audit(
          "endbr64\nret\n.p2align 6\nret\n.nops 15\n.byte 0x66,0x2e,0x0f,0x1f,0x84,0,0,0,0,0\nint3",
          {}) == "");
}

TEST_CASE("every executable section is read, and no other") {
  CHECK_THAT(audit(".section .text.cold,\"ax\",@progbits\nvaddps ymm0, ymm0, ymm0", v2),
             Catch::Contains(".text.cold+0x0"));
  CHECK_THAT(audit(".section other,\"ax\",@progbits\nvaddps ymm0, ymm0, ymm0", v2),
             Catch::Contains("other+0x0"));
  CHECK(audit(".section .rodata\n.byte 0x06, 0x06", {}) == "");
}

TEST_CASE("many offences are counted, few are shown") {
  std::string message = audit(".rept 25\nvaddps ymm0, ymm0, ymm0\n.endr", v2);
  CHECK_THAT(message, Catch::Contains("25 instruction(s)") && Catch::Contains("and 15 more"));
  CHECK_THAT(message, Catch::Contains(".text+0x24:") && !Catch::Contains(".text+0x28:"));
}

TEST_CASE("the report counts instructions by feature") {
  auto object = assemble(
      "ret\nvaddps ymm0, ymm1, ymm2\nvaddps ymm0, ymm1, ymm2\nvfmadd231ps ymm0, ymm1, ymm2");
  llvm::Expected<AuditReport> report = auditObject(*object, v3, "x");
  REQUIRE(static_cast<bool>(report));
  CHECK(report->instructions == 4);
  std::map<std::string, uint64_t> counts(report->byFeature.begin(), report->byFeature.end());
  CHECK(counts == std::map<std::string, uint64_t>{{"", 1}, {"avx", 3}, {"fma", 1}});
}

TEST_CASE("what is no x86-64 object is an error") {
  auto message = [](std::vector<char> bytes) {
    return llvm::toString(auditObject(bytes, v4, "x").takeError());
  };
  CHECK_THAT(message({'a', 'b'}), Catch::Contains("not an object"));
  CHECK_THAT(message({}), Catch::Contains("not an object"));
  std::vector<char> arm = *assemble("ret");
  arm[18] = static_cast<char>(183); // e_machine: AArch64
  CHECK_THAT(message(arm), Catch::Contains("not an object for x86-64"));
}

TEST_CASE("the feature table is sound") {
  std::set<std::string_view> names, identifiers, zydis;
  for (int i = 0; i <= ZYDIS_ISA_SET_MAX_VALUE; ++i)
    zydis.insert(ZydisISASetGetString(static_cast<ZydisISASet>(i)));
  for (const CpuFeature &feature : cpuFeatures()) {
    INFO(feature.name);
    CHECK(names.insert(feature.name).second);
    CHECK(identifiers.insert(feature.identifier).second);
    CHECK(feature.bit < 32);
    CHECK(std::set<std::string_view>{"eax", "ebx", "ecx", "edx"}.count(feature.reg) == 1);
    for (std::string_view set : feature.isaSets) {
      INFO(set);
      CHECK(zydis.count(set) == 1); // a misspelt set would never match anything
    }
  }
  for (std::string_view set : baseIsaSets())
    CHECK(zydis.count(set) == 1);
  CHECK(cpuFeatures().size() <= 128); // kgenrt_max_features
  CHECK(findCpuFeature("avx2")->bit == 5);
  CHECK(findCpuFeature("avx3") == nullptr);
}
