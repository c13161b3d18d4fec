// Which instructions micro-kernels of integers and of bf16 multiply with.
#include "KernelCase.h"

#include <Zydis/Zydis.h>

#include <llvm/Object/ObjectFile.h>

#include <catch2/catch.hpp>

#include <map>

using namespace kgen::test;

namespace {

/// How often each mnemonic occurs in an object; all code of an object is one kernel's and its
/// caller's.
std::map<ZydisMnemonic, int> mnemonics(const std::string &object) {
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile({object, "kernel"}));
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  std::map<ZydisMnemonic, int> counts;
  for (const llvm::object::SectionRef &section : file->sections()) {
    if (!section.isText())
      continue;
    llvm::StringRef code = llvm::cantFail(section.getContents());
    ZydisDecodedInstruction instruction;
    while (!code.empty() && ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
                                &decoder, nullptr, code.data(), code.size(), &instruction))) {
      ++counts[instruction.mnemonic];
      code = code.drop_front(instruction.length);
    }
    CHECK(code.empty());
  }
  return counts;
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

TEST_CASE("pairs of bf16 take the target's dot product where it is cheaper than widening") {
  for (const char *target : {"x86-64-v4", "x86-64-v4-bf16", "x86-64-v4-fp16", "zen5"}) {
    INFO(target);
    KernelCase kernel{"vector", target, "bf16", "f32", 8, 32, 64};
    kernel.vnni = 2;
    auto counts = mnemonics(kernelObject(kernel));
    bool isZen5 = std::string(target) == "zen5";
    CHECK(counts[ZYDIS_MNEMONIC_VDPBF16PS] == (isZen5 ? 16 : 0));
    CHECK(counts[ZYDIS_MNEMONIC_VFMADD231PS] == (isZen5 ? 0 : 32));
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
