#include "pipeline/GpuPipeline.h"

#include "pipeline/AllPasses.h"
#include "pipeline/StageContracts.h"
#include "pipeline/SubPipelines.h"
#include "templates/Templates.h"

#include <mlir/Conversion/AffineToStandard/AffineToStandard.h>
#include <mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h>
#include <mlir/Conversion/GPUToSPIRV/GPUToSPIRVPass.h>
#include <mlir/Conversion/MathToSPIRV/MathToSPIRVPass.h>
#include <mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h>
#include <mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h>
#include <mlir/Dialect/Arith/Transforms/Passes.h>
#include <mlir/Dialect/Linalg/Passes.h>
#include <mlir/Dialect/SPIRV/Transforms/Passes.h>
#include <mlir/Pass/PassRegistry.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;

namespace kgen {
namespace {

constexpr int64_t bufferAlignment = 256; ///< in bytes: no device asks for more

void addIdioms(OpPassManager &pm, std::initializer_list<std::string> idioms) {
  pm.addNestedPass<func::FuncOp>(createRaiseIdiomsPass({idioms}));
}

/// As for CPUs, without what only packed layouts and cores gain from.
void addRaise(OpPassManager &pm, const std::string &) {
  addTemplates(pm);
  pm.addPass(createLowerNbitsPass({/*prepackConstants=*/false}));
  addIdioms(pm, {"extrema", "normalizations"});
  pm.addNestedPass<func::FuncOp>(createFoldScalesPass());
  addIdioms(pm, {"half-rotations", "gathers", "pair-rotations"});
  pm.addNestedPass<func::FuncOp>(createFoldAddIntoDestPass());
  addIdioms(pm, {"softmax"});
  pm.addNestedPass<func::FuncOp>(createContractionsToTppPass(
      {/*strictOrder=*/false, /*requireAll=*/false, /*floatsOnly=*/true}));
}

/// Operators by name become loops by their definitions: chains of them become one kernel again.
void addFuse(OpPassManager &pm, const std::string &) {
  pm.addNestedPass<func::FuncOp>(
      createDecomposeNamedOpsPass({/*productsOnly=*/false, /*byDefinition=*/true}));
  addFoldIntoElementwise(pm);
  pm.addNestedPass<func::FuncOp>(createPropagateReshapesPass());
  pm.addNestedPass<func::FuncOp>(createResolveSizesPass());
  pm.addNestedPass<func::FuncOp>(createFuseEpiloguesPass());
  addCleanups(pm);
  // Windows of products have no padding in memory; other windows read it.
  pm.addNestedPass<func::FuncOp>(createFoldPadIntoContractionsPass({/*byElement=*/true}));
  pm.addNestedPass<func::FuncOp>(createReadPadsPass());
  addFoldIntoElementwise(pm);
  addCleanups(pm);
}

void addBuffers(OpPassManager &pm, const std::string &) {
  pm.addNestedPass<func::FuncOp>(createLowerPacksPass({LoweredPads::all}));
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  addWriteToCaller(pm);
  addBufferize(pm);
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
}

void addKernels(OpPassManager &pm, const std::string &weightPrefix) {
  pm.addPass(createMapToGpuPass());
  addCleanups(pm);
  pm.addPass(createMergeKernelsPass());
  pm.addPass(createVerifyKernelsPass());
  pm.addNestedPass<func::FuncOp>(createPlanWorkspacePass({bufferAlignment}));
  pm.addPass(createOutlineConstantsPass({weightPrefix, /*minBytes=*/1}));
}

} // namespace

ArrayRef<GpuStage> gpuStages() {
  static constexpr GpuStage stages[] = {
      {"raise", "What is spelled out gets its name.", addRaise},
      {"fuse", "Elementwise operations become one, or epilogues of products.", addFuse},
      {"buffers", "Tensors become buffers.", addBuffers},
      {"kernels", "Operations become kernels and launches; buffers share one workspace.",
       addKernels}};
  return stages;
}

void addGpuStage(OpPassManager &pm, const GpuStage &stage, const std::string &weightPrefix,
                 bool verifies) {
  stage.add(pm, weightPrefix);
  const StageContract *contract = findStageContract(("gpu-" + stage.name).str());
  assert(contract && "each stage has a contract");
  if (verifies)
    pm.addPass(createVerifyStagePass(*contract));
}

void addSpirvPasses(OpPassManager &pm) {
  pm.addPass(createExpandMathPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createPrepareSpirvPass());
  pm.addPass(arith::createArithExpandOpsPass({/*includeBf16=*/true}));
  addCleanups(pm);
  pm.addNestedPass<gpu::GPUModuleOp>(createConvertMathToSPIRVPass());
  pm.addPass(createConvertGPUToSPIRVPass());
  OpPassManager &module = pm.nest<spirv::ModuleOp>();
  module.addPass(spirv::createSPIRVLowerABIAttributesPass());
  module.addPass(createKeepSpecialsPass());
  module.addPass(spirv::createSPIRVUpdateVCEPass());
  module.addPass(createForbidContractionPass());
}

void addNvvmPasses(OpPassManager &pm) {
  pm.addPass(createExpandMathPass({/*fused=*/true}));
  pm.addPass(createLowerAffinePass());
  OpPassManager &module = pm.nest<gpu::GPUModuleOp>();
  module.addPass(createPrepareNvvmPass());
  addCleanups(module);
  module.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.indexBitwidth = 32; // tensors have fewer than 2^31 elements
  options.useBarePtrCallConv = true;
  options.allowedDialects = {"arith", "cf", "func", "index", "memref", "nvvm", "ub", "vector"};
  module.addPass(createConvertGpuOpsToNVVMOps(options));
  module.addPass(createReconcileUnrealizedCastsPass());
  addCleanups(module);
}

void registerGpuPipeline() {
  struct Options : PassPipelineOptions<Options> {
    Option<bool> verify{*this, "verify",
                        llvm::cl::desc("Fail if the code after a stage breaks its contract"),
                        llvm::cl::init(true)};
  };
  static const std::string weightPrefix = "kgen_weights_";
  PassPipelineRegistration<Options>("kgen-gpu",
                                    "Code for graphics cards, up to kernels and launches.",
                                    [](OpPassManager &pm, const Options &options) {
                                      for (const GpuStage &stage : gpuStages())
                                        addGpuStage(pm, stage, weightPrefix, options.verify);
                                    });
  for (const GpuStage &stage : gpuStages())
    PassPipelineRegistration<Options>("kgen-gpu-" + stage.name.str() + "-stage", stage.description,
                                      [&stage](OpPassManager &pm, const Options &options) {
                                        addGpuStage(pm, stage, weightPrefix, options.verify);
                                      });
  PassPipelineRegistration<>("kgen-gpu-to-spirv", "A kernel as SPIR-V.", addSpirvPasses);
  PassPipelineRegistration<>("kgen-gpu-to-nvvm", "Kernels as the LLVM dialect.", addNvvmPasses);
}

} // namespace kgen
