// The order of passes, on one screen.
#include "pipeline/Pipeline.h"

#include "pipeline/AllPasses.h"
#include "pipeline/BackendPasses.h"
#include "pipeline/StageContracts.h"
#include "pipeline/SubPipelines.h"
#include "providers/Provider.h"
#include "templates/Templates.h"

#include <mlir/Conversion/AffineToStandard/AffineToStandard.h>
#include <mlir/Conversion/ArithToLLVM/ArithToLLVM.h>
#include <mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h>
#include <mlir/Conversion/ConvertToLLVM/ToLLVMPass.h>
#include <mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h>
#include <mlir/Conversion/MathToLLVM/MathToLLVM.h>
#include <mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h>
#include <mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h>
#include <mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h>
#include <mlir/Conversion/UBToLLVM/UBToLLVM.h>
#include <mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h>
#include <mlir/Conversion/VectorToSCF/VectorToSCF.h>
#include <mlir/Dialect/Linalg/Passes.h>
#include <mlir/Dialect/MemRef/Transforms/Passes.h>
#include <mlir/Dialect/SCF/Transforms/Passes.h>
#include <mlir/Transforms/Passes.h>

#include <cassert>

using namespace mlir;

namespace kgen {

namespace {

void addRaiseIdioms(OpPassManager &pm, std::initializer_list<std::string> idioms) {
  pm.addNestedPass<func::FuncOp>(createRaiseIdiomsPass({idioms}));
}

/// Operations of the graph: templates, schedules, and the names of what is spelled out.
void addRaiseStage(OpPassManager &pm, const PipelineOptions &) {
  addTemplates(pm);
  pm.addPass(createApplySchedulesPass());
  pm.addNestedPass<func::FuncOp>(createAssignMemoriesPass({/*unify=*/true}));
  pm.addPass(createLowerNbitsPass({/*prepackConstants=*/true}));
  // On the operations that the graph has, before any of them are fused.
  addRaiseIdioms(pm, {"extrema", "normalizations", "integer-products"});
  pm.addNestedPass<func::FuncOp>(
      createDecomposeNamedOpsPass({/*productsOnly=*/true, /*byDefinition=*/false}));
  pm.addNestedPass<func::FuncOp>(createOrderWindowsPass());
  pm.addNestedPass<func::FuncOp>(createFoldScalesPass());
  addRaiseIdioms(pm, {"half-rotations", "gathers", "pair-rotations"});
  pm.addNestedPass<func::FuncOp>(createFoldAddIntoDestPass());
  pm.addNestedPass<func::FuncOp>(createPackMatmulPass());
  addPackedLayout(pm);
  // Reshapes move through a softmax by name.
  addRaiseIdioms(pm, {"softmax"});
  pm.addNestedPass<func::FuncOp>(createHoistAttentionReshapesPass());
  pm.addNestedPass<func::FuncOp>(
      createContractionsToTppPass({/*strictOrder=*/false, /*requireAll=*/false}));
  pm.addNestedPass<func::FuncOp>(createS8S8CompensationPass());
  // While transpositions, scales and biases are still apart.
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addNestedPass<func::FuncOp>(createFuseAttentionPass());
}

/// Elementwise chains become one operation, and epilogues of contractions.
void addFuseStage(OpPassManager &pm, const PipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createDecomposeNamedOpsPass());
  // Every other named operation becomes a generic, so that chains of elementwise operations fuse.
  addFoldIntoElementwise(pm);
  // On whole chains, which epilogues take next.
  addRaiseIdioms(pm, {"quantizations"});
  pm.addNestedPass<func::FuncOp>(createGroupReductionDimsPass());
  // In this order: upstream's fusion moves reshapes towards contractions.
  pm.addNestedPass<func::FuncOp>(createPropagateReshapesPass());
  // A reshape whose sizes are read has one user more than what is fused may have.
  pm.addNestedPass<func::FuncOp>(createResolveSizesPass());
  pm.addNestedPass<func::FuncOp>(createFuseEpiloguesPass());
  // In bodies, whose values are not rounded in between any more.
  addRaiseIdioms(pm, {"activations", "clamps"});
  addCleanups(pm);
  // Transpositions that are left do not move any further.
  pm.addNestedPass<func::FuncOp>(createKeepImageOrderPass());
  // Of convolutions whose images have the order that they keep.
  addRaiseIdioms(pm, {"channel-quantizations"});
}

/// The order of operands in memory.
void addPackStage(OpPassManager &pm, const PipelineOptions &options) {
  // With its epilogue, and before the filters are packed.
  pm.addPass(createWinogradPass({options.winogradRows, options.taskWork}));
  pm.addNestedPass<func::FuncOp>(createFoldAddIntoDestPass());
  bool upconvertA = kernelCapabilities(options.provider).multipliesUnequalTypes;
  pm.addNestedPass<func::FuncOp>(
      createAssignLayoutsPass({/*packB=*/true, upconvertA, /*padA=*/true, /*plan=*/true}));
  pm.addPass(createFoldConstantPacksPass());
}

/// Tiles of tasks and of caches, as loops on tensors.
void addTilingStage(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createLowerNbitsPass({/*prepackConstants=*/false, options.taskWork}));
  pm.addNestedPass<func::FuncOp>(createDecomposeAttentionPass({options.taskWork}));
  // On tensors: tiles in memory become micro-kernels.
  pm.addNestedPass<func::FuncOp>(createTppToLinalgPass({/*buffers=*/false}));
  pm.addNestedPass<func::FuncOp>(createLowerPacksPass());
  pm.addNestedPass<func::FuncOp>(createOverlappedTilingPass());
  if (kernelCapabilities(options.provider).skipsImplicitPadding)
    pm.addNestedPass<func::FuncOp>(createFoldPadIntoContractionsPass());
  pm.addNestedPass<func::FuncOp>(createLowerPacksPass({LoweredPads::outsideWindows}));
  pm.addNestedPass<func::FuncOp>(createSplitReductionsPass({options.taskWork}));
  pm.addNestedPass<func::FuncOp>(createReshapeReductionsPass());
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addNestedPass<func::FuncOp>(createReuseOperandBuffersPass());
  // Here, because results that become views of vectors' loops are no longer seen through.
  addWriteToCaller(pm);
  pm.addNestedPass<func::FuncOp>(
      createSelectTilingPass({TilingLevel::distribution, options.taskWork}));
  pm.addNestedPass<func::FuncOp>(createDistributeTasksPass());
  pm.addNestedPass<func::FuncOp>(createResolveSizesPass());
  // Operands that several operations of a tile read were put into it for each of them.
  pm.addPass(createCsePass());
  pm.addNestedPass<func::FuncOp>(createSelectTilingPass({TilingLevel::cache, options.taskWork}));
  pm.addNestedPass<func::FuncOp>(createCacheTilingPass());
  pm.addNestedPass<func::FuncOp>(createResolveSizesPass());
  pm.addPass(createCsePass());
  pm.addNestedPass<func::FuncOp>(createReuseOperandBuffersPass());
}

