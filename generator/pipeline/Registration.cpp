// What the pipeline needs to be registered, and the names of its stages for kgen-opt.
#include "pipeline/Pipeline.h"

#include "providers/Provider.h"
#include "transforms/Passes.h"

#include <mlir/Conversion/UBToLLVM/UBToLLVM.h>
#include <mlir/InitAllDialects.h>
#include <mlir/InitAllExtensions.h>
#include <mlir/Pass/PassRegistry.h>

using namespace mlir;

namespace kgen {

void registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<KgenDialect, tpp::TppDialect, ukernel::UkernelDialect>();
  tpp::registerBufferizationModels(registry);
}

void registerPassesAndPipelines() {
  registerKgenPasses();
  registerKgenProviderPasses();
  auto stage = [](StringRef name, StringRef description,
                  void (*add)(OpPassManager &, const PipelineOptions &)) {
    PassPipelineRegistration<>(name, description,
                               [add](OpPassManager &pm) { add(pm, PipelineOptions()); });
  };
  stage("kgen-layout-stage", "Tile operations, fusion, packed constants.", addLayoutStage);
  stage("kgen-vector-stage", "Loops over vectors, on tensors.", addVectorStage);
  stage("kgen-buffer-stage", "Buffers in one workspace.", addBufferStage);
  stage("kgen-micro-kernel-stage", "Calls of micro-kernels.", addMicroKernelStage);
  stage("kgen-llvm-stage", "The LLVM dialect.", addLlvmStage);
  stage("kgen-optimise", "The whole optimised pipeline, up to the LLVM stage.",
        addOptimisedPipeline);
  stage("kgen-reference", "The reference pipeline, up to the LLVM stage.", addReferencePipeline);
}

} // namespace kgen
