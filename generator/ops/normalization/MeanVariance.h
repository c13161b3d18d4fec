// Elements less their mean and by their deviation: what normalizations are made of. The variance is
// that of the centred elements, sum((x - mean)^2) / n: the difference of two large sums would lose
// what is left of it.
#pragma once

#include "ops/reduction/ReducedMaps.h"

namespace kgen {

/// The tensor to normalize, and over which of its dimensions a mean is taken.
struct Normalized {
  mlir::Value x;
  mlir::RankedTensorType type; ///< of x and of the result
  ReducedMaps maps;
  double epsilon = 0;
  bool isOutsideRoot = false; ///< whether epsilon is added to the root, not under it
};

mlir::Value meanOf(LoweringContext &c, const Normalized &n);

/// 1 / sqrt(mean of squares + epsilon), or 1 / (sqrt(mean of squares) + epsilon), of what is left
/// when `centre` (or nothing) is subtracted.
mlir::Value inverseDeviation(LoweringContext &c, const Normalized &n, mlir::Value centre);

/// (x - centre) * inverse [* scale] [+ shift]; what is null is left out.
mlir::Value normalized(LoweringContext &c, const Normalized &n, mlir::Value centre,
                       mlir::Value inverse, Broadcast scale, Broadcast shift);

/// Rows of bf16 as numbers of the type to compute in, so that each element is converted once: that
/// takes two instructions, and three loops read it. Not where L1 would not keep them
/// beside their scale and bias, nor where rows are so short that several are read at a time, nor
/// where they come from memory: then instructions have time, and L1 holds more rows.
mlir::Value convertedOnce(LoweringContext &c, mlir::Value x, const ReducedMaps &maps);

/// Input `i`; weights of a narrow type as numbers of the type to compute in, so that they are not
/// converted for each row, unless they are long and so is what comes from memory beside them.
mlir::Value parameterOf(LoweringContext &c, size_t i);

} // namespace kgen
