// Operands of contractions, rounded to the type of a graph's `compute`.
#pragma once

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/DialectResourceBlobManager.h>

#include <llvm/ADT/DenseMap.h>

namespace kgen {

/// Rounds tensors, each one once. Weights are rounded at build time; of a tensor that was only
/// moved, what it was moved from is rounded, so that contractions still see the layout of their
/// operands.
class NarrowFactors {
public:
  /// `value`, a tensor of f32, rounded to `element`.
  mlir::Value rounded(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                      mlir::FloatType element);

private:
  mlir::Value roundedConstant(mlir::OpBuilder &b, mlir::arith::ConstantOp constant,
                              mlir::FloatType element);

  llvm::DenseMap<mlir::Value, mlir::Value> known;
  /// By the weight's resource, which constants of several shapes share.
  llvm::DenseMap<void *, mlir::DenseResourceElementsHandle> resources;
};

} // namespace kgen
