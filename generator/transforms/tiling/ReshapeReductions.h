// Reshapes reductions so that they fill vectors.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// Numbers of places that a rewrite changed, and of those that nearly matched it and were left.
struct RewriteCounts {
  unsigned rewritten = 0, refused = 0;
};

/// Transposes operands so that reductions of short rows become vertical: one row per lane.
RewriteCounts transposeInnerReductions(mlir::func::FuncOp function, TargetAttr target,
                                       DecisionLog &log);

/// Splits outer reductions so that several short rows become one that fills whole vectors.
RewriteCounts splitOuterReductions(mlir::func::FuncOp function, DecisionLog &log);

} // namespace kgen
