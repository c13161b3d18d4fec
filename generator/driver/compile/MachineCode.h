// One graph for a machine: typed graph in, scheduled code on buffers out.
#pragma once

#include "driver/compile/Compile.h"
#include "spec/MachineSpec.h"

#include <mlir/IR/OwningOpRef.h>

namespace kgen {

struct MachineGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< one function, upstream's dialects only
  AttachedSchedules schedules;
  std::vector<ExplainedWaste> waste; ///< copies that the schedules make and need not
};

/// Takes the code after each stage, the ingress with its schedules first.
using DumpMachineStage = std::function<void(const std::string &stage, mlir::ModuleOp module)>;

/// The code belongs to `context`, which has the dialects of pipelineDialects(). With `reference`,
/// the module has a second function of that name, which computes the same without a schedule.
/// Errors are ScheduleErrors where the spec's schedules are wrong.
llvm::Expected<MachineGraph> scheduleGraph(const Graph &graph, const MachineSpec &machine,
                                           const std::vector<ScheduleSpec> &schedules,
                                           const ScheduleParameters &parameters,
                                           const std::string &reference, mlir::MLIRContext &context,
                                           const DumpMachineStage &dumpStage = {});

/// Returns which schedules the nodes have, without applying them.
llvm::Expected<AttachedSchedules> schedulesOf(const Graph &graph, const MachineSpec &machine,
                                              const std::vector<ScheduleSpec> &schedules,
                                              mlir::MLIRContext &context);

/// Errors of schedules are the spec's; what else there is comes back.
llvm::Error takeScheduleErrors(llvm::Error error, Diagnostics &diagnostics);

/// An error of the functions above, in the spec where it belongs there.
void reportScheduleError(llvm::Error error, const std::string &specPath, Diagnostics &diagnostics);

/// The module as text that upstream's tools read.
std::string machineText(mlir::ModuleOp module);

} // namespace kgen
