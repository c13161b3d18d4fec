// Decides if a schedule is for a node. Private to schedules/.
#pragma once

#include "graph/Graph.h"
#include "schedules/ScheduleScript.h"

namespace kgen {

/// True if the schedule may be used in code for the target.
bool isForTarget(const ScheduleSpec &schedule, const std::string &target);

/// Returns why the schedule is not for the node; empty: it is. `op` is null where the node is no
/// contraction.
std::string mismatch(const ScheduleSpec &schedule, const Node &node, const ScheduledOperator *op,
                     const std::string &target);

} // namespace kgen
