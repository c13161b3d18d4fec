// The RISC-V back end: LLVM finds all instructions, and its disassembler audits them.
#include "backend/Backend.h"

#include "backend/riscv/Riscv.h"
#include "providers/Provider.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>

namespace kgen {

const Architecture &riscvArchitecture();

namespace {

class RiscvBackend : public Backend {
public:
  const Architecture &architecture() const override { return riscvArchitecture(); }
  std::string refusal() const override { return ""; }

  llvm::ArrayRef<const Provider *> providers() const override {
    static const Provider *const all[] = {&vectorProvider(), &templatesProvider()};
    return all;
  }

  void initializeLlvm() const override {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeRISCVTargetInfo();
      LLVMInitializeRISCVTarget();
      LLVMInitializeRISCVTargetMC();
      LLVMInitializeRISCVAsmPrinter();
      LLVMInitializeRISCVAsmParser(); // for module-level assembly
      LLVMInitializeRISCVDisassembler();
    });
  }

  llvm::StringRef baselineCpu() const override { return "generic-rv64"; }
  /// Linkers refuse objects of another ABI: without `d`, numbers are passed in integer registers.
  llvm::StringRef baselineFeatures() const override { return "+m,+a,+f,+d,+c"; }
  /// In units of 64 bits: registers of 1024, as kgenrt_longest of runtime/runtime.h.
  int64_t largestVectorScale() const override { return 16; }

  /// LLVM lists all that a feature implies, of which GNU as knows only what its version knows:
  /// before 2.42 no `zaamo`. The names that a target requires say the same.
  std::string assemblerText(std::string text, llvm::StringRef features) const override {
    std::string result;
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/true);
    for (llvm::StringRef line : llvm::ArrayRef(lines).drop_back())
      result += (line.starts_with("\t.attribute\t5, ")
                     ? "\t.attribute\t5, \"" + riscv::archString(features) + "\""
                     : line.str()) +
                "\n";
    return result;
  }
};

} // namespace

const Backend &riscvBackend() {
  static const RiscvBackend backend;
  return backend;
}

} // namespace kgen
