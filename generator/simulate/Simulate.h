// Runs scheduled, bufferized functions on the model of a machine: docs/Simulate.md.
#pragma once

#include "simulate/Report.h"
#include "support/Diagnostics.h"

#include <mlir/IR/BuiltinOps.h>

#include <optional>
#include <string>

namespace kgen {

struct SimulationOptions {
  std::string function; ///< empty: the one with loops over blocks or cores, if there is only one
  std::string
      reference; ///< empty: another one with the same arguments and no such loops, if there is one
  bool data = false;     ///< compute, too, and keep what is in the arguments
  uint64_t seed = 1;     ///< of the inputs
  bool timeline = false; ///< keep what each engine did when
};

/// Runs a function of the module, and with data the reference as well. Faults of the schedule are
/// errors, and counted in the report. Nothing if the function cannot be run at all; reported.
std::optional<SimulationReport> simulate(mlir::ModuleOp module, const MachineSpec &machine,
                                         const SimulationOptions &options,
                                         Diagnostics &diagnostics);

} // namespace kgen
