// Chooses the schedule of each node, and attaches it to the pipeline's module.
#pragma once

#include "graph/Graph.h"
#include "schedules/ScheduleScript.h"
#include "spec/MachineTraffic.h"

#include <mlir/IR/BuiltinOps.h>

#include <functional>

namespace kgen {

/// Makes the schedule of an operation that has none; nothing if no part of it fits.
using ScheduleFormula = std::function<std::optional<ScheduleSpec>(
    const ScheduledOperator &op, llvm::ArrayRef<mlir::Type> epilogue)>;

struct ScheduleRequest {
  const std::vector<ScheduleSpec> *schedules = nullptr;
  std::string target; ///< the name of the target that the code is for
  /// Of a machine, whose operations all need a schedule; null: of a CPU.
  ScheduleFormula formula;
  ScheduleParameters parameters; ///< values that replace the first ones of a schedule (kgen tune)
};

/// A node that has a schedule.
struct AttachedSchedule {
  std::string node, schedule;
  std::string part;   ///< of the node's result, with `ragged: split`: "m 960 to 999"; empty: all
  std::string script; ///< as `kgen explain --schedule` shows it
  std::optional<MachineTraffic> traffic; ///< by formula; nothing of scripts
  SourceLoc where{};                     ///< of the schedule; no line for one by formula
};

/// A schedule that was considered for a node, and the reason why it is not the node's.
struct RefusedSchedule {
  std::string node, schedule, reason;
};

struct AttachedSchedules {
  std::vector<AttachedSchedule> attached;
  std::vector<RefusedSchedule> refused;
  std::vector<Diagnostic> warnings; ///< of what is attached
};

/// Marks the operations of scheduled nodes in the module that the ingress made
/// (dialect/kgen/Schedule.h) and adds their scripts to it. A node has the schedule that it names,
/// else the one that matches it. Errors are located in the spec: a schedule that does not fit its
/// node, two that match one node, a script that cannot be parsed.
AttachedSchedules attachSchedules(mlir::ModuleOp module, const Graph &graph,
                                  const ScheduleRequest &request, Diagnostics &diagnostics);

} // namespace kgen
