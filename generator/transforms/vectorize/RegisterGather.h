// In-register gather: elements of a row at the indices of a constant table, like those of resized
// images. The indices of a vector span one or two registers, whose lanes are permuted.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

namespace kgen {

/// Operands of a read that becomes an in-register gather.
struct RegisterGather {
  mlir::OpOperand *table; ///< constant i32 indices along the vectorized loop
  int64_t lanes;          ///< of f32 in a register
  int64_t registers;      ///< one or two, which hold the elements of any vector

  /// Matches a read in the body of `op`. Vectors lie along loop `along` and begin at multiples of a
  /// register's lanes. Nothing if the read has another form or the target has no instruction for
  /// it.
  static std::optional<RegisterGather> match(mlir::linalg::GenericOp op,
                                             mlir::tensor::ExtractOp extract, unsigned along,
                                             TargetAttr target);

  /// Reads elements of the row at `indices`, whose last one is not used. `first`: index of the
  /// first lane; `laneIndices`: the table's elements for all lanes.
  mlir::Value read(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                   mlir::ArrayRef<mlir::Value> indices, mlir::Value first,
                   mlir::Value laneIndices) const;

private:
  mlir::Value readRegister(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                           mlir::ArrayRef<mlir::Value> indices, mlir::Value first,
                           mlir::Value laneIndices) const;
};

} // namespace kgen
