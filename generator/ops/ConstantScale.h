// Quantization by a scale that is known: without a division.
#pragma once

#include "ops/Lowering.h"

#include <optional>

namespace kgen {

/// Quantizer of floats of f32 by a known scale s to the nearest integers, plus a zero point, as
/// saturate(roundeven(x / s) + zero point) does, for every x.
///
/// A division takes as long as ten to thirty multiplications. With r = 1 / s rounded, q = x * r is
/// off by at most two units in the last place; q + (x - q * s) * r, of two fused operations, is the
/// rounded quotient but for cases that are as rare as one in millions. They matter only next to a
/// half, where quotients round to another integer: `of` tries all numbers there.
class ConstantScale {
public:
  /// Returns nothing if some float would be quantized to another number.
  static std::optional<ConstantScale> of(float scale, int64_t zeroPoint, ElementType type);

  /// That of a node's inputs, one number each, for elements of its result; `zeroPoint` may be
  /// skipped. Nothing either if they are not known, or if the target divides as fast.
  static std::optional<ConstantScale> of(const LoweringContext &c, size_t scale, size_t zeroPoint);

  /// The bits of the type's number. x is an f32, the target has fused multiply-add.
  mlir::Value quantized(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) const;

  /// The quantized number, less the zero point, as the code computes it.
  double quantized(float x) const;

private:
  ConstantScale(float scale, int64_t zeroPoint, ElementType type);
  float quotient(float x) const;
  bool isExactAround(double quotient) const;

  float scale, reciprocal, least, greatest; ///< x is clamped to the last two
  double low, high;                         ///< of quotients
  int64_t zeroPoint;
  ElementType type;
};

} // namespace kgen
