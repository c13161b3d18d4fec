// Parts of tensors: boxes of elements, read and written, and tensors made of parts.
#pragma once

#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>

namespace kgen {

/// Numbers that are known, as offsets.
llvm::SmallVector<mlir::OpFoldResult> indices(mlir::OpBuilder &b, llvm::ArrayRef<int64_t> values);

/// The box of `sizes` from `offsets` on, which may be known at run time only; as a tensor of
/// `shape`, which may lack dimensions of one. Constants stay constants where offsets are known.
mlir::Value piece(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                  llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<int64_t> shape);
mlir::Value piece(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                  llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes);
/// The same where elements lie `steps` apart.
mlir::Value spacedPiece(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                        llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> sizes,
                        llvm::ArrayRef<int64_t> steps);

/// `whole` with `part` in the box of `sizes` from `offsets` on; `part` may lack dimensions of one.
mlir::Value withPiece(mlir::OpBuilder &b, mlir::Location loc, mlir::Value whole, mlir::Value part,
                      llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<int64_t> sizes);
/// `whole` with the elements of `part` from `offsets` on, `steps` apart.
mlir::Value withSpacedPiece(mlir::OpBuilder &b, mlir::Location loc, mlir::Value whole,
                            mlir::Value part, llvm::ArrayRef<int64_t> offsets,
                            llvm::ArrayRef<int64_t> steps);

/// A part of a tensor that is made of parts: where its elements begin.
struct PlacedPart {
  mlir::Value value;
  llvm::SmallVector<int64_t> offsets;
};

/// A tensor of `type` that consists of `parts`, the elements of each `steps` apart. What computes a
/// part writes it there.
mlir::Value assembled(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type,
                      llvm::ArrayRef<PlacedPart> parts, llvm::ArrayRef<int64_t> steps);

/// The parts one after another along `axis`; a part that is all of it is not copied.
mlir::Value joined(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange parts, int64_t axis);

} // namespace kgen
