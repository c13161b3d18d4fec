#include "pipeline/MachinePipeline.h"

#include "pipeline/SubPipelines.h"
#include "transforms/Passes.h"

#include <mlir/Dialect/Bufferization/Transforms/Passes.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;

namespace kgen {

void addMachinePipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createMathToUpstreamPass());
  pm.addPass(createApplySchedulesPass());
  pm.addNestedPass<func::FuncOp>(createVerifySchedulesPass());
  pm.addNestedPass<func::FuncOp>(createAssignMemoriesPass());
  pm.addNestedPass<func::FuncOp>(createLowerLocalPacksPass());
  // Pads of the graph are fills and copies: DMA engines do both.
  pm.addNestedPass<func::FuncOp>(createLowerPadsPass());
  pm.addPass(createCanonicalizerPass());
  // Once more in front of bufferization: the first of several parts of one result is in a slice of
  // an empty tensor now.
  addWriteToCaller(pm);
  pm.addPass(createCanonicalizerPass());
  addBufferize(pm);
  // Buffers of a loop's copies in front of it, as kgen-multibuffer-copies wants them.
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  pm.addNestedPass<func::FuncOp>(createMultibufferCopiesPass());
  addCleanups(pm);
}

} // namespace kgen
