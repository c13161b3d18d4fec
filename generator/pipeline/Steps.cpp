// Steps that are one line over upstream's passes, or a short list of passes that belong together.
#include "pipeline/Steps.h"

#include "transforms/Passes.h"

#include <mlir/Dialect/Bufferization/Transforms/Passes.h>
#include <mlir/Dialect/Linalg/Passes.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;

namespace kgen {

void addCleanups(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void addFoldIntoElementwise(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addNestedPass<func::FuncOp>(createFuseElementwiseTreesPass());
  pm.addPass(createLinalgElementwiseOpFusionPass());
}

void addPackedLayout(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createPropagatePackingPass());
  addCleanups(pm);
  pm.addPass(createFoldConstantPacksPass());
  addCleanups(pm);
  // Not before: constants are folded by their packs, not by reshapes.
  pm.addNestedPass<func::FuncOp>(createSimplifyPacksPass());
  addCleanups(pm);
}

void addWriteToCaller(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createUniquifyEmptiesPass());
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
}

/// The interface of a graph already consists of memrefs.
void addBufferize(OpPassManager &pm) {
  addWriteToCaller(pm);
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion = bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  // In this order: a copy of a slice onto itself vanishes only after both slices have become one
  // value.
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
}

void addLicm(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
}

ArrayRef<Step> steps() {
  static constexpr Step list[] = {
      {"fold-into-eltwise", "Chains of elementwise operations, named or not, become one each.",
       addFoldIntoElementwise},
      {"packed-layout",
       "Packs and unpacks are moved through the graph, folded into constants and cancelled.",
       addPackedLayout},
      {"write-to-caller", "Results are computed in the memory that the caller gave for them.",
       addWriteToCaller},
      {"bufferize", "One-shot bufferization, without copies of slices onto themselves.",
       addBufferize},
      {"licm", "What does not change in a loop moves out of it.", addLicm},
  };
  return list;
}

} // namespace kgen
