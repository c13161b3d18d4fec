// Which instructions micro-kernels of integers and of bf16 multiply with.
#include "KernelCase.h"

#include <Zydis/Zydis.h>

#include <llvm/Object/ObjectFile.h>

#include <catch2/catch.hpp>

#include <map>

using namespace kgen::test;

namespace {

/// Calls `visit` for each instruction of an object; all code of an object is one kernel's and its
/// caller's.
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
    while (!code.empty() && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data(), code.size(),
                                                                &instruction, operands))) {
      visit(instruction, operands);
      code = code.drop_front(instruction.length);
    }
    CHECK(code.empty());
  }
}

std::map<ZydisMnemonic, int> mnemonics(const std::string &object) {
  std::map<ZydisMnemonic, int> counts;
  forInstructions(object, [&](const ZydisDecodedInstruction &instruction,
                              const ZydisDecodedOperand *) { ++counts[instruction.mnemonic]; });
  return counts;
}

/// How many instructions read or write whole vectors on the stack.
int vectorsOnStack(const std::string &object) {
  int count = 0;
  forInstructions(
      object, [&](const ZydisDecodedInstruction &instruction, const ZydisDecodedOperand *operands) {
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
      auto counts = mnemonics(kernelObject(kernel));
      CHECK(counts[name] == count);
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

TEST_CASE("pairs of bf16 take the target's dot product where it is cheaper than widening") {
  for (const char *target : {"x86-64-v4", "x86-64-v4-bf16", "x86-64-v4-fp16", "zen4", "zen5"}) {
    INFO(target);
    KernelCase kernel{"vector", target, "bf16", "f32", 8, 32, 64};
    kernel.vnni = 2;
    auto counts = mnemonics(kernelObject(kernel));
    bool isZen = std::string(target).substr(0, 3) == "zen";
    CHECK(counts[ZYDIS_MNEMONIC_VDPBF16PS] == (isZen ? 16 : 0));
    CHECK(counts[ZYDIS_MNEMONIC_VFMADD231PS] == (isZen ? 0 : 32));
  }
}

TEST_CASE("pairs of bf16 are widened where sums have an order") {
  KernelCase kernel{"vector", "zen5", "bf16", "f32", 8, 32, 64};
  kernel.vnni = 2;
  kernel.sequential = true;
  auto counts = mnemonics(kernelObject(kernel));
  CHECK(counts[ZYDIS_MNEMONIC_VDPBF16PS] == 0);
  CHECK(counts[ZYDIS_MNEMONIC_VFMADD231PS] == 32);
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
