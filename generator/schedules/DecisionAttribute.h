// Single decisions of a schedule on a node, as passes read them.
#pragma once

#include "schedules/Nest.h"
#include "spec/ScheduleSpec.h"

#include <mlir/IR/Builders.h>

namespace kgen {

/// An entry of `kgen.node_decisions` (dialect/kgen/Schedule.h).
mlir::DictionaryAttr decisionAttribute(const std::string &node, const ScheduleSpec &schedule,
                                       const ScheduleParameters &parameters,
                                       mlir::Builder &builder);

} // namespace kgen
