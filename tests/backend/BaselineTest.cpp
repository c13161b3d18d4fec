// Features of a back end that each object has: those of data alone as well, whose ABI linkers
// compare with that of code. RISC-V says its ABI in the header of each object.
#include "backend/Backend.h"
#include "codegen/ObjectCode.h"

#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/TargetSelect.h>

#include <catch2/catch.hpp>

namespace kgen {

const Architecture &emptyArchitecture(); // tests/backend/empty, which takes riscv64

namespace {

const char *baseline = ""; // of the back end

class BaselineBackend : public Backend {
public:
  const Architecture &architecture() const override { return emptyArchitecture(); }
  std::string refusal() const override { return ""; }
  void initializeLlvm() const override {
    LLVMInitializeRISCVTargetInfo();
    LLVMInitializeRISCVTarget();
    LLVMInitializeRISCVTargetMC();
    LLVMInitializeRISCVAsmPrinter();
    LLVMInitializeRISCVAsmParser();
  }
  llvm::StringRef baselineCpu() const override { return "generic-rv64"; }
  llvm::StringRef baselineFeatures() const override { return baseline; }
};

/// Returns the flags in the header of an object with four bytes of data.
unsigned flagsOfData(const char *features) {
  baseline = features;
  llvm::Expected<std::string> object =
      emitData("data", {1, 2, 3, 4}, "riscv64-unknown-linux-gnu", CodeKind::object);
  REQUIRE(bool(object));
  auto file = llvm::object::ELFFile<llvm::object::ELF64LE>::create(*object);
  REQUIRE(bool(file));
  return file->getHeader().e_flags;
}

} // namespace

const Architecture &baselineArchitecture() { return emptyArchitecture(); }

const Backend &baselineBackend() {
  static const BaselineBackend backend;
  return backend;
}

TEST_CASE("objects with data alone have the back end's baseline features") {
  CHECK(flagsOfData("") == 0);
  CHECK(flagsOfData("+d") == llvm::ELF::EF_RISCV_FLOAT_ABI_DOUBLE);
  CHECK(flagsOfData("+d,+c") == (llvm::ELF::EF_RISCV_FLOAT_ABI_DOUBLE | llvm::ELF::EF_RISCV_RVC));
}

TEST_CASE("an assembler's text may use the baseline features") {
  auto assembles = [](const char *features) {
    baseline = features;
    llvm::Expected<std::string> object =
        assemble("fadd.d f0, f1, f2\n", "riscv64-unknown-linux-gnu");
    llvm::consumeError(object.takeError());
    return bool(object);
  };
  CHECK(assembles("+d"));
  CHECK_FALSE(assembles(""));
}

} // namespace kgen
