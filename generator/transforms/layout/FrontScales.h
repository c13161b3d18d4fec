// Scales of channels in front of products with constant weights.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <vector>

namespace kgen {

/// The operations that multiply an operand of a sum of products by numbers, in front of it: the
/// weights can be multiplied instead. Each is the only reader of what the one before it computes. A
/// scale of what another operation computes for it alone costs nothing, as it is fused with that
/// one, and may be part of an activation: there is no scale then.
class FrontScales {
public:
  /// `weights`: the number of the other operand, which is indexed by loops alone.
  FrontScales(mlir::linalg::LinalgOp op, unsigned weights);

  bool hasScale() const;
  /// Of the weight at these indices.
  double factorOf(llvm::ArrayRef<int64_t> weight) const;
  /// The operation that scales and adds something, in front of all others; null if there is none.
  mlir::Operation *shifted() const { return shift; }
  llvm::ArrayRef<mlir::Operation *> operations() const {
    return isFree ? llvm::ArrayRef<mlir::Operation *>() : found;
  }

  /// Leaves the operand as it was before the scales.
  void drop();

private:
  struct Step { // an elementwise operation; of others nothing is left out
    mlir::linalg::LinalgOp op;
    mlir::OpOperand *input;
  };

  bool throughElementwise(mlir::linalg::LinalgOp op);
  bool throughReshape(mlir::Operation *op);
  bool throughPad(mlir::Operation *op);
  void multiply(llvm::ArrayRef<double> factors, llvm::ArrayRef<int64_t> strides);

  mlir::MLIRContext *context;
  mlir::AffineMap weightsMap;
  llvm::SmallVector<int64_t> weightShape,
      strides; ///< of `factors`, by dimension of the weights; 0: the operand does not depend on it
  std::vector<double> factors;
  mlir::Value value;
  /// The index of each dimension of `value` in the product's loops; null: elsewhere than the
  /// weights, or unknown.
  llvm::SmallVector<mlir::AffineExpr> at;
  llvm::SmallVector<Step> steps;
  llvm::SmallVector<mlir::Operation *> found;
  mlir::Operation *shift = nullptr;
  bool isFree = false; ///< to multiply where the operand is computed
};

/// Replaces `value` in the body of an elementwise operation by the element of input `input`.
void dropBodyFunction(mlir::linalg::LinalgOp op, unsigned input, mlir::Value value);

} // namespace kgen
