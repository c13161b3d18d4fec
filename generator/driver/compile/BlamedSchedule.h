// Tells failures of passes that a schedule caused from defects of kgen.
#pragma once

#include "schedules/AttachSchedules.h"

#include <llvm/Support/Error.h>

#include <set>

namespace kgen {

/// The schedule that is to blame for what passes reported, or null: that of the node which a pass
/// has named, or else of a node for which an error was reported. Without schedules, kgen compiles
/// every node.
const AttachedSchedule *blamedSchedule(mlir::ModuleOp module,
                                       const std::set<std::string> &failedNodes,
                                       const AttachedSchedules &schedules);

/// The error of a node's schedule, at the node in the spec; the schedule's place is in the hint.
llvm::Error scheduleFailure(const Graph &graph, const AttachedSchedule &schedule,
                            llvm::Error error);

} // namespace kgen
