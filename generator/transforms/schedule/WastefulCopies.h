// Copies of schedules that a better one would not make (kgen-apply-schedules).
#pragma once

#include "dialect/kgen/DecisionLog.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// Records each copy to a local memory that repeats what is there already, or moves nothing but
/// padding; returns how many there are.
int64_t recordWastefulCopies(mlir::func::FuncOp func, DecisionLog &log);

} // namespace kgen
