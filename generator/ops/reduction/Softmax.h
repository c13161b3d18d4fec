// The softmax of a tensor, for every operator that has one.
#pragma once

#include "ops/reduction/ReducedMaps.h"

namespace kgen {

/// exp(x) / sum(exp(x)) along an axis, computed in the type to compute in and rounded to `type`,
/// which has x's shape. Where all elements along the axis are -inf, it is NaN, or 0 with
/// `maskedToZero`.
mlir::Value softmax(LoweringContext &c, mlir::Value x, int64_t axis, mlir::RankedTensorType type,
                    bool maskedToZero = false);

/// The largest element, and the sum of the powers exp(x - largest).
struct ExpSum {
  mlir::Value max, sum;
};

/// Of all elements that are reduced to one. With `infinities`, the logarithm of the sum and the
/// largest element add up to the logarithm of all exp(x) also where that is infinite.
ExpSum expSum(LoweringContext &c, mlir::Value x, const ReducedMaps &maps, bool infinities);

/// Along an axis of a tensor of `type`: in one pass over what no cache keeps. With `maskedToZero`,
/// the sum of elements that are all -inf is 0.
ExpSum expSum(LoweringContext &c, mlir::Value x, int64_t axis, mlir::RankedTensorType type,
              bool infinities, bool maskedToZero = false);

} // namespace kgen
