// What every reader of functions of an .mlir file begins with.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// The function becomes the module's only public one. What it calls becomes a part of it, and what
/// it does not call goes; calls that cannot be inlined stay.
mlir::LogicalResult isolateFunction(mlir::func::FuncOp function);

bool usesTosa(mlir::Operation *op); ///< it, or an operation in it

} // namespace kgen
