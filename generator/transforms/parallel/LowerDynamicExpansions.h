// Views that make several dimensions of one whose sizes are known at run time.
#pragma once

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// Replaces each by a cast whose strides are computed; returns the number of views that were
/// replaced. See kgen-lower-dynamic-expansions.
int64_t lowerDynamicExpansions(mlir::func::FuncOp function);

} // namespace kgen
