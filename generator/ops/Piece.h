// Parts of tensors: boxes of elements that lie next to each other.
#pragma once

#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>

namespace kgen {

/// The box of `sizes` from `offsets` on, which may be known at run time only; as a tensor of
/// `shape`, which may lack dimensions of one. Constants stay constants where offsets are known.
mlir::Value piece(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                  llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<int64_t> shape);
mlir::Value piece(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                  llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes);

/// `whole` with `part` in the box of `sizes` from `offsets` on; `part` may lack dimensions of one.
mlir::Value withPiece(mlir::OpBuilder &b, mlir::Location loc, mlir::Value whole, mlir::Value part,
                      llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<int64_t> sizes);

} // namespace kgen
