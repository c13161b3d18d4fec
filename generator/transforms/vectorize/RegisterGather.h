// Elements of a row that lanes read at places of a table, as the points of a resized image do:
// where those of a vector are near each other, a register or two are read, and their lanes
// permuted.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

namespace kgen {

/// What is known of such a read.
struct RegisterGather {
  mlir::OpOperand *table; ///< of the operation: a constant of i32 along the loop of the vectors
  int64_t lanes;          ///< of a register
  int64_t registers;      ///< one or two, in which all places of a vector are

  /// Of a read in the body of `op`, by vectors along loop `along` that begin at multiples of a
  /// register's lanes; nothing if it is another one or the target has no instruction for it.
  static std::optional<RegisterGather> of(mlir::linalg::GenericOp op,
                                          mlir::tensor::ExtractOp extract, unsigned along,
                                          TargetAttr target);

  /// The elements of the row at `where`, whose last index is not used. `first`: the index of the
  /// first lane; `places`: what the table has for all lanes.
  mlir::Value read(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                   mlir::ArrayRef<mlir::Value> where, mlir::Value first, mlir::Value places) const;

private:
  mlir::Value readRegister(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                           mlir::ArrayRef<mlir::Value> where, mlir::Value first,
                           mlir::Value places) const;
};

} // namespace kgen
