// Single decisions of a schedule that are impossible, whatever becomes of the node.
#pragma once

#include "graph/Graph.h"
#include "schedules/ScheduleScript.h"
#include "schedules/ScheduledOperator.h"

#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Reports a register tile that leaves no register for an operand, at its key, and warns of one
/// whose rows do not divide the product's. `op` is null where the node's loops have no names.
void checkDecisions(const ScheduleSpec &schedule, const Graph &graph, const Node &node,
                    const ScheduledOperator *op, const ScheduleParameters &parameters,
                    mlir::ModuleOp module, Diagnostics &diagnostics);

} // namespace kgen