void addVectorizeStage(OpPassManager &pm, const PipelineOptions &options) {
  if (options.recordDecisions)
    pm.addNestedPass<func::FuncOp>(createAssignOpIdsPass());
  pm.addNestedPass<func::FuncOp>(createSelectTilingPass({TilingLevel::vector, options.taskWork}));
  pm.addNestedPass<func::FuncOp>(createVectorizePass());
  addCleanups(pm);
  addLicm(pm);
}

void addBuffers(OpPassManager &pm, const PipelineOptions &options, bool writeToCaller) {
  pm.addPass(createLowerNbitsPass());
  pm.addNestedPass<func::FuncOp>(createLowerPacksPass({LoweredPads::all}));
  if (writeToCaller)
    addWriteToCaller(pm);
  addBufferize(pm);
  pm.addNestedPass<func::FuncOp>(createResolveSizesPass());
  if (options.lowersBench)
    pm.addPass(createLowerBenchPass());
  pm.addNestedPass<func::FuncOp>(createFuseParallelLoopsPass());
  pm.addNestedPass<func::FuncOp>(createPadLeadingDimensionPass());
  pm.addNestedPass<func::FuncOp>(createPlanWorkspacePass());
  pm.addNestedPass<func::FuncOp>(createLowerCopiesPass({options.taskWork}));
  pm.addPass(createOutlineConstantsPass({options.weightPrefix}));
}

void addBufferizeStage(OpPassManager &pm, const PipelineOptions &options) {
  addBuffers(pm, options, /*writeToCaller=*/true);
}

/// The buffers of the reference pipeline, which copies results into the caller's memory: upstream
/// takes quadratic time to find out what could be written there.
void addReferenceBufferizeStage(OpPassManager &pm, const PipelineOptions &options) {
  addTemplateInstances(pm);
  pm.addNestedPass<func::FuncOp>(
      createDecomposeNamedOpsPass({/*productsOnly=*/false, /*byDefinition=*/true}));
  pm.addNestedPass<func::FuncOp>(createPromoteAccumulatorsPass());
  addBuffers(pm, options, /*writeToCaller=*/false);
}

/// Contractions become loops around calls of micro-kernels, of which there are descriptors.
void addMacroKernelStage(OpPassManager &pm, const PipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createInsertPrefetchesPass());
  pm.addNestedPass<func::FuncOp>(createNonTemporalStoresPass());
  pm.addPass(createTppToUkernelPass());
  pm.addNestedPass<func::FuncOp>(createTppToLinalgPass());
  pm.addPass(createGemmToMacroKernelPass());
  addCleanups(pm);
  addFoldIntoUkernels(pm);
  addLicm(pm);
}

/// Descriptors become code.
void addMicroKernelStage(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createGenerateMicroKernelsPass({options.provider}));
  addTemplateInstances(pm);
}

/// Without cleanups in between: they would make one loop of nested ones.
void addParallelStage(OpPassManager &pm, const PipelineOptions &options) {
  if (!options.stepClock.empty())
    pm.addPass(createInstrumentOpsPass({options.stepClock}));
  pm.addNestedPass<func::FuncOp>(createForallToParallelLoopPass());
  // Before tasks are outlined, which launches pass pointers and sizes to.
  pm.addPass(createOutlineTasksPass());
  pm.addPass(createBackendPasses(PassPoint::tasks));
}

