// The stages of compilation and their order. Each stage is a plain function that appends passes to
// a pass manager.
#pragma once

#include <mlir/IR/DialectRegistry.h>
#include <mlir/Pass/PassManager.h>

#include <string>

namespace kgen {

struct PipelineOptions {
  std::string weightPrefix = "kgen_weights_"; ///< beginning of the symbols of outlined constants
  std::string provider = "auto"; ///< of micro-kernels: the cheapest, or the name of the only one
};

/// Levels 1 to 3: contractions become tile operations, elementwise chains are fused, constant
/// operands are packed.
void addLayoutStage(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Levels 4 and 5 on tensors: what is no tile operation becomes loops over vectors.
void addVectorStage(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Tensors become buffers in one workspace; large constants leave the module.
void addBufferStage(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Level 6: tile operations become calls of micro-kernels.
void addMicroKernelStage(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Level 8: everything becomes the LLVM dialect.
void addLlvmStage(mlir::OpPassManager &pm, const PipelineOptions &options);

/// All of the above but the last, in order.
void addOptimisedPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// The same with nothing clever, to check the passes against: only buffers; every operation becomes
/// scalar loops.
void addReferencePipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Everything that the pipeline's input and passes need.
void registerDialects(mlir::DialectRegistry &registry);
/// kgen's passes and stages for kgen-opt: --kgen-<pass>, --kgen-<stage>-stage, --kgen-optimise,
/// --kgen-reference.
void registerPassesAndPipelines();

} // namespace kgen
