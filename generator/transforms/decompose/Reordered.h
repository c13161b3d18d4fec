// Tensors with their dimensions in another order.
#pragma once

#include <mlir/IR/Builders.h>
#include <mlir/IR/Value.h>

namespace kgen {

/// The tensor with its dimensions in another order, `order[i]` being the old index of dimension i.
/// Where only dimensions of one element are exchanged, nothing moves.
mlir::Value reordered(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                      llvm::ArrayRef<int64_t> order);
/// `order` the other way round.
llvm::SmallVector<int64_t> inverted(llvm::ArrayRef<int64_t> order);

/// The bytes of a constant with its dimensions in another order; none of other tensors.
llvm::SmallVector<char> bytesInOrder(mlir::Value tensor, llvm::ArrayRef<int64_t> order);
/// A constant of that shape and these bytes, with elements of the type of `constant`.
mlir::Value constantLike(mlir::OpBuilder &b, mlir::Location loc, mlir::Value constant,
                         llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<char> bytes);

} // namespace kgen
