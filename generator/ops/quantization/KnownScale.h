// Quantization by a scale and a zero point that are known.
#pragma once

#include "ops/Lowering.h"

#include <optional>

namespace kgen {

/// A scale and a zero point, one for all elements, that are numbers.
struct KnownScale {
  float scale;
  int64_t zeroPoint;

  /// That of a node's inputs; `zeroPoint` may be skipped. Nothing if they are not known, if there
  /// are several, or if the node's result has floats.
  static std::optional<KnownScale> get(const LoweringContext &c, size_t scale, size_t zeroPoint);

  /// saturate(roundeven(x / scale) + zero point) of an f32. kgen-raise-idioms knows this form.
  mlir::Value quantized(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                        ElementType type) const;
};

} // namespace kgen
