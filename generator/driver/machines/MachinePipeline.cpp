#include "driver/machines/MachinePipeline.h"

#include "driver/machines/Machines.h"
#include "pipeline/AllPasses.h"
#include "pipeline/SubPipelines.h"

#include <mlir/Dialect/Bufferization/Transforms/Passes.h>
#include <mlir/Pass/PassRegistry.h>
#include <mlir/Transforms/Passes.h>

using namespace mlir;

namespace kgen {

static void addScheduled(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createMathToUpstreamPass());
  pm.addPass(createApplySchedulesPass());
}

static void addMemories(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createAssignMemoriesPass());
  // Pads of the graph are fills and copies: DMA engines do both.
  pm.addNestedPass<func::FuncOp>(createLowerPacksPass({LoweredPads::all}));
  pm.addPass(createCanonicalizerPass());
}

static void addBuffers(OpPassManager &pm) {
  // Twice, as bufferization begins with it: the first of several parts that are inserted into one
  // result gets a slice of an empty tensor, and that tensor the caller's memory afterwards.
  addWriteToCaller(pm);
  addWriteToCaller(pm);
  addBufferize(pm);
  // Buffers of a loop's copies in front of it, as kgen-multibuffer-copies wants them.
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  pm.addNestedPass<func::FuncOp>(createMultibufferCopiesPass());
  addCleanups(pm);
}

ArrayRef<MachineStage> machineStages() {
  static constexpr MachineStage stages[] = {
      {"scheduled", addScheduled}, {"memories", addMemories}, {"buffers", addBuffers}};
  return stages;
}

void addMachinePipeline(OpPassManager &pm) {
  for (const MachineStage &stage : machineStages())
    stage.add(pm);
}

void registerMachinePipeline() {
  PassPipelineRegistration<>("kgen-machine",
                             "Scheduled code on buffers, for machines with explicit memories.",
                             addMachinePipeline);
}

} // namespace kgen
