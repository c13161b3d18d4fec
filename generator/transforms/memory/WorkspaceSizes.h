// Bytes of buffers and their offsets as functions of the sizes that are known at run time.
#pragma once

#include "analysis/TaskGrid.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

namespace kgen {

/// A number of bytes: the greatest of some expressions, whose symbols are the function's sizes
/// (sizeArguments).
using ByteCount = llvm::SmallVector<mlir::AffineExpr>;

/// Makes such functions for the buffers of one function.
class WorkspaceSizes {
public:
  explicit WorkspaceSizes(mlir::func::FuncOp function);

  /// Bytes of a buffer, rounded up to a multiple of `alignment`. Where it depends on more than the
  /// function's sizes, such as the tile of a task, the number at its greatest.
  mlir::AffineExpr bytesOf(mlir::memref::AllocOp alloc, int64_t alignment) const;
  /// The number of tasks; the greatest where it depends on more than the function's sizes.
  mlir::AffineExpr tasksOf(const TaskGrid &grid) const;
  mlir::AffineExpr constant(int64_t bytes) const {
    return mlir::getAffineConstantExpr(bytes, context);
  }

  /// Adds an expression, unless others are at least as great for all sizes; drops those that it is
  /// as great as.
  void add(ByteCount &count, mlir::AffineExpr bytes) const;
  /// `greatest` alone where there are too many expressions to be worth their code.
  ByteCount limited(ByteCount count, int64_t greatest) const;
  /// Builds the number.
  mlir::OpFoldResult valueOf(mlir::OpBuilder &b, mlir::Location loc, const ByteCount &count) const;
  mlir::AffineMap mapOf(const ByteCount &count) const {
    return mlir::AffineMap::get(0, sizes.size(), count, context);
  }

private:
  /// The expression with the function's sizes as symbols; null if it depends on anything else.
  mlir::AffineExpr inSizes(mlir::AffineExpr expression, mlir::ValueRange symbols) const;

  mlir::MLIRContext *context;
  llvm::SmallVector<mlir::Value> sizes;
};

} // namespace kgen
