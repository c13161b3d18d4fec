// kgen simulate: a scheduled function of a file on the model of a machine.
#pragma once

#include "simulate/Simulate.h"
#include "spec/Spec.h"

#include <vector>

namespace kgen {

struct SimulateOptions {
  std::string path;    ///< a .mlir file, a spec or a model
  std::string graph;   ///< of a spec; empty: the only one
  std::string machine; ///< a name, or the path of a file
  std::vector<std::string> targetSearchPath;
  ModelBindings bindings; ///< see loadLibrary
  SimulationOptions simulation;
};

/// Reads the file and the machine, runs the function, and compares its results with the
/// reference's. Nothing if it could not be run. What is wrong, the schedule's faults among it, goes
/// to the diagnostics.
std::optional<SimulationReport> simulateFile(const SimulateOptions &options,
                                             Diagnostics &diagnostics);

/// simulate() on a module that is there already, and the comparison of its results.
std::optional<SimulationReport> simulateModule(mlir::ModuleOp module, const MachineSpec &machine,
                                               const SimulationOptions &options,
                                               Diagnostics &diagnostics);

} // namespace kgen
