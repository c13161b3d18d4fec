// (x - mean) / sqrt(variance + epsilon), scaled and shifted: how it is found in an expression, and
// the operation that it becomes.
#pragma once

#include "dialect/kgen/NamedOps.h"
#include "transforms/idioms/IdiomMatch.h"

#include <string>

namespace kgen {

/// The computation at the root of the match: (x - mean) * inverse [* scale] [+ shift].
struct Normalization {
  const Expression *x = nullptr;
  llvm::SmallVector<unsigned, 2> over; ///< the factors that its means are of
  bool isCentered = false;
  double epsilon = 0;
  bool isOutsideRoot = false; ///< whether epsilon is added to the root, not under it
  bool multiplies = false;    ///< by the inverse of the root, which is a result of its own
  std::optional<Expression> scale, shift; ///< tensors
  double factor = 1, shiftFactor = 1, shiftNumber = 0;
  std::string mismatchReason; ///< why it is none, though nearly one
};

/// The first normalization that the root of the expression is; one with a flaw if none is without;
/// nothing if there is none.
std::optional<Normalization> normalizationOf(const ExpressionTree &of);

/// Like normalizationOf(of), but for a root that is the result of `op`, or is moved, scaled or
/// shifted from there, as far as scale and bias of `op` leave these to be one tensor each.
std::optional<Normalization> normalizationOf(const ExpressionTree &of, NormalizationOp op);

/// The elements of a row, which are a number.
inline Dim rowLength(const ExpressionTree &of, const Normalization &n) { return of.count(n.over); }

/// Returns what takes the place of `root`: kgen.normalization of `x`, and what it does not do.
mlir::Value buildNormalization(mlir::OpBuilder &b, const ExpressionTree &of, const Normalization &n,
                               mlir::Value x, mlir::Value root, mlir::Location loc);

} // namespace kgen
