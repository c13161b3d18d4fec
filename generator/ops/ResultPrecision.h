// The precision that functions of a node need (dialect/kgen/PrecisionHints.h).
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// Marks an operation of a node whose first input has elements of 16 bits, as its functions are.
void markPrecision(LoweringContext &c, mlir::Operation *op);

} // namespace kgen
