// (x - mean) / sqrt(variance + epsilon), scaled and shifted: how it is found in an expression, and
// the loops that it becomes.
#pragma once

#include "transforms/idioms/IdiomMatch.h"

#include <string>

namespace kgen {

/// sqrt(sum((x - mean)^2) / n + epsilon), or the same without the mean.
struct Deviation {
  const Expression *x = nullptr, *sum = nullptr; ///< `sum`: of x, in the mean; or null
  const Expression *squares = nullptr;           ///< their sum
  const Expression *radicand = nullptr;          ///< what the root is taken of
  double epsilon = 0;
  std::string mismatchReason; ///< why it is none, though nearly one
};

/// The computation at the root of the match: (x - mean) * inverse [* scale] [+ shift].
struct Normalization {
  Deviation deviation;
  double outside = 0; ///< what is added to the root
  bool isOutside = false;
  bool multiplies = false; ///< by the inverse of the root, which is a result of its own
  const Expression *scale = nullptr, *shift = nullptr;
  double factor = 1, shiftFactor = 1, shiftNumber = 0;
};

/// The first normalization that the root of the expression is; one with a flaw if none is without;
/// nothing if there is none.
std::optional<Normalization> normalizationOf(const ExpressionTree &of);

/// The elements of a row, which are a number.
inline Dim rowLength(const ExpressionTree &of, const Normalization &n) {
  return of.count(n.deviation.squares->over);
}

/// Returns what takes the place of `root`: loops over the mean, over the squares, and over the
/// elements.
mlir::Value buildNormalization(mlir::OpBuilder &b, const ExpressionTree &of, const Normalization &n,
                               mlir::Value root, mlir::Location loc);

} // namespace kgen
