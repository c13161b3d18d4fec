// Short lists of passes that belong together, and upstream's passes with kgen's options.
#include "pipeline/SubPipelines.h"

#include "pipeline/AllPasses.h"
#include "templates/Templates.h"

#include <mlir/Dialect/Bufferization/Transforms/Passes.h>
#include <mlir/Dialect/Linalg/Passes.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;

namespace kgen {

void addCleanups(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCsePass());
}

void addFoldIntoElementwise(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createLinalgGeneralizeNamedOpsPass());
  pm.addNestedPass<func::FuncOp>(createFuseElementwisePass());
}

void addPackedLayout(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createPropagatePackingPass());
  addCleanups(pm);
  pm.addPass(createFoldConstantPacksPass());
  addCleanups(pm);
  // After kgen-fold-constant-packs, which knows packs of constants but no reshapes of them.
  pm.addNestedPass<func::FuncOp>(createPropagatePackingPass({/*simplify=*/true}));
  addCleanups(pm);
}

void addWriteToCaller(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createUniquifyEmptiesPass());
  pm.addPass(createEliminateEmptiesPass());
}

void addBufferize(OpPassManager &pm) {
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());
  pm.addPass(createBufferizeTensorsPass());
  // CSE first: canonicalization removes a copy of a slice onto itself only if both slices are one
  // value.
  pm.addPass(createCsePass());
  pm.addPass(createCanonicalizerPass());
}

void addLicm(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
}

void addFoldIntoUkernels(OpPassManager &pm) {
  pm.addPass(createFoldUkernelFlagsPass());
  pm.addPass(createCombineUkernelsPass());
  pm.addPass(createVerifyUkernelCallsPass());
  pm.addPass(createDeduplicateUkernelsPass());
}

ArrayRef<SubPipeline> subPipelines() {
  static constexpr SubPipeline list[] = {
      {"templates", "Instances take the place of calls of templates, and of what these replace.",
       addTemplates},
      {"fold-into-eltwise", "Chains of elementwise operations, named or not, become one each.",
       addFoldIntoElementwise},
      {"packed-layout",
       "Packs and unpacks are moved through the graph, folded into constants and cancelled.",
       addPackedLayout},
      {"write-to-caller", "Results are computed in the caller's memory.", addWriteToCaller},
      {"bufferize", "One-shot bufferization, without copies of slices onto themselves.",
       [](OpPassManager &pm) {
         addWriteToCaller(pm);
         addBufferize(pm);
       }},
      {"fold-into-ukernels",
       "Fills and elementwise operations around calls of micro-kernels join these; calls are "
       "checked, equal kernels become one.",
       addFoldIntoUkernels},
      {"licm", "Loop-invariant code moves out of its loop.", addLicm},
  };
  return list;
}

} // namespace kgen
