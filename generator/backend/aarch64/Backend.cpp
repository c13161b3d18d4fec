// The AArch64 back end: LLVM finds NEON's instructions, and its disassembler audits them.
#include "backend/Backend.h"

#include "providers/Provider.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/AArch64TargetParser.h>

#include <mutex>

namespace kgen {

const Architecture &aarch64Architecture();

namespace {

class AArch64Backend : public Backend {
public:
  const Architecture &architecture() const override { return aarch64Architecture(); }
  std::string refusal() const override { return ""; }

  llvm::ArrayRef<const Provider *> providers() const override {
    static const Provider *const all[] = {&vectorProvider(), &templatesProvider()};
    return all;
  }

  void initializeLlvm() const override {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeAArch64TargetInfo();
      LLVMInitializeAArch64Target();
      LLVMInitializeAArch64TargetMC();
      LLVMInitializeAArch64AsmPrinter();
      LLVMInitializeAArch64AsmParser(); // for module-level assembly
      LLVMInitializeAArch64Disassembler();
    });
  }

  llvm::StringRef baselineCpu() const override { return "generic"; }

  /// Landing pads and the note of branch target identification: one object without it switches this
  /// off for the whole program.
  std::vector<const char *> moduleFlags() const override { return {"branch-target-enforcement"}; }
  std::vector<const char *> functionAttributes() const override {
    return {"branch-target-enforcement"};
  }

  /// LLVM states no features of functions in its text, and assemblers refuse what they do not know
  /// of.
  std::string assemblerPreamble(llvm::StringRef features) const override {
    std::string text;
    llvm::SmallVector<llvm::StringRef> list;
    features.split(list, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (llvm::StringRef feature : list)
      if (auto extension = llvm::AArch64::targetFeatureToExtension(feature))
        text += "\t.arch_extension " + extension->UserVisibleName.str() + "\n";
    return text;
  }
};

} // namespace

const Backend &aarch64Backend() {
  static const AArch64Backend backend;
  return backend;
}

} // namespace kgen
