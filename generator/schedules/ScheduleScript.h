// A schedule in YAML as the transform script that it stands for.
#pragma once

#include "schedules/ScheduledOperator.h"
#include "spec/ScheduleSpec.h"

#include <map>
#include <string>

namespace kgen {

using ScheduleParameters = std::map<std::string, int64_t>;

/// The size, or the value of the parameter that it names.
int64_t valueOf(const ScheduleSize &size, const ScheduleParameters &parameters);

/// The first value of each parameter.
ScheduleParameters defaultParameters(const ScheduleSpec &schedule);

/// Reports what of the schedule does not fit the operator: unknown loops, operands and memories,
/// reductions in parallel, sizes that do not divide those around them. Whether there was nothing.
bool checkSchedule(const ScheduleSpec &schedule, const ScheduledOperator &op,
                   const ScheduleParameters &parameters, Diagnostics &diagnostics);

/// The named sequence `@__kgen_schedule_SYMBOL` and what it includes, as the text of a module.
/// Applied to a function with one operation that has `kgen.schedule_root`. `epilogue`: operand
/// types of the elementwise operation after it that has `kgen.schedule_epilogue`, the root's
/// result first, the destination last; none: there is no such operation. The schedule has been
/// checked.
std::string scheduleScript(const ScheduleSpec &schedule, const ScheduledOperator &op,
                           const ScheduleParameters &parameters, const std::string &symbol,
                           llvm::ArrayRef<mlir::Type> epilogue);

} // namespace kgen
