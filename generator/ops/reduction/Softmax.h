// The softmax of a tensor, for every operator that has one.
#pragma once

#include "dialect/kgen/NamedOps.h"
#include "ops/Lowering.h"

namespace kgen {

/// kgen.softmax along an axis, to elements of the type of `x`. Where all elements along the axis
/// are -inf, it is NaN, or 0 with `maskedToZero`.
mlir::Value softmax(LoweringContext &c, mlir::Value x, int64_t axis, bool maskedToZero = false);

} // namespace kgen
