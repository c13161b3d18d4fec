// Machines.h of a kgen without the component, but for the pipeline of kgen-opt.
#include "driver/machines/Machines.h"
#include "support/Components.h"

namespace kgen {

static void refuse(const std::string &machine, Diagnostics &diagnostics) {
  diagnostics.error({"--machine " + machine, 0, 0}, machinesComponent().refusal(),
                    machinesComponent().advice());
}

llvm::Expected<MachineGraph> scheduleGraph(const Graph &, const MachineSpec &,
                                           const std::vector<ScheduleSpec> &,
                                           const ScheduleParameters &, const std::string &,
                                           mlir::MLIRContext &, const DumpMachineStage &) {
  return llvm::createStringError(machinesComponent().refusal());
}

std::string machineText(mlir::ModuleOp) { llvm_unreachable("there is no code for machines"); }

std::unique_ptr<Simulation> simulateFile(const SimulateOptions &options, Diagnostics &diagnostics) {
  refuse(options.machine, diagnostics);
  return nullptr;
}

std::optional<std::vector<TunedSchedules>> tuneSchedules(const TuneSchedulesOptions &options,
                                                         Diagnostics &diagnostics) {
  refuse(options.machine, diagnostics);
  return std::nullopt;
}

} // namespace kgen
