// Limits of the script of a schedule: so that each ends, and soon.
#pragma once

#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Operations that the function of a scheduled node may have while its script runs.
constexpr int64_t maxScriptOperations = int64_t(1) << 14;
/// Steps of a script: of each transform operation that runs one for itself, one for each operation
/// of the node's function, and one for each element of its operands.
constexpr int64_t maxScriptSteps = int64_t(1) << 21;

/// Adds the operations that `addStepCounts` inserts to the transform dialect.
void registerScriptSteps(mlir::DialectRegistry &registry);

/// Puts an operation that counts steps before each one of the sequences in `library`. A script
/// that exceeds a limit fails there: an error at the operation that names the limit.
void addStepCounts(mlir::ModuleOp library);

} // namespace kgen
