// Sizes of tensors and memrefs as expressions of what the code has: arguments of the function, and
// operands of the operations that made them.
#pragma once

#include <mlir/IR/AffineExpr.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/Value.h>

#include <optional>

namespace kgen {

/// A size as an expression of values, which are its symbols.
struct SizeForm {
  mlir::AffineExpr expression;
  llvm::SmallVector<mlir::Value> symbols;
};

/// Dimension `dim` of a tensor or memref as an expression of sizes: arguments, or operands of the
/// operation that makes it. Nothing if that operation is not known.
std::optional<SizeForm> sizeFormOf(mlir::Value shaped, int64_t dim);

/// Returns the dimension as a constant or an `affine.apply`; `tensor.dim` and `memref.dim` only
/// where the form is not known.
mlir::OpFoldResult sizeOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value shaped, int64_t dim);

/// sizeOf for all dimensions.
llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::OpBuilder &b, mlir::Location loc,
                                              mlir::Value shaped);

} // namespace kgen
