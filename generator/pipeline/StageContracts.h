// The form of the code after each stage, and the pass that checks it.
#pragma once

#include <mlir/Pass/Pass.h>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <memory>
#include <string>

namespace kgen {

struct StageContract {
  llvm::StringLiteral stage;
  llvm::ArrayRef<llvm::StringLiteral> dialects;  ///< whose operations may occur
  llvm::ArrayRef<llvm::StringLiteral> forbidden; ///< operations of those dialects that may not
  /// Returns what is wrong with one operation beyond its name, or "".
  std::string (*violation)(mlir::Operation *);
};

/// The stage that all importers end with: the pipeline's input.
constexpr llvm::StringLiteral ingressStage = "ingress";

/// Of the ingress and of each stage of both pipelines, see generator/README.md.
llvm::ArrayRef<StageContract> stageContracts();
/// Of the stages for graphics cards, whose names begin with "gpu-".
llvm::ArrayRef<StageContract> gpuStageContracts();
/// Null if there is no such stage.
const StageContract *findStageContract(llvm::StringRef stage);

/// Fails at the first operation that breaks the contract, and changes nothing.
std::unique_ptr<mlir::Pass> createVerifyStagePass(const StageContract &contract);

} // namespace kgen
