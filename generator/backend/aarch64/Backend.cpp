// The AArch64 back end: intrinsics for dot products; LLVM finds all other instructions of NEON, and
// its disassembler audits them.
#include "backend/Backend.h"

#include "backend/aarch64/Passes.h"
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

  void registerPasses() const override {
    Backend::registerPasses();
    registerKgenAArch64Passes();
  }
  void addPasses(mlir::OpPassManager &pm, PassPoint point) const override {
    if (point == PassPoint::instructions)
      pm.addPass(createLowerToAArch64Pass());
    Backend::addPasses(pm, point);
  }

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
  /// of. Attributes of the object are not known to GNU as before 2.44; the notes say the same.
  std::string assemblerText(std::string text, llvm::StringRef features) const override {
    std::string result;
    llvm::SmallVector<llvm::StringRef> list, lines;
    features.split(list, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (llvm::StringRef feature : list)
      if (auto extension = llvm::AArch64::targetFeatureToExtension(feature))
        result += "\t.arch_extension " + extension->UserVisibleName.str() + "\n";
    llvm::StringRef(text).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/true);
    for (llvm::StringRef line : llvm::ArrayRef(lines).drop_back())
      if (!line.starts_with("\t.aeabi_"))
        result += (line + "\n").str();
    return result;
  }
};

} // namespace

const Backend &aarch64Backend() {
  static const AArch64Backend backend;
  return backend;
}

} // namespace kgen