/// Conversions of what has an index, function by function where a pass allows it: upstream's look
/// through all their rewrites again and again.
void addConversions(OpPassManager &pm) {
  ConvertToLLVMPassOptions controlFlow;
  controlFlow.filterDialects = {"cf"};
  pm.addNestedPass<func::FuncOp>(createConvertVectorToLLVMPass());
  pm.addNestedPass<func::FuncOp>(createConvertMathToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addNestedPass<func::FuncOp>(createArithToLLVMConversionPass());
  pm.addNestedPass<func::FuncOp>(createConvertToLLVMPass(controlFlow));
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(functions));
}

/// Like addConversions above, but for indices of another width than 64 bits.
void addConversions(OpPassManager &pm, unsigned indexBits) {
  pm.addNestedPass<func::FuncOp>(createVectorToLlvmPass());
  pm.addNestedPass<func::FuncOp>(createConvertMathToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memory;
  memory.indexBitwidth = indexBits;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memory));
  pm.addNestedPass<func::FuncOp>(createArithToLLVMConversionPass({indexBits}));
  pm.addPass(createConvertControlFlowToLLVMPass({indexBits}));
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  functions.indexBitwidth = indexBits;
  pm.addPass(createConvertFuncToLLVMPass(functions));
}

void addLlvmStage(OpPassManager &pm, const PipelineOptions &options) {
  // Operations that the vectorizer left, or that were never meant for it.
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createExpandMathPass());
  pm.addPass(createBackendPasses(PassPoint::instructions));
  pm.addNestedPass<func::FuncOp>(createConvertVectorToSCFPass());
  pm.addPass(createLowerMicroKernelCallsPass());
  pm.addPass(createEmulateNarrowFloatsPass());
  pm.addNestedPass<func::FuncOp>(createMaskTailsPass());
  pm.addNestedPass<func::FuncOp>(createSoftwarePipeliningPass());
  pm.addNestedPass<func::FuncOp>(createSCFToControlFlowPass());
  pm.addNestedPass<func::FuncOp>(memref::createExpandStridedMetadataPass());
  pm.addNestedPass<func::FuncOp>(createLowerAffinePass());
  if (options.indexBits == PipelineOptions().indexBits)
    addConversions(pm);
  else
    addConversions(pm, options.indexBits);
  pm.addPass(createLowerRuntimeCallsPass());
  pm.addPass(createUBToLLVMConversionPass({options.indexBits}));
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (options.addTestPasses)
    options.addTestPasses(pm);
  addCleanups(pm);
}

constexpr Stage raise{"raise",
                      "What is spelled out gets its name: contractions become tile operations, "
                      "products and softmax an attention.",
                      addRaiseStage};
constexpr Stage fuse{"fuse", "Elementwise operations become one, or epilogues of contractions.",
                     addFuseStage};
constexpr Stage pack{"pack", "Operands get their layouts; constants are packed.", addPackStage};
constexpr Stage tiling{"tiling", "Operations become loops over tiles of tasks and caches.",
                       addTilingStage};
constexpr Stage vectorLoops{"vectorize", "What is no tile operation becomes loops over vectors.",
                            addVectorizeStage};
constexpr Stage buffers{"bufferize",
                        "Tensors become buffers in one workspace; weights leave the "
                        "module.",
                        addBufferizeStage};
constexpr Stage referenceBuffers{"reference-bufferize", "Sums are widened; tensors become buffers.",
                                 addReferenceBufferizeStage};
constexpr Stage macroKernels{"macro-kernel",
                             "Tile operations become loops around calls of micro-kernels.",
                             addMacroKernelStage};
constexpr Stage microKernels{"micro-kernel", "Providers write the micro-kernels.",
                             addMicroKernelStage};
constexpr Stage parallel{"parallel", "Parallel loops become tasks for an executor.",
                         addParallelStage};
constexpr Stage llvmDialect{"llvm", "Everything becomes the LLVM dialect.", addLlvmStage};

} // namespace

ArrayRef<Stage> optimizedStages() {
  static constexpr Stage stages[] = {raise,   fuse,         pack,         tiling,   vectorLoops,
                                     buffers, macroKernels, microKernels, parallel, llvmDialect};
  return stages;
}

ArrayRef<Stage> referenceStages() {
  static constexpr Stage stages[] = {referenceBuffers, parallel, llvmDialect};
  return stages;
}

void addStage(OpPassManager &pm, const Stage &stage, const PipelineOptions &options) {
  stage.add(pm, options);
  const StageContract *contract = findStageContract(stage.name);
  assert(contract && "each stage has a contract");
  if (options.verifyStages)
    pm.addPass(createVerifyStagePass(*contract));
}

void addStages(OpPassManager &pm, ArrayRef<Stage> stages, const PipelineOptions &options) {
  for (const Stage &stage : stages)
    addStage(pm, stage, options);
}

} // namespace kgen
