// The decisions of the vectorizer, written on the operations: strategy, loop and step of vectors,
// and how many of them an iteration does.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// Operations whose vectors were chosen, and that had some already.
struct VectorSelectionCounts {
  int64_t selected = 0, given = 0;
};

/// Gives each linalg.generic of the function the form that it is vectorized in, and writes
/// `strategy`, `vector` and `unroll` on it. What has the first two stays as it is; where one is
/// written alone, it is kept. An operation that another one fuses gets none. Reports what does not
/// fit the operation.
mlir::FailureOr<VectorSelectionCounts> selectVectors(mlir::func::FuncOp function, TargetAttr target,
                                                     DecisionLog &log);

} // namespace kgen
