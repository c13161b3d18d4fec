// Quotients by a known scale that are rounded to integers: without a division.
#pragma once

#include <mlir/IR/Builders.h>

#include <optional>

namespace kgen {

/// Computes roundeven(x / s), between two integers, of floats of f32 by a known scale s, for every
/// x.
///
/// A division takes as long as ten to thirty multiplications. With the inverse in two parts, h + l,
/// x * h + x * l, whose last sum is fused, is the rounded quotient but for cases that are as rare
/// as one in millions. They matter only next to a half, where quotients round to another integer:
/// `get` tries all numbers there.
class ReciprocalScale {
public:
  /// Returns nothing if some float would be rounded to another integer.
  static std::optional<ReciprocalScale> get(float scale, double low, double high);

  /// The quotient that is to be rounded, of an f32 with any value. The target has fused
  /// multiply-add. NaN becomes `low`.
  mlir::Value quotient(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) const;

  /// The rounded quotient of a number, as the code computes it.
  double rounded(float x) const;

private:
  ReciprocalScale(float scale, double low, double high);
  bool isExactAround(double quotient) const;

  float scale, inverse, residual, least, greatest; ///< x is clamped to the last two
  double low, high;                                ///< of quotients
};

} // namespace kgen
