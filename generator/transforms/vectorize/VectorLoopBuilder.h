// Loops over the vectors of tensors, for those that write them.
#pragma once

#include <mlir/IR/Builders.h>

namespace kgen {

/// A loop that carries values; `body` makes the next ones from the index and those so far.
llvm::SmallVector<mlir::Value>
buildFor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from, mlir::Value to, int64_t step,
         mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

/// The same with known bounds: none at all for a single step.
llvm::SmallVector<mlir::Value>
buildFor(mlir::OpBuilder &b, mlir::Location loc, int64_t from, int64_t to, int64_t step,
         mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

/// Both for one value.
mlir::Value buildFor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from, mlir::Value to,
                     int64_t step, mlir::Value init,
                     llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);
mlir::Value buildFor(mlir::OpBuilder &b, mlir::Location loc, int64_t from, int64_t to, int64_t step,
                     mlir::Value init,
                     llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);

/// Along `size` elements: `body` makes the next value from a place, a number of elements there and
/// the value so far; first for as many elements as the first width says at a time, then as the next
/// one says, and at last for the rest.
mlir::Value
buildVectorLoop(mlir::OpBuilder &b, mlir::Location loc, int64_t size,
                llvm::ArrayRef<int64_t> widths, mlir::Value init,
                llvm::function_ref<mlir::Value(mlir::Value, int64_t, mlir::Value)> body);

/// `width` elements of `tensor` along its last dimension, from the place `at` on; all are inside.
mlir::Value readVector(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                       mlir::ValueRange at, int64_t width);

/// `tensor` with `vector` along its last dimension, from the place `at` on; all of it is inside.
mlir::Value writeVector(mlir::OpBuilder &b, mlir::Location loc, mlir::Value vector,
                        mlir::Value tensor, mlir::ValueRange at);

} // namespace kgen
