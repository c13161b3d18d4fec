// The schedule of a node that has none, on a machine.
#pragma once

#include "schedules/ScheduleScript.h"
#include "spec/MachineSpec.h"

#include <optional>

namespace kgen {

/// The largest parts that fit into the machine's memories with two buffers for each operand that is
/// copied: of those that take at most 2 % more time than the fastest, the one that moves the fewest
/// bytes. Nothing if none fits.
std::optional<ScheduleSpec> defaultSchedule(const MachineSpec &machine, const ScheduledOperator &op,
                                            llvm::ArrayRef<mlir::Type> epilogue);

} // namespace kgen
