// The softmax of a tensor, for every operator that has one.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// exp(x) / sum(exp(x)) along an axis, computed in the type to compute in and rounded to `type`,
/// which has x's shape.
mlir::Value softmax(LoweringContext &c, mlir::Value x, int64_t axis, mlir::RankedTensorType type);

} // namespace kgen
