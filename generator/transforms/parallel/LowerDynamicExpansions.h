// Views that make several dimensions of one whose sizes are known at run time.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// Computes their strides, and returns how many there were; see kgen-lower-dynamic-expansions.
int64_t lowerDynamicExpansions(mlir::func::FuncOp function);

} // namespace kgen
