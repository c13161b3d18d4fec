// Roundings within one body, which fusion leaves (kgen-fuse-epilogues).
#pragma once

#include "dialect/kgen/DecisionLog.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

struct RoundingCounts {
  int64_t folded = 0, kept = 0;
};
/// A value that is rounded and extended again within one body of linalg or tpp is used unrounded.
RoundingCounts foldTruncExt(mlir::func::FuncOp func, DecisionLog &log);

} // namespace kgen
