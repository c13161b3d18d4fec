// The passes for machines whose memories a program fills explicitly: from the ingress to scheduled
// code on buffers, in upstream's dialects.
#pragma once

#include <mlir/Pass/PassManager.h>

namespace kgen {

/// Applies the schedules, gives buffers their memories and bufferizes. Loops with several buffers
/// are pipelined.
void addMachinePipeline(mlir::OpPassManager &pm);

} // namespace kgen
