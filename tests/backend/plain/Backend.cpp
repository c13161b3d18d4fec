// A back end of defaults: it says who makes kernels, and which code generator LLVM has.
#include "backend/Backend.h"

#include "providers/Provider.h"

#include <llvm/Support/TargetSelect.h>

#include <mutex>

namespace kgen {

const Architecture &plainArchitecture();

namespace {

class PlainBackend : public Backend {
public:
  const Architecture &architecture() const override { return plainArchitecture(); }
  std::string refusal() const override { return ""; }
  llvm::ArrayRef<const Provider *> providers() const override {
    static const Provider *const all[] = {&vectorProvider()};
    return all;
  }
  void initializeLlvm() const override {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeX86TargetInfo();
      LLVMInitializeX86Target();
      LLVMInitializeX86TargetMC();
      LLVMInitializeX86AsmPrinter();
      LLVMInitializeX86AsmParser();
      LLVMInitializeX86Disassembler();
    });
  }
  llvm::StringRef baselineCpu() const override { return "x86-64"; }
};

} // namespace

const Backend &plainBackend() {
  static const PlainBackend backend;
  return backend;
}

} // namespace kgen
