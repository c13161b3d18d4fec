// The half of a back end that makes code: passes, providers of micro-kernels, LLVM's code
// generator, and the audit of what it made. The other half, without IR, is target/Architecture.h.
#pragma once

#include "backend/AuditReport.h"
#include "target/Architecture.h"

#include <mlir/IR/DialectRegistry.h>
#include <mlir/Pass/PassManager.h>

#include <llvm/Support/Error.h>

namespace kgen {

class Provider; // providers/Provider.h

/// Points at which stages ask the target's back end for passes (pipeline/BackendPasses.h).
enum class PassPoint {
  tasks,       ///< end of the stage `parallel`: kernels have code, and tasks are functions
  instructions ///< stage `llvm`, after kgen-expand-math: operations that stand for instructions
               ///< (dialect/kgen/Instructions.td) are lowered
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual const Architecture &architecture() const = 0;

  /// Returns why it compiles nothing for its targets; empty if it does.
  virtual std::string refusal() const { return "its back end makes no code"; }

  /// Dialects that its passes and their results need beside those of pipeline/Registration.cpp.
  virtual void registerDialects(mlir::DialectRegistry &registry) const {}
  /// As flags of kgen-opt. By default kgen-lower-instructions.
  virtual void registerPasses() const;
  /// Flags of its passes that had another name before, and the one that they have now.
  virtual std::vector<std::pair<const char *, const char *>> renamedFlags() const { return {}; }
  /// By default kgen-lower-instructions at `instructions`: what each of them is defined as.
  virtual void addPasses(mlir::OpPassManager &pm, PassPoint point) const;

  /// Of micro-kernels: the one with the lowest cost generates a kernel, the earlier one if costs
  /// are equal.
  virtual llvm::ArrayRef<const Provider *> providers() const { return {}; }
  /// Of a target's features ("+a,+b") those that code may use of which only this provider makes the
  /// kernels.
  virtual std::string featuresFor(llvm::StringRef provider, llvm::StringRef features) const {
    return features.str();
  }

  /// Registers LLVM's back end. Thread-safe; later calls do nothing.
  virtual void initializeLlvm() const {}
  /// LLVM's name of the CPU that has what each one has; targets list all other features.
  virtual llvm::StringRef baselineCpu() const { return ""; }
  /// Features that each object has, also one with data only ("+a,+b"): linkers compare the ABI of
  /// objects, which may depend on them.
  virtual llvm::StringRef baselineFeatures() const { return ""; }
  /// The most that LLVM's `vscale` may be, if frames hold registers whose length is known at run
  /// time only; else 0.
  virtual int64_t largestVectorScale() const { return 0; }
  /// Attributes of all functions, without values.
  virtual std::vector<const char *> functionAttributes() const { return {}; }
  /// Returns LLVM's assembly text of a module whose functions have these features ("+a,+b") as
  /// other assemblers take it.
  virtual std::string assemblerText(std::string text, llvm::StringRef features) const {
    return text;
  }
  /// Assembly of the local function kgen_probe_stack, which touches the pages of a large frame in
  /// order, for a triple on which someone must; "": nobody must. Without it, LLVM would call a
  /// function of the C library, whose name differs between compilers.
  virtual llvm::StringRef stackProbe(llvm::StringRef triple) const { return ""; }
  /// Flags that each of LLVM's modules has with the value 1, for what a program may ask of all of
  /// its objects.
  virtual std::vector<const char *> moduleFlags() const { return {}; }

  /// Decodes every executable section of an object. An error lists the first instructions that
  /// need other features than those allowed; `context` begins the message. By default LLVM's
  /// disassembler decodes, which the back end must have registered.
  virtual llvm::Expected<AuditReport> audit(llvm::ArrayRef<char> object,
                                            const std::vector<std::string> &allowedFeatures,
                                            llvm::StringRef context) const;
};

/// All of them in this program, in the order of backend/CMakeLists.txt.
llvm::ArrayRef<const Backend *> backends();

/// The one of a triple's architecture; null if no architecture takes the triple.
const Backend *backendOf(llvm::StringRef triple);

} // namespace kgen
