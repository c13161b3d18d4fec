// Facts about an index in all iterations of the loops around it: its range or all of its values,
// what divides it, and its linear form.
//
// Transfer functions are upstream's (InferIntRangeInterface, affine's flattening). Loop variables
// are of our own: upstream's IntegerRangeAnalysis and ValueBoundsConstraintSet take no account of a
// loop's step, and tell nothing about divisibility.
#pragma once

#include <mlir/IR/AffineMap.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/Operation.h>
#include <mlir/IR/Value.h>

#include <llvm/ADT/MapVector.h>

#include <optional>

namespace kgen {

/// The bounds of a loop's variable: `lower` is the first value, `upper` is not reached.
struct LoopVariable {
  mlir::Operation *loop;
  mlir::OpFoldResult lower, upper, step;
};

/// Nothing if `value` is no variable of a loop with one lower and one upper bound.
std::optional<LoopVariable> loopVariableOf(mlir::Value value);

/// A closed interval.
struct IndexRange {
  int64_t first, last;
};

/// The smallest interval that is known to hold `index` in every iteration of the loops around it.
/// Bounds of loops need not be constants; sizes that are arguments have bounds (`kgen.size`).
/// Nothing if one end is not known, or an iteration around it never runs.
std::optional<IndexRange> rangeOf(mlir::OpFoldResult index);

/// Like rangeOf above, of an expression of `dims` and `symbols`.
std::optional<IndexRange> rangeOf(mlir::AffineExpr index, mlir::ValueRange dims,
                                  mlir::ValueRange symbols);

/// The values that `index` can have at `at`, ascending, at most 2^18: constants, variables of loops
/// with constant bounds (restricted by branches that compare a task's index with a constant),
/// coordinates of a task, and arithmetic on these. Nothing if they are not known, or are too many.
std::optional<llvm::SmallVector<int64_t>> possibleValues(mlir::Value index, mlir::Operation *at);

/// A number that divides `index` in every iteration of the loops around it; 1 if nothing is known,
/// 0 if `index` is always 0.
int64_t knownDivisor(mlir::OpFoldResult index);

/// Like knownDivisor above, of an expression of `dims` and `symbols`.
int64_t knownDivisor(mlir::AffineExpr index, mlir::ValueRange dims, mlir::ValueRange symbols);

/// An index as a sum of multiples of values, and a constant. Values are what is not a sum or a
/// multiple itself: loop variables, arguments, results of other operations.
class LinearIndex {
public:
  LinearIndex() = default;
  explicit LinearIndex(mlir::OpFoldResult index) { add(index, 1); }

  /// The expression of `operands`, which are dimensions before symbols, if it is a sum.
  LinearIndex(mlir::AffineMap index, mlir::ValueRange operands) { add(index, operands, 1); }

  /// Adds `factor` times `index`.
  void add(mlir::OpFoldResult index, int64_t factor);

  int64_t getConstant() const { return constant; }
  /// The multiples of values, none of them 0.
  const llvm::MapVector<mlir::Value, int64_t> &getTerms() const { return terms; }
  /// Returns how much the index grows when `value` grows by one, as far as it is linear in it.
  int64_t coefficientOf(mlir::Value value) const { return terms.lookup(value); }
  bool differsByConstant(const LinearIndex &other) const;

private:
  void addTerm(mlir::Value value, int64_t factor);
  /// False, and nothing is added, if the map's result is no sum of multiples.
  bool add(mlir::AffineMap index, mlir::ValueRange operands, int64_t factor);

  llvm::MapVector<mlir::Value, int64_t> terms;
  int64_t constant = 0;
};

} // namespace kgen
