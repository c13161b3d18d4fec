// The order of passes, on one screen.
#include "pipeline/Pipeline.h"

#include "providers/Provider.h"
#include "transforms/Passes.h"

#include <mlir/Conversion/AffineToStandard/AffineToStandard.h>
#include <mlir/Conversion/ArithToLLVM/ArithToLLVM.h>
#include <mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h>
#include <mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h>
#include <mlir/Conversion/MathToLLVM/MathToLLVM.h>
#include <mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h>
#include <mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h>
#include <mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h>
#include <mlir/Conversion/UBToLLVM/UBToLLVM.h>
#include <mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h>
#include <mlir/Conversion/VectorToSCF/VectorToSCF.h>
#include <mlir/Dialect/Bufferization/Transforms/Passes.h>
#include <mlir/Dialect/Linalg/Passes.h>
#include <mlir/Dialect/MemRef/Transforms/Passes.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;

namespace kgen {

static void addCleanups(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void addLayoutStage(OpPassManager &pm, const PipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createContractionsToTppPass());
  // Every other named operation becomes a generic, so that chains of elementwise operations fuse.
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addPass(createLinalgElementwiseOpFusionPass());
  // In this order: upstream's fusion moves reshapes towards contractions.
  pm.addNestedPass<func::FuncOp>(createPropagateReshapesPass());
  pm.addNestedPass<func::FuncOp>(createFuseEpiloguesPass());
  addCleanups(pm);
  pm.addNestedPass<func::FuncOp>(createPackOperandsPass());
  pm.addPass(createFoldConstantPacksPass());
}

void addVectorStage(OpPassManager &pm, const PipelineOptions &) {
  pm.addNestedPass<func::FuncOp>(createLowerPacksPass());
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addNestedPass<func::FuncOp>(createVectorizePass());
  addCleanups(pm);
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
}

/// One-shot bufferization; the interface of a graph already consists of memrefs.
static void addBufferization(OpPassManager &pm) {
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  // In this order: a copy of a slice onto itself vanishes only after both slices have become one
  // value.
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createPlanWorkspacePass());
}

void addBufferStage(OpPassManager &pm, const PipelineOptions &options) {
  addBufferization(pm);
  pm.addNestedPass<func::FuncOp>(createLowerCopiesPass());
  pm.addPass(createOutlineConstantsPass({options.weightPrefix}));
}

void addMicroKernelStage(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createTileGemmsPass());
  addCleanups(pm);
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  pm.addPass(createGenerateMicroKernelsPass({options.provider}));
}

void addLlvmStage(OpPassManager &pm, const PipelineOptions &) {
  // What the vectoriser left alone, and what was never meant for it.
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createExpandMathPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerMicroKernelCallsPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(functions));
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  addCleanups(pm);
}

void addOptimisedPipeline(OpPassManager &pm, const PipelineOptions &options) {
  addLayoutStage(pm, options);
  addVectorStage(pm, options);
  addBufferStage(pm, options);
  addMicroKernelStage(pm, options);
}

void addReferencePipeline(OpPassManager &pm, const PipelineOptions &options) {
  addBufferStage(pm, options);
}

} // namespace kgen
