// The passes for machines whose memories a program fills explicitly: from the ingress to scheduled
// code on buffers, in upstream's dialects.
#pragma once

#include <mlir/Pass/PassManager.h>

#include <llvm/ADT/ArrayRef.h>

namespace kgen {

/// A step between two forms of the code that are worth looking at, as Stage is for CPUs.
struct MachineStage {
  llvm::StringLiteral name;
  void (*add)(mlir::OpPassManager &pm);
};

/// From the ingress with its schedules to buffers, in order.
llvm::ArrayRef<MachineStage> machineStages();

/// All of them. Loops with several buffers are pipelined.
void addMachinePipeline(mlir::OpPassManager &pm);

} // namespace kgen
