// Operations on pairs of neighbours whose elements read each other.
#pragma once

#include <mlir/IR/AffineMap.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>

#include <optional>

namespace kgen {

/// A tensor, and its indices by the loops.
struct PairOperand {
  mlir::Value tensor;
  llvm::SmallVector<mlir::AffineExpr> at;
};

/// The factor of an element of a pair: an element of a tensor, a number, or nothing; and
/// the sign of the product for the first and the second element.
struct PairTerm {
  std::optional<PairOperand> factor;
  std::optional<double> number;
  bool isNegative[2] = {};
};

/// Builds one operation over `sizes`, whose last loop is over the elements of a pair: the other
/// element of the pair by `other`, to which the element itself by `own` is added. `pairs` has
/// indices for all dimensions but the last. Elements are `element`, computed in its accumulator
/// type. kgen-vectorize exchanges elements in registers.
mlir::Value buildPairLoops(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> sizes,
                           mlir::Type element, const PairOperand &pairs, const PairTerm &other,
                           const std::optional<PairTerm> &own);

} // namespace kgen
