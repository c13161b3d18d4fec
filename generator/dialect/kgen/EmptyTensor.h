// Tensors without contents: destinations of operations. All code that makes one calls these, so
// that none of a tensor with sizes that are known at run time only lacks them.
#pragma once

#include <mlir/IR/Builders.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/Value.h>

namespace kgen {

/// Returns a tensor of these sizes. None of them may be `ShapedType::kDynamic`: that ends the
/// program at once, in each build.
mlir::Value emptyTensor(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> sizes,
                        mlir::Type element);

mlir::Value emptyTensor(mlir::OpBuilder &b, mlir::Location loc,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element);

/// Returns a tensor of the type of `like`, but for its elements if there is an `element`.
mlir::Value emptyLike(mlir::OpBuilder &b, mlir::Location loc, mlir::Value like,
                      mlir::Type element = {});

} // namespace kgen
