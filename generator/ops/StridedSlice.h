// Slices of tensors, extracted and inserted, and tensors assembled from slices.
#pragma once

#include "support/TensorShape.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>

namespace kgen {

/// Constants as offsets, sizes or strides.
llvm::SmallVector<mlir::OpFoldResult> indices(mlir::OpBuilder &b, llvm::ArrayRef<int64_t> values);

/// The slice of `sizes` at `offsets`, which may be values of the run time; as a tensor of `shape`,
/// which may lack dimensions of one. A slice of a constant at constant offsets is a constant.
mlir::Value extractSlice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                         llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<int64_t> sizes,
                         llvm::ArrayRef<int64_t> shape);
mlir::Value extractSlice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                         llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes);
/// Extracts a slice of a shape that may have symbols.
mlir::Value extractSliceOfShape(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                llvm::ArrayRef<int64_t> offsets, const TensorShape &shape);
/// With strides.
mlir::Value extractStridedSlice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                                llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes,
                                llvm::ArrayRef<int64_t> strides);

/// `whole` with `part` as its slice of `sizes` at `offsets`; `part` may lack dimensions of one.
mlir::Value insertSlice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value whole, mlir::Value part,
                        llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<int64_t> sizes);

/// `whole` with `part` as its slice at `offsets` with `strides`.
mlir::Value insertStridedSlice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value whole,
                               mlir::Value part, llvm::ArrayRef<int64_t> offsets,
                               llvm::ArrayRef<int64_t> strides);

/// A slice of a tensor that is assembled, and the offsets of its first element.
struct InsertedSlice {
  mlir::Value value;
  TensorShape offsets;
};

/// A tensor of `shape` that consists of `parts`, each a slice with `strides`. Bufferization lets
/// the producer of a part write into the tensor.
mlir::Value assembled(mlir::OpBuilder &b, mlir::Location loc, const TensorShape &shape,
                      mlir::Type element, llvm::ArrayRef<InsertedSlice> parts,
                      llvm::ArrayRef<int64_t> strides);

/// The concatenation of `parts` along `axis`; a single part that is not empty is returned itself.
mlir::Value joined(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange parts, int64_t axis);

} // namespace kgen
