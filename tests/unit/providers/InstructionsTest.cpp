// Instructions that micro-kernels of integers and of bf16 multiply with.
#include "KernelCase.h"

#include <Zydis/Zydis.h>

#include <llvm/Object/ObjectFile.h>

#include <catch2/catch.hpp>

#include <map>
#include <vector>

using namespace kgen::test;

namespace {

using Counts = std::map<ZydisMnemonic, int>;

/// Calls `visit` for each instruction of an object and its offset; all code of an object is one
/// kernel's and its caller's.
template <typename Visit> void forInstructions(const std::string &object, const Visit &visit) {
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile({object, "kernel"}));
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  for (const llvm::object::SectionRef &section : file->sections()) {
    if (!section.isText())
      continue;
    llvm::StringRef code = llvm::cantFail(section.getContents());
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    int64_t at = 0;
    while (!code.empty() && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(),
                                                                &instruction, operands))) {
      visit(instruction, operands, at);
      at += instruction.length;
      code = code.drop_front(instruction.length);
    }
    CHECK(code.empty());
  }
}

Counts mnemonics(const std::string &object) {
  Counts counts;
  forInstructions(object,
                  [&](const ZydisDecodedInstruction &instruction, const ZydisDecodedOperand *,
                      int64_t) { ++counts[instruction.mnemonic]; });
  return counts;
}

/// Returns what is between a jump backwards and where it goes, for each that has no other one in
/// between.
std::vector<Counts> innermostLoops(const std::string &object) {
  std::map<int64_t, ZydisMnemonic> all;
  std::vector<std::pair<int64_t, int64_t>> loops; // from the first to the last instruction
  forInstructions(object, [&](const ZydisDecodedInstruction &instruction,
                              const ZydisDecodedOperand *operands, int64_t at) {
    all[at] = instruction.mnemonic;
    if (instruction.meta.category == ZYDIS_CATEGORY_COND_BR && operands[0].imm.value.s < 0)
      loops.push_back({at + instruction.length + operands[0].imm.value.s, at});
  });
  std::vector<Counts> counts;
  for (auto [first, last] : loops) {
    bool isInnermost = true;
    for (auto [otherFirst, otherLast] : loops)
      isInnermost &= otherLast >= last || otherLast < first;
    if (!isInnermost)
      continue;
    Counts &own = counts.emplace_back();
    for (auto at = all.lower_bound(first); at != all.end() && at->first <= last; ++at)
      ++own[at->second];
  }
  return counts;
}

/// Returns how many of these each loop has that has some; the loop over k may be there twice, with
/// and without asking for C. 0: there is none; -1: they differ.
int countInLoops(const std::string &object, ZydisMnemonic name) {
  int count = 0;
  for (Counts &loop : innermostLoops(object))
    if (int own = loop[name])
      count = count == 0 || count == own ? own : -1;
  return count;
}

/// Returns how many instructions read or write whole vectors on the stack.
int vectorsOnStack(const std::string &object) {
  int count = 0;
  forInstructions(object, [&](const ZydisDecodedInstruction &instruction,
                              const ZydisDecodedOperand *operands, int64_t) {
    for (int i = 0; i < instruction.operand_count_visible; ++i)
      count += operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
               operands[i].mem.base == ZYDIS_REGISTER_RSP && operands[i].size >= 128;
  });
  return count;
}

} // namespace

TEST_CASE("integers are multiplied in vectors, not one by one") {
  for (const char *target : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    INFO(target);
    auto counts = mnemonics(kernelObject({"vector", target, "i32", "i32", 8, 16, 64}));
    bool isV2 = std::string(target) == "x86-64-v2";
    CHECK(counts[isV2 ? ZYDIS_MNEMONIC_PMULLD : ZYDIS_MNEMONIC_VPMULLD] >= 8);
    CHECK(counts[ZYDIS_MNEMONIC_IMUL] == 0);
  }
}

