// The stages of compilation and their order: one table for the driver, its dumps and kgen-opt.
#pragma once

#include <mlir/IR/DialectRegistry.h>
#include <mlir/Pass/PassManager.h>

#include <llvm/ADT/ArrayRef.h>

#include <functional>
#include <string>

namespace kgen {

/// Stages check the code that they leave, in builds with assertions without being told to.
#ifdef NDEBUG
constexpr bool stagesAreVerified = false;
#else
constexpr bool stagesAreVerified = true;
#endif

struct PipelineOptions {
  std::string weightPrefix = "kgen_weights_"; ///< beginning of the symbols of outlined constants
  std::string provider = "auto"; ///< of micro-kernels: the cheapest, or the name of the only one
  int64_t taskWork = 1 << 20;    ///< scalar operations that make a task worth starting
  bool verifyStages = stagesAreVerified; ///< a stage fails that breaks its contract
  bool recordDecisions = false; ///< operations are numbered, so that those of one are known
  bool lowersBench = false;     ///< operations of the bench dialect become calls of their host
  std::string stepClock;        ///< symbol that is called after each step; empty: none is
  unsigned indexBits = 64;      ///< of addresses of the target (dialect/kgen/IndexBits.h)
  int64_t winogradRows = 0; ///< of tiles in a block, wherever they are allowed; 0: where they pay
  /// Adds passes of tests after the conversions to the LLVM dialect; null: none.
  std::function<void(mlir::OpPassManager &)> addTestPasses;
};

/// A step of compilation between two forms of the code that are worth looking at.
struct Stage {
  llvm::StringLiteral name; ///< kgen-opt's flag is --kgen-<name>-stage
  llvm::StringLiteral description;
  void (*add)(mlir::OpPassManager &pm, const PipelineOptions &options);
};

/// From the ingress to the LLVM dialect, in order.
llvm::ArrayRef<Stage> optimizedStages();
/// A pipeline without optimizations, to check the passes against: only buffers; every operation
/// becomes scalar loops.
llvm::ArrayRef<Stage> referenceStages();

/// The passes of a stage and, if asked for, the check of its contract (pipeline/StageContracts.h).
void addStage(mlir::OpPassManager &pm, const Stage &stage, const PipelineOptions &options);
void addStages(mlir::OpPassManager &pm, llvm::ArrayRef<Stage> stages,
               const PipelineOptions &options);

/// Everything that the pipeline's input and passes need.
void registerDialects(mlir::DialectRegistry &registry);
/// kgen's passes and stages for kgen-opt: --kgen-<pass>, --kgen-<stage>-stage, and all stages but
/// the last as --kgen-optimize and --kgen-reference. Stages take weight-prefix=TEXT,
/// provider=NAME, decisions, bench, and verify=false.
void registerPassesAndPipelines();

} // namespace kgen
