// Packs and unpacks between the memories of a schedule (kgen-assign-memories).
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// Makes transposes between views of the packs and unpacks in loops of schedules; returns their
/// number, or fails after an error.
mlir::FailureOr<int64_t> lowerLocalPacks(mlir::func::FuncOp func);

} // namespace kgen
