// The functions of a module that a simulation is about.
#pragma once

#include "simulate/Simulate.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

struct SimulatedFunctions {
  mlir::func::FuncOp scheduled, reference; ///< `reference` may be null
};

/// Chooses them; reports what is missing or ambiguous.
std::optional<SimulatedFunctions>
chooseFunctions(mlir::ModuleOp module, const SimulationOptions &options, Diagnostics &diagnostics);

/// A module with nothing but the function and constants, on memrefs: tensors are bufferized,
/// results become arguments. Null if that fails; reported.
mlir::OwningOpRef<mlir::ModuleOp> bufferizedModule(mlir::func::FuncOp function,
                                                   Diagnostics &diagnostics);

} // namespace kgen
