// A schedule as text: for `kgen explain`, and for what identifies a library.
#pragma once

#include "spec/Spec.h"

namespace kgen {

/// The schedule as an entry of `schedules:`, which reads as the same schedule.
std::string scheduleText(const ScheduleSpec &schedule);

/// Paths of the scripts that a library's schedules name.
std::vector<std::string> scheduleFiles(const LibrarySpec &library);

} // namespace kgen
