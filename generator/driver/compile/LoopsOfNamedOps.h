// Operators by name as loops before the pipeline begins: for those who look for loops of nodes.
#pragma once

#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Makes the loops of a target of all operators by name (kgen-decompose-named-ops): schedules are
/// for loops, and patterns of templates are compared with them.
mlir::LogicalResult decomposeNamedOps(mlir::ModuleOp module);

} // namespace kgen
