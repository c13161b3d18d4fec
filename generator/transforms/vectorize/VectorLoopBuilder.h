// Builders for loops over the vectors of tensors.
#pragma once

#include <mlir/IR/Builders.h>

namespace kgen {

/// Builds an scf.for with iter_args `inits`; `body` returns the next values.
llvm::SmallVector<mlir::Value>
buildFor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from, mlir::Value to, int64_t step,
         mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

/// Builds an scf.for with constant bounds. Builds no loop for a single iteration.
llvm::SmallVector<mlir::Value>
buildFor(mlir::OpBuilder &b, mlir::Location loc, int64_t from, int64_t to, int64_t step,
         mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

/// Builds an scf.for with bounds that are numbers or values.
llvm::SmallVector<mlir::Value>
buildFor(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult from, mlir::OpFoldResult to,
         int64_t step, mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

/// All of them with a single iter_arg.
mlir::Value buildFor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value from, mlir::Value to,
                     int64_t step, mlir::Value init,
                     llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);
mlir::Value buildFor(mlir::OpBuilder &b, mlir::Location loc, int64_t from, int64_t to, int64_t step,
                     mlir::Value init,
                     llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);

mlir::Value buildFor(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult from,
                     mlir::OpFoldResult to, int64_t step, mlir::Value init,
                     llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);

/// Builds loops along `size` elements: one for each width of `widths`, in their order, and one call
/// for the remainder. `body` gets the index, the number of elements and the value so far.
mlir::Value
buildVectorLoop(mlir::OpBuilder &b, mlir::Location loc, int64_t size,
                llvm::ArrayRef<int64_t> widths, mlir::Value init,
                llvm::function_ref<mlir::Value(mlir::Value, int64_t, mlir::Value)> body);

/// Builds loops along a size that is a number or a value. The remainder of a value is built by
/// `rest`, which gets the index, the number of elements and the value so far; without `rest`, by
/// `body` with half of the width, a quarter of it, and so on.
mlir::Value
buildVectorLoop(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult size,
                llvm::ArrayRef<int64_t> widths, mlir::Value init,
                llvm::function_ref<mlir::Value(mlir::Value, int64_t, mlir::Value)> body,
                llvm::function_ref<mlir::Value(mlir::Value, mlir::Value, mlir::Value)> rest);

/// The greatest multiple of `step` that is not above `size`.
mlir::OpFoldResult wholeSteps(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult size,
                              int64_t step);

/// The difference of two sizes.
mlir::OpFoldResult difference(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult size,
                              mlir::OpFoldResult less);

/// Reads `width` elements of `tensor` along its last dimension from `at` on. All are in bounds, or
/// those that `mask` chooses; in other lanes are zeros.
mlir::Value readVector(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                       mlir::ValueRange at, int64_t width, mlir::Value mask = {});

/// Writes `vector` to `tensor` along its last dimension from `at` on. All elements are in bounds,
/// or those that `mask` chooses; others are not written.
mlir::Value writeVector(mlir::OpBuilder &b, mlir::Location loc, mlir::Value vector,
                        mlir::Value tensor, mlir::ValueRange at, mlir::Value mask = {});

} // namespace kgen
