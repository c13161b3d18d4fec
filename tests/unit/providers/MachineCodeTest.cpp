// Properties of libxsmm's machine code that kgen relies on, over shapes that exercise all of its
// loops: it keeps the registers that a function must keep, and can be put anywhere.
#include "backend/x86/LibxsmmCode.h"

#include <Zydis/Zydis.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

using namespace kgen;

namespace {

using Registers = std::set<ZydisRegister>;

const Registers calleeSaved = {ZYDIS_REGISTER_RBX, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSP,
                               ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14,
                               ZYDIS_REGISTER_R15};

/// One pass over a function, from its first byte to its last.
class Walk {
public:
  explicit Walk(const std::string &code) {
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (offset = 0; offset < code.size(); offset += instruction.length) {
      if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data() + offset, code.size() - offset,
                                               &instruction, operands)))
        return;
      visit();
    }
    isWhole = offset == code.size() && instruction.mnemonic == ZYDIS_MNEMONIC_RET;
  }

  std::vector<ZydisRegister> pushed; ///< and not popped
  Registers saved, written;          ///< general-purpose
  bool restores = true;              ///< what is saved comes back to where it was
  bool isWhole = false, leaves = false, usesStack = false;
  std::vector<int64_t> starts, targets; ///< of instructions, of jumps

private:
  void visit() {
    starts.push_back(static_cast<int64_t>(offset));
    if (instruction.mnemonic == ZYDIS_MNEMONIC_PUSH)
      push(operands[0].reg.value);
    else if (instruction.mnemonic == ZYDIS_MNEMONIC_POP)
      pop(operands[0].reg.value);
    else if (instruction.meta.category == ZYDIS_CATEGORY_COND_BR)
      targets.push_back(static_cast<int64_t>(offset) + instruction.length +
                        operands[0].imm.value.s);
    else if (instruction.mnemonic != ZYDIS_MNEMONIC_RET)
      visitOperands();
    leaves |= instruction.meta.category == ZYDIS_CATEGORY_CALL ||
              instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
              instruction.meta.category == ZYDIS_CATEGORY_SYSCALL;
  }

  void push(ZydisRegister source) {
    pushed.push_back(source);
    saved.insert(source);
  }

  /// Arguments are kept on the stack for a while, and dropped into any register.
  void pop(ZydisRegister target) {
    restores &=
        !pushed.empty() && (calleeSaved.count(pushed.back()) == 0 || pushed.back() == target);
    if (!pushed.empty())
      pushed.pop_back();
    written.insert(target);
  }

  void visitOperands() {
    for (int i = 0; i < instruction.operand_count; ++i) {
      const ZydisDecodedOperand &operand = operands[i];
      if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY)
        usesStack |= operand.mem.base == ZYDIS_REGISTER_RSP ||
                     operand.mem.base == ZYDIS_REGISTER_RBP ||
                     operand.mem.base == ZYDIS_REGISTER_RIP;
      if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER ||
          !(operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        continue;
      ZydisRegister whole =
          ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value);
      if (ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64)
        written.insert(whole);
    }
  }

  size_t offset = 0;
  ZydisDecoder decoder;
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

void check(const LibxsmmGemm &gemm) {
  CAPTURE(gemm.m, gemm.n, gemm.k, gemm.aRow, gemm.accumulate, static_cast<int>(gemm.isa),
          static_cast<int>(gemm.element));
  llvm::Expected<std::string> code = libxsmmCode(gemm);
  REQUIRE(static_cast<bool>(code));
  Walk walk(*code);
  CHECK(walk.isWhole);
  CHECK_FALSE(walk.leaves);
  CHECK_FALSE(walk.usesStack);
  CHECK(walk.restores);
  CHECK(walk.pushed.empty());
  for (ZydisRegister written : walk.written)
    CHECK((calleeSaved.count(written) == 0 || walk.saved.count(written) == 1));
  for (int64_t target : walk.targets)
    CHECK(std::binary_search(walk.starts.begin(), walk.starts.end(), target));
}

} // namespace

TEST_CASE("libxsmm's code keeps the ABI and needs no place of its own") {
  for (LibxsmmGemm::Isa isa : {LibxsmmGemm::Isa::avx2, LibxsmmGemm::Isa::avx512})
    for (LibxsmmGemm::Element element : {LibxsmmGemm::Element::f32, LibxsmmGemm::Element::f64})
      for (int64_t m : {1, 2, 6, 7, 12, 31})
        for (int64_t n : {1, 8, 13, 16, 48, 64, 100})
          for (int64_t k : {1, 3, 64, 1000}) {
            bool wide = m % 2 == 0;
            check({isa, element, m, n, k, wide ? 100000 : k, n, n + (wide ? 70000 : 0), n > 13,
                   isa == LibxsmmGemm::Isa::avx512 && k > 3});
          }
}

TEST_CASE("so does its code for several products and for pairs of bf16") {
  using Isa = LibxsmmGemm::Isa;
  using Element = LibxsmmGemm::Element;
  for (Isa isa : {Isa::avx2, Isa::avx512, Isa::avx512bf16})
    for (Element element : {Element::f32, Element::f64, Element::bf16})
      for (bool batchReduce : {false, true})
        for (int64_t m : {1, 6, 7, 12})
          for (int64_t n : {1, 13, 16, 64})
            for (int64_t k : {2, 64, 1000}) {
              bool isPairs = element == Element::bf16;
              if (isPairs ? isa == Isa::avx2 : isa == Isa::avx512bf16)
                continue;
              check({isa, element, m, n, k, k, n, n, m > 6, false, batchReduce, 70000,
                     n == 13 ? 0 : 9});
            }
}

TEST_CASE("what libxsmm cannot make is an error") {
  LibxsmmGemm overlapping{
      LibxsmmGemm::Isa::avx2, LibxsmmGemm::Element::f32, 4, 8, 16, 8, 8, 8, false};
  llvm::Expected<std::string> code = libxsmmCode(overlapping);
  REQUIRE_FALSE(static_cast<bool>(code));
  CHECK_THAT(llvm::toString(code.takeError()), Catch::Contains("libxsmm"));
}
