// Comparisons of floats that order them.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <optional>

namespace kgen {

/// A comparison `a <predicate> b` of floats.
struct FloatComparison {
  bool isGreater;   ///< a > b rather than a < b
  bool ifEqual;     ///< the result for a == b
  bool ifUnordered; ///< the result if a or b is a NaN
};

/// Nothing for equality and other predicates that are not an order.
std::optional<FloatComparison> comparisonOf(mlir::arith::CmpFPredicate predicate);

} // namespace kgen
