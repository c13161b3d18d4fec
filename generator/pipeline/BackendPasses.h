// Work of stages that they leave to the target's back end.
#pragma once

#include "backend/Backend.h"

#include <memory>

namespace kgen {

/// Runs the passes that the back end of the module's target has for a point; none without a target.
/// They are known when the module is: one list of stages serves all targets.
std::unique_ptr<mlir::Pass> createBackendPasses(PassPoint point);

} // namespace kgen
