// Parts of tensors: boxes of elements that lie next to each other.
#pragma once

#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>

namespace kgen {

struct TensorSlice {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;

  TensorSlice() = default;
  TensorSlice(llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes)
      : offsets(offsets), sizes(sizes) {}
  TensorSlice(mlir::OpBuilder &b, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes)
      : offsets(mlir::getAsIndexOpFoldResult(b.getContext(), offsets)),
        sizes(mlir::getAsIndexOpFoldResult(b.getContext(), sizes)) {}

  llvm::SmallVector<mlir::OpFoldResult> steps(mlir::OpBuilder &b) const {
    return llvm::SmallVector<mlir::OpFoldResult>(offsets.size(), b.getIndexAttr(1));
  }
};

/// The box of `tensor`; with `shape`, without some dimensions of one.
mlir::Value extract(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                    const TensorSlice &box);
mlir::Value extract(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                    const TensorSlice &box, llvm::ArrayRef<int64_t> shape);

/// `tensor` with `part` in the box; it may lack dimensions of one.
mlir::Value insert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value part, mlir::Value tensor,
                   const TensorSlice &box);

} // namespace kgen
