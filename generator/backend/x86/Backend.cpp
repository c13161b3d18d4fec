// The x86 back end: what its targets get in stages, who makes micro-kernels, LLVM's code generator.
#include "backend/Backend.h"

#include "backend/x86/Audit.h"
#include "backend/x86/Passes.h"
#include "providers/Provider.h"

#include <mlir/Pass/PassRegistry.h>

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>

namespace kgen {

const Architecture &x86Architecture();
const Provider &amxProvider();
const Provider &xsmmProvider();

namespace {

/// rax has the size of the frame; all registers are kept.
constexpr char probe[] = R"(	.text
	.def kgen_probe_stack; .scl 3; .type 32; .endef
	.p2align 4
kgen_probe_stack:
	.seh_proc kgen_probe_stack
	pushq %rcx
	.seh_pushreg %rcx
	pushq %rax
	.seh_pushreg %rax
	.seh_endprologue
	leaq 24(%rsp), %rcx
1:	cmpq $4096, %rax
	jb 2f
	subq $4096, %rcx
	testb %al, (%rcx)
	subq $4096, %rax
	jmp 1b
2:	subq %rax, %rcx
	testb %al, (%rcx)
	popq %rax
	popq %rcx
	retq
	.seh_endproc
)";

class X86Backend : public Backend {
public:
  const Architecture &architecture() const override { return x86Architecture(); }
  std::string refusal() const override { return ""; }

  void registerPasses() const override { registerKgenX86Passes(); }
  std::vector<std::pair<const char *, const char *>> renamedFlags() const override {
    return {
#define KGEN_RENAMED_FLAG(old, current) {old, current},
#include "backend/x86/RenamedFlags.def"
#undef KGEN_RENAMED_FLAG
    };
  }
  void addPasses(mlir::OpPassManager &pm, PassPoint point) const override {
    switch (point) {
    case PassPoint::tasks:
      pm.addPass(createInsertAmxConfigPass());
      return;
    case PassPoint::instructions:
      pm.addPass(createLowerToX86Pass());
      return;
    }
  }

  llvm::ArrayRef<const Provider *> providers() const override {
    static const Provider *const all[] = {&vectorProvider(), &xsmmProvider(), &amxProvider(),
                                          &templatesProvider()};
    return all;
  }

  /// Whoever multiplies by tiles only does so if amx makes the kernels.
  std::string featuresFor(llvm::StringRef provider, llvm::StringRef features) const override {
    if (provider == amxProvider().name())
      return features.str();
    llvm::SmallVector<llvm::StringRef> list;
    features.split(list, ',');
    llvm::erase(list, "+amx-tile");
    return llvm::join(list, ",");
  }

  void initializeLlvm() const override {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeX86TargetInfo();
      LLVMInitializeX86Target();
      LLVMInitializeX86TargetMC();
      LLVMInitializeX86AsmPrinter();
      LLVMInitializeX86AsmParser(); // for module-level assembly
    });
  }

  llvm::StringRef stackProbe(llvm::StringRef triple) const override {
    return systemOf(triple) == System::onWindows ? probe : "";
  }

  /// The psABI's baseline.
  llvm::StringRef baselineCpu() const override { return "x86-64"; }

  /// Landing pads and the notes of indirect branch tracking and shadow stacks: one object without
  /// them switches these off for the whole program.
  std::vector<const char *> moduleFlags() const override {
    return {"cf-protection-branch", "cf-protection-return"};
  }

  llvm::Expected<AuditReport> audit(llvm::ArrayRef<char> object,
                                    const std::vector<std::string> &allowedFeatures,
                                    llvm::StringRef context) const override {
    return auditObject(object, allowedFeatures, context);
  }
};

} // namespace

const Backend &x86Backend() {
  static const X86Backend backend;
  return backend;
}

} // namespace kgen
