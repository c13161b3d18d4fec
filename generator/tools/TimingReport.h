// --timing: where the time of a command went, as a table and as JSON.
#pragma once

#include "support/Json.h"
#include "tools/Progress.h"

#include <iosfwd>

namespace kgen {

/// Adds what was recorded as "timing", with --timing only.
void addTimingTo(Json &json);
/// Prints the table of what was recorded, with --timing only.
void printTiming(std::ostream &os);

/// While it lives, stages of compilation show in the progress: on a terminal each that begins,
/// elsewhere those that took a second or more, with their time.
class StageProgress {
public:
  /// Shows nothing if `progress` is null.
  explicit StageProgress(Progress *progress);
  ~StageProgress();
  StageProgress(const StageProgress &) = delete;
};

} // namespace kgen
