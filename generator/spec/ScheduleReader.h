// Reads the `schedules:` of a file. Private to spec/.
#pragma once

#include "spec/Fields.h"
#include "spec/ScheduleSpec.h"

namespace kgen {

/// Appends the schedules of the map to `schedules`. Errors, and names that are taken, are reported.
void readSchedules(const SpecReader &reader, const YamlNode &map,
                   std::vector<ScheduleSpec> &schedules);

} // namespace kgen
