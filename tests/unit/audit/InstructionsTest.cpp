// The audit against an independent oracle: GNU as accepts an instruction for a set of ISA
// extensions if and only if the audit accepts it for the same features.
#include "Assemble.h"

#include "backend/x86/Audit.h"

#include <catch2/catch.hpp>

#include <map>

using namespace kgen;
using namespace kgen::test;

namespace {
struct Level {
  const char *name;
  std::vector<std::string> features; ///< each contains the one before
  std::string march;                 ///< what GNU as calls the same
};

std::vector<Level> levels() {
  struct Step {
    const char *name;
    std::vector<std::string> features;
    const char *march;
  };
  const Step steps[] = {
      {"baseline", {}, "generic64"},
      {"v2",
       {"cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"},
       "+cx16+popcnt+sse3+ssse3+sse4.1+sse4.2"},
      {"avx", {"avx", "xsave"}, "+avx+xsave"},
      {"fma", {"fma", "f16c"}, "+fma+f16c"},
      {"v3", {"avx2", "bmi", "bmi2", "lzcnt", "movbe"}, "+avx2+bmi+bmi2+lzcnt+movbe"},
      {"avxvnni", {"avxvnni"}, "+avx_vnni"},
      {"avx512f", {"avx512f"}, "+avx512f"},
      {"v4",
       {"avx512bw", "avx512cd", "avx512dq", "avx512vl"},
       "+avx512bw+avx512cd+avx512dq+avx512vl"},
      {"vnni", {"avx512vnni"}, "+avx512_vnni"},
      {"bf16", {"avx512bf16"}, "+avx512_bf16"},
      {"icelake",
       {"avx512vbmi", "avx512vbmi2", "avx512ifma", "avx512bitalg", "avx512vpopcntdq", "gfni", "aes",
        "vaes", "pclmul", "vpclmulqdq", "sha"},
       "+avx512vbmi+avx512_vbmi2+avx512ifma+avx512_bitalg+avx512_vpopcntdq+gfni+aes+vaes+pclmul+"
       "vpclmulqdq+sha"},
      {"fp16", {"avx512fp16"}, "+avx512_fp16"},
      {"amx", {"amx-tile", "amx-int8", "amx-bf16"}, "+amx_tile+amx_int8+amx_bf16"},
  };
  std::vector<Level> result;
  Level level{};
  for (const Step &step : steps) {
    level.name = step.name;
    level.features.insert(level.features.end(), step.features.begin(), step.features.end());
    level.march += step.march;
    result.push_back(level);
  }
  return result;
}

const char *instructions[] = {
    // x86-64
    "add rax, [rdi + 8*rcx]",
    "imul eax, ecx",
    "bswap eax",
    "cmpxchg [rdi], eax",
    "cmovl eax, ecx",
    "movaps xmm0, xmm1",
    "addpd xmm0, xmm1",
    "pmuludq xmm0, xmm1",
    "cvttss2si eax, xmm0",
    "movnti [rdi], eax",
    "prefetcht0 [rdi]",
    "pause",
    "mfence",
    "sfence",
    "fxsave [rdi]",
    "movq mm0, mm1",
    "fld dword ptr [rdi]",
    "rep movsb",
    "cpuid",
    "syscall",
    // v2
    "haddps xmm0, xmm1",
    "lddqu xmm0, [rdi]",
    "pshufb xmm0, xmm1",
    "pmaddubsw xmm0, xmm1",
    "pmulld xmm0, xmm1",
    "roundps xmm0, xmm1, 3",
    "dpps xmm0, xmm1, 255",
    "pcmpgtq xmm0, xmm1",
    "crc32 eax, ecx",
    "popcnt eax, ecx",
    "cmpxchg16b [rdi]",
    "ptest xmm0, xmm1",
    "insertps xmm0, xmm1, 0",
    // AVX to v3
    "vaddps ymm0, ymm1, ymm2",
    "vaddss xmm0, xmm1, xmm2",
    "vmaskmovps ymm0, ymm1, [rdi]",
    "vzeroupper",
    "vbroadcastss ymm0, [rdi]",
    "vbroadcastss ymm0, xmm1",
    "vpaddd xmm0, xmm1, xmm2",
    "vpaddd ymm0, ymm1, ymm2",
    "vfmadd213pd ymm0, ymm1, ymm2",
    "vfnmadd231ss xmm0, xmm1, xmm2",
    "vcvtps2ph xmm0, ymm1, 0",
    "vpermd ymm0, ymm1, ymm2",
    "vgatherdps ymm0, [rdi + 4*ymm1], ymm2",
    "vpmaddubsw ymm0, ymm1, ymm2",
    "andn eax, ecx, edx",
    "blsr eax, ecx",
    "lzcnt eax, ecx",
    "pdep eax, ecx, edx",
    "rorx eax, ecx, 3",
    "mulx eax, ecx, edx",
    "movbe eax, [rdi]",
    "xgetbv",
    "{vex} vpdpbusd ymm0, ymm1, ymm2",
    // AVX-512
    "vaddps zmm0, zmm1, zmm2",
    "vaddps zmm0{k1}, zmm1, zmm2",
    "vaddss xmm16, xmm1, xmm2",
    "vmovd xmm16, eax",
    "vaddps ymm16, ymm1, ymm2",
    "vaddps xmm0{k1}, xmm1, xmm2",
    "vmovdqu8 zmm0{k1}, [rdi]",
    "vmovdqu8 ymm0{k1}, [rdi]",
    "vpmaddwd zmm0, zmm1, zmm2",
    "kmovw k1, eax",
    "kmovb k1, eax",
    "kmovd k1, eax",
    "kshiftrq k1, k2, 3",
    "vandps zmm0, zmm1, zmm2",
    "vpmullq ymm0, ymm1, ymm2",
    "vpconflictd zmm0, zmm1",
    "vplzcntd ymm0, ymm1",
    "vrndscaleps zmm0, zmm1, 3",
    "vcvtps2ph ymm0, zmm1, 0",
    "vpextrb eax, xmm16, 1",
    "vrangeps zmm0, zmm1, zmm2, 3",
    "vscalefps zmm0, zmm1, zmm2",
    "vpdpbusd zmm0, zmm1, zmm2",
    "{evex} vpdpbusd ymm0, ymm1, ymm2",
    "vpdpwssd ymm16, ymm1, ymm2",
    "vdpbf16ps zmm0, zmm1, zmm2",
    "vdpbf16ps ymm0, ymm1, ymm2",
    "vcvtne2ps2bf16 zmm0, zmm1, zmm2",
    "vpermb zmm0, zmm1, zmm2",
    "vpcompressb zmm0{k1}, zmm1",
    "vpmadd52luq zmm0, zmm1, zmm2",
    "vpopcntb zmm0, zmm1",
    "vpopcntd ymm0, ymm1",
    "gf2p8mulb xmm0, xmm1",
    "vgf2p8mulb ymm0, ymm1, ymm2",
    "vgf2p8mulb zmm0, zmm1, zmm2",
    "aesenc xmm0, xmm1",
    "vaesenc xmm0, xmm1, xmm2",
    "vaesenc ymm0, ymm1, ymm2",
    "vaesenc zmm0, zmm1, zmm2",
    "pclmulqdq xmm0, xmm1, 0",
    "vpclmulqdq xmm0, xmm1, xmm2, 0",
    "vpclmulqdq ymm0, ymm1, ymm2, 0",
    "vpclmulqdq zmm0, zmm1, zmm2, 0",
    "sha256rnds2 xmm0, xmm1",
    // AVX512-FP16 and AMX
    "vaddph zmm0, zmm1, zmm2",
    "vfmadd231ph ymm0, ymm1, ymm2",
    "vaddsh xmm0, xmm1, xmm2",
    "vmovw xmm0, eax",
    "vcvtps2phx ymm0, zmm1",
    "ldtilecfg [rdi]",
    "tilezero tmm0",
    "tileloadd tmm0, [rdi + rcx]",
    "tdpbssd tmm0, tmm1, tmm2",
    "tdpbf16ps tmm0, tmm1, tmm2",
    // no feature of ours
    "rdtscp",
    "vmcall",
    "clzero",

    "vfmaddps xmm0, xmm1, xmm2, xmm3",
    "extrq xmm0, xmm1",
    "xbegin .+6",
};

/// The names of the levels at which GNU as accepts each instruction. One run for a level: as
/// complains by line.
std::map<std::string, std::string> acceptedByAs() {
  std::map<std::string, std::string> accepted;
  std::string text;
  for (const char *instruction : instructions)
    text += std::string(instruction) + "\n";
  for (const Level &level : levels()) {
    std::set<size_t> refused = refusedLines(text, level.march);
    size_t line = 0;
    for (const char *instruction : instructions)
      if (!refused.count(++line))
        accepted[instruction] += std::string(" ") + level.name;
  }
  return accepted;
}

/// Returns the levels at which the audit accepts the object; the last complaint goes to `message`.
std::string acceptedByAudit(const std::vector<char> &object, std::string &message) {
  std::string accepted;
  for (const Level &level : levels()) {
    llvm::Expected<AuditReport> report = auditObject(object, level.features, "x");
    if (report)
      accepted += std::string(" ") + level.name;
    else
      message = llvm::toString(report.takeError());
  }
  return accepted;
}
} // namespace

TEST_CASE("the audit agrees with GNU as on every instruction and level") {
  std::map<std::string, std::string> expected = acceptedByAs();
  for (const char *instruction : instructions) {
    auto object = assemble(instruction);
    std::string message;
    INFO(instruction);
    REQUIRE(object);
    std::string accepted = acceptedByAudit(*object, message);
    INFO(message);
    CHECK(accepted == expected[instruction]);
  }
}
