// Masks that let queries see the first keys only, as many as the graph computes: a cache that is
// filled so far, or the words up to a query's own.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <optional>

namespace kgen {

class KeyCounts {
public:
  /// Returns the counts in a mask of -inf that is the last thing that happens to the scores in
  /// `op`; nothing if there is no such mask.
  static std::optional<KeyCounts> match(mlir::linalg::GenericOp op);

  /// In the body of `op`: the score before the mask; null if the mask hides other keys, too.
  mlir::Value score() const { return isWhole ? unmasked : mlir::Value(); }
  /// Makes the counts. Returns them and the dimensions of the scores that they have.
  std::pair<mlir::Value, llvm::SmallVector<unsigned>> build(mlir::OpBuilder &b, mlir::Location loc,
                                                            int64_t queries) const;

private:
  /// The dimensions of the scores that loops of an operation are.
  using Dims = llvm::SmallVector<std::optional<unsigned>>;
  /// Keys up to `bound`, a scalar of the body of `op`, are seen.
  struct Limit {
    mlir::linalg::GenericOp op;
    Dims dims;
    mlir::Value bound;
    bool isIncluded; ///< the key of this number is seen, too

    llvm::SmallVector<mlir::OpOperand *> inputs() const; ///< that `bound` is computed from
    std::optional<unsigned> dimensionOf(mlir::OpOperand *input, unsigned position) const;
    mlir::Value count(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange elements,
                      unsigned queryLoop) const;
  };

  bool matchSelected(mlir::linalg::GenericOp op, mlir::Value score);
  bool matchAdded(mlir::linalg::GenericOp op, mlir::Value sum);
  void addCondition(mlir::linalg::GenericOp op, const Dims &dims, mlir::Value condition);
  void addComparison(mlir::linalg::GenericOp op, const Dims &dims, mlir::arith::CmpIOp compare);
  void addMask(mlir::linalg::GenericOp op, const Dims &dims, mlir::Value element, double hidden);
  bool isCount(const Limit &limit) const;
  llvm::SmallVector<unsigned> dimensions() const;

  unsigned key = 0; ///< the dimension of the scores
  mlir::Value unmasked;
  bool isWhole = true;
  llvm::SmallVector<Limit> limits;
};

} // namespace kgen
