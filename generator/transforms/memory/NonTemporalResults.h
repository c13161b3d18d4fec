// Non-temporal stores for function results larger than the last-level cache that the function does
// not read.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// Results of a function that were rewritten, and those of the same size that could not be.
struct NonTemporalResultCounts {
  int64_t rewritten = 0, refused = 0;
};

/// Clones each operation that writes such results, with non-temporal stores in the copy, which runs
/// where all of them are aligned.
NonTemporalResultCounts storeResultsNonTemporally(mlir::func::FuncOp function, TargetAttr target,
                                                  DecisionLog &log);

} // namespace kgen
