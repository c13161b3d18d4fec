// The schedules of a graph for a machine, without its code.
#pragma once

#include "driver/machines/Machines.h"

namespace kgen {

/// Returns which schedules the nodes have, without applying them.
llvm::Expected<AttachedSchedules> schedulesOf(const Graph &graph, const MachineSpec &machine,
                                              const std::vector<ScheduleSpec> &schedules,
                                              mlir::MLIRContext &context);

} // namespace kgen
