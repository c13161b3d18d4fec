// The WebAssembly back end: products of pairs of i16; LLVM finds all other instructions.
#include "backend/Backend.h"

#include "backend/wasm/Audit.h"
#include "backend/wasm/Passes.h"
#include "providers/Provider.h"

#include <llvm/Support/TargetSelect.h>

#include <mutex>

namespace kgen {

const Architecture &wasmArchitecture();

namespace {

class WasmBackend : public Backend {
public:
  const Architecture &architecture() const override { return wasmArchitecture(); }
  std::string refusal() const override { return ""; }

  void registerPasses() const override {
    Backend::registerPasses();
    registerKgenWasmPasses();
  }
  void addPasses(mlir::OpPassManager &pm, PassPoint point) const override {
    if (point == PassPoint::instructions)
      pm.addPass(createLowerToWasmPass());
    Backend::addPasses(pm, point);
  }

  llvm::ArrayRef<const Provider *> providers() const override {
    static const Provider *const all[] = {&vectorProvider(), &templatesProvider()};
    return all;
  }

  void initializeLlvm() const override {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeWebAssemblyTargetInfo();
      LLVMInitializeWebAssemblyTarget();
      LLVMInitializeWebAssemblyTargetMC();
      LLVMInitializeWebAssemblyAsmPrinter();
      LLVMInitializeWebAssemblyAsmParser(); // for module-level assembly
      LLVMInitializeWebAssemblyDisassembler();
    });
  }

  /// Version 1.0 of the standard: a target lists what it has besides.
  llvm::StringRef baselineCpu() const override { return "mvp"; }

  llvm::Expected<AuditReport> audit(llvm::ArrayRef<char> object,
                                    const std::vector<std::string> &allowedFeatures,
                                    llvm::StringRef context) const override {
    initializeLlvm();
    return wasm::audit(object, wasmArchitecture().triple(), allowedFeatures, context);
  }
};

} // namespace

const Backend &wasmBackend() {
  static const WasmBackend backend;
  return backend;
}

} // namespace kgen