TEST_CASE("bytes are multiplied by fours, or as pairs of 16 bits") {
  struct Case {
    const char *target;
    int64_t m, n;
    ZydisMnemonic name;
    int count; ///< of the loop over k
  };
  for (auto [target, m, n, name, count] : {Case{"x86-64-v2", 6, 8, ZYDIS_MNEMONIC_PMADDWD, 24},
                                           {"x86-64-v3", 6, 16, ZYDIS_MNEMONIC_VPMADDWD, 24},
                                           {"x86-64-v4", 10, 32, ZYDIS_MNEMONIC_VPMADDWD, 40},
                                           {"x86-64-v3-vnni", 6, 16, ZYDIS_MNEMONIC_VPDPBUSD, 12},
                                           {"x86-64-v4-vnni", 12, 32, ZYDIS_MNEMONIC_VPDPBUSD, 24}})
    for (bool isUnsigned : {false, true}) {
      INFO(target);
      KernelCase kernel{"vector", target, "i8", "i32", m, n, 256};
      kernel.vnni = 4;
      kernel.padded = true;
      (isUnsigned ? kernel.aUnsigned : kernel.bUnsigned) = true;
      std::string object = kernelObject(kernel);
      auto counts = mnemonics(object);
      CHECK(countInLoops(object, name) == count);
      CHECK(counts[ZYDIS_MNEMONIC_VPMULLD] + counts[ZYDIS_MNEMONIC_PMULLD] == 0);
    }
}

TEST_CASE("sums of bytes stay in registers") {
  for (const char *target : {"x86-64-v3-vnni", "x86-64-v4-vnni"}) {
    INFO(target);
    bool isV3 = std::string(target) == "x86-64-v3-vnni";
    KernelCase kernel{"vector", target, "i8", "i32", isV3 ? 6 : 12, isV3 ? 16 : 32, 256};
    kernel.vnni = 4;
    kernel.padded = kernel.aUnsigned = true;
    CHECK(vectorsOnStack(kernelObject(kernel)) == 0);
  }
}

TEST_CASE("pairs of bf16 take the target's dot product where it is cheaper than up-conversion") {
  for (const char *target : {"x86-64-v4", "x86-64-v4-bf16", "x86-64-v4-fp16", "zen4", "zen5"}) {
    INFO(target);
    KernelCase kernel{"vector", target, "bf16", "f32", 8, 32, 64};
    kernel.vnni = 2;
    std::string object = kernelObject(kernel);
    bool isZen = std::string(target).substr(0, 3) == "zen";
    CHECK(countInLoops(object, ZYDIS_MNEMONIC_VDPBF16PS) == (isZen ? 16 : 0));
    CHECK(countInLoops(object, ZYDIS_MNEMONIC_VFMADD231PS) == (isZen ? 0 : 32));
  }
}

TEST_CASE("pairs of bf16 are up-converted for sums in strict order") {
  KernelCase kernel{"vector", "zen5", "bf16", "f32", 8, 32, 64};
  kernel.vnni = 2;
  kernel.strictOrder = true;
  std::string object = kernelObject(kernel);
  CHECK(mnemonics(object)[ZYDIS_MNEMONIC_VDPBF16PS] == 0);
  CHECK(countInLoops(object, ZYDIS_MNEMONIC_VFMADD231PS) == 32);
}

TEST_CASE("tiles are multiplied four at a time, and stay in their registers") {
  KernelCase kernel{"amx", "x86-64-v4-amx", "bf16", "f32", 32, 32, 128};
  kernel.vnni = 2;
  auto counts = mnemonics(kernelObject(kernel));
  CHECK(counts[ZYDIS_MNEMONIC_TDPBF16PS] == 4);
  CHECK(counts[ZYDIS_MNEMONIC_TILELOADD] == 4);
  CHECK(counts[ZYDIS_MNEMONIC_TILEZERO] == 4);
  CHECK(counts[ZYDIS_MNEMONIC_TILESTORED] == 4);
  CHECK(counts[ZYDIS_MNEMONIC_LDTILECFG] == 1);
  CHECK(counts[ZYDIS_MNEMONIC_TILERELEASE] == 1);
}
