// The loops of kgen.softmax and kgen.log_sum_exp.
#pragma once

#include "dialect/kgen/NamedOps.h"

#include <string>

namespace kgen {

/// The loops of an operation.
struct DecomposedOp {
  mlir::Value result;
  std::string form; ///< that was chosen, for `kgen explain`
};

/// Builds the loops that suit the caches of the target, before `op`.
DecomposedOp buildSoftmax(mlir::OpBuilder &b, SoftmaxOp op);
DecomposedOp buildLogSumExp(mlir::OpBuilder &b, LogSumExpOp op);

} // namespace kgen
