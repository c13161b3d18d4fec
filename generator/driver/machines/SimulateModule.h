// The figures of scheduled code that is there already.
#pragma once

#include "simulate/Simulate.h"

namespace kgen {

/// simulate() on the module, and the comparison of its results.
std::optional<SimulationReport> simulateModule(mlir::ModuleOp module, const MachineSpec &machine,
                                               const SimulationOptions &options,
                                               Diagnostics &diagnostics);

} // namespace kgen
