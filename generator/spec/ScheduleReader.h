// Reads the `schedules:` of a file, a library's or a target's. Private to spec/.
#pragma once

#include "spec/Fields.h"
#include "spec/ScheduleSpec.h"

namespace kgen {

/// Appends the schedules of the map to `schedules`. Errors, and names that are taken, are reported.
void readSchedules(const SpecReader &reader, const YamlNode &map,
                   std::vector<ScheduleSpec> &schedules);

/// Reads the `schedules:` of a target's file: a map of its own ones, or a list of names.
void readTargetSchedules(const SpecReader &reader, const YamlNode &node,
                         TargetSchedules &schedules);

} // namespace kgen
