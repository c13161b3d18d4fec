// Dimensions of one element: shapes and tensors without them.
#pragma once

#include <mlir/Dialect/Utils/ReshapeOpsUtils.h>
#include <mlir/IR/Builders.h>

namespace kgen {

llvm::SmallVector<int64_t> withoutUnitDims(llvm::ArrayRef<int64_t> shape);

/// Returns which dimensions of `shape` are one of the shape without dimensions of one element:
/// these join the dimension before them, or the first other one.
llvm::SmallVector<mlir::ReassociationIndices> unitDimGroups(llvm::ArrayRef<int64_t> shape);

/// Collapses dimensions of one element; returns `value` itself if it has none.
mlir::Value dropUnitDims(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);

/// Expands `value`, which has no dimensions of one element, to `shape`; returns `value` itself if
/// that has none either.
mlir::Value addUnitDims(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                        llvm::ArrayRef<int64_t> shape);

/// Returns the same elements in the same order in another shape, whose dimensions are split or
/// joined from those of `value`, but for dimensions of one element. All sizes are numbers.
mlir::Value inShape(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value,
                    llvm::ArrayRef<int64_t> shape);

} // namespace kgen
