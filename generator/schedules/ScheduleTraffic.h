// Traffic of a schedule, by formula: nothing is run.
#pragma once

#include "schedules/ScheduleScript.h"
#include "spec/MachineTraffic.h"

namespace kgen {

/// An operand that is kept in a memory is copied once in each iteration of the loops down to the
/// one that keeps it, those among it that the operand does not depend on; `out` leaves a memory
/// once for each part of it. `epilogue`: the elementwise operation after it; its other operands
/// come to L1 once a core. Between L3 and a memory nothing but what there is moves, within the
/// machine whole tiles.
MachineTraffic scheduleTraffic(const ScheduleSpec &schedule, const ScheduledOperator &op,
                               const ScheduleParameters &parameters,
                               const std::optional<ScheduledOperator> &epilogue);

} // namespace kgen
