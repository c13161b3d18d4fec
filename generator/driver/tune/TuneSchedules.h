// kgen tune --machine: the values of schedules' parameters, by simulated cycles.
#pragma once

#include "schedules/ScheduleScript.h"
#include "spec/Spec.h"
#include "support/Diagnostics.h"

#include <optional>

namespace kgen {

struct TuneSchedulesOptions {
  std::string specPath, machine;
  std::vector<std::string> graphs; ///< patterns; empty: all
  std::vector<std::string> targetSearchPath;
  ModelBindings bindings{}; ///< see loadLibrary
};

struct ScheduleTrial {
  ScheduleParameters parameters;
  double cycles = 0;
  int64_t l3Bytes = 0, l2Bytes = 0; ///< between L3 and L2, between L2 and L1; both directions
  std::string fault;                ///< why the values cannot be used; empty: they can
};

struct TunedSchedules {
  std::string graph;
  std::vector<ScheduleTrial> trials; ///< the fastest first; what cannot be used last
};

/// Tries all combinations of values for the parameters of the schedules that each graph's nodes
/// have. Graphs whose schedules have no parameters are left out. Nothing after an error of the
/// spec.
std::optional<std::vector<TunedSchedules>> tuneSchedules(const TuneSchedulesOptions &options,
                                                         Diagnostics &diagnostics);

} // namespace kgen
