// Slices of tensors with unit strides (tensor.extract_slice, tensor.insert_slice).
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

  llvm::SmallVector<mlir::OpFoldResult> strides(mlir::OpBuilder &b) const {
    return llvm::SmallVector<mlir::OpFoldResult>(offsets.size(), b.getIndexAttr(1));
  }
};

/// Extracts a slice of `tensor`. `shape` is the shape of the result, if that lacks unit dimensions
/// of the slice.
mlir::Value extract(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                    const TensorSlice &slice);
mlir::Value extract(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                    const TensorSlice &slice, llvm::ArrayRef<int64_t> shape);

/// Inserts `source` into a slice of `tensor` and returns the new tensor. `source` may lack unit
/// dimensions of the slice.
mlir::Value insert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value source, mlir::Value tensor,
                   const TensorSlice &slice);

} // namespace kgen
