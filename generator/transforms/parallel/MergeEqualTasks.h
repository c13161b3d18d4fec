#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Makes one function of private ones that differ only in the constants that they read, for all
/// that `kgen.launch` or `func.call` names: those constants become arguments. Returns how many
/// functions are no more.
int64_t mergeEqualTasks(mlir::ModuleOp module);

} // namespace kgen
