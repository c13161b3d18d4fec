// Slices of tensors: `tensor.extract_slice` and `tensor.insert_slice` with offsets, sizes and
// strides that are constants or values.
#pragma once

#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>

namespace kgen {

/// A slice with stride 1 in each dimension, in elements.
struct TensorSlice {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;

  TensorSlice() = default;
  TensorSlice(llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes)
      : offsets(offsets), sizes(sizes) {}
  TensorSlice(mlir::OpBuilder &b, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes)
      : offsets(mlir::getAsIndexOpFoldResult(b.getContext(), offsets)),
        sizes(mlir::getAsIndexOpFoldResult(b.getContext(), sizes)) {}
  TensorSlice(mlir::OpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> offsets,
              llvm::ArrayRef<int64_t> sizes)
      : offsets(offsets), sizes(mlir::getAsIndexOpFoldResult(b.getContext(), sizes)) {}

  /// One for each dimension.
  llvm::SmallVector<mlir::OpFoldResult> strides(mlir::OpBuilder &b) const {
    return llvm::SmallVector<mlir::OpFoldResult>(offsets.size(), b.getIndexAttr(1));
  }
};

/// The slice of `tensor`; with `shape`, which may lack dimensions of one, reduced in rank.
mlir::Value extract(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                    const TensorSlice &slice);
mlir::Value extract(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                    const TensorSlice &slice, llvm::ArrayRef<int64_t> shape);

/// `tensor` with `source` as its slice; `source` may lack dimensions of one.
mlir::Value insert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value source, mlir::Value tensor,
                   const TensorSlice &slice);

} // namespace kgen
