// What is known of sizes at compile time: the least and greatest number, and what divides them.
//
// Sizes that are known at run time are `index` arguments with `kgen.size`
// (dialect/kgen/Size.td), and what is computed from these. Sizes of arguments follow from
// `kgen.shape`, those of other values from the operations that make them.
#pragma once

#include "dialect/tpp/Tpp.h"

#include <mlir/IR/AffineExpr.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/Value.h>

#include <optional>

namespace kgen {

/// What is known of a size: a multiple of `divisor` from `least` to `greatest`.
struct SizeBounds {
  int64_t least, greatest, divisor;

  bool isExact() const { return least == greatest; }
};

/// Nothing if one end is not known.
std::optional<SizeBounds> sizeBoundsOf(mlir::OpFoldResult size);

/// The bounds of dimension `dim` of a tensor or memref.
std::optional<SizeBounds> sizeBoundsOf(mlir::Value shaped, int64_t dim);

/// The greatest sizes of a tensor or memref, nothing if one is not known.
std::optional<llvm::SmallVector<int64_t>> greatestSizesOf(mlir::Value shaped);

/// Elements of a tensor or memref at its greatest sizes; 0 if these are not known.
int64_t greatestElementsOf(mlir::Value shaped);

/// Bytes of a tensor or memref at its greatest sizes; 0 if these are not known, or of a scalar.
int64_t greatestBytesOf(mlir::Value shaped);

/// The greatest sizes of the loops of an operation of linalg or tpp; nothing if one is not known.
std::optional<llvm::SmallVector<int64_t>> greatestLoopSizesOf(mlir::Operation *op);

/// The greatest number of rows of a contraction; so many that they limit no block if that is not
/// known.
int64_t greatestRowsOf(tpp::ContractionOpInterface op);

/// A size as an expression of values, which are its symbols.
struct SizeForm {
  mlir::AffineExpr expression;
  llvm::SmallVector<mlir::Value> symbols;
};

/// Dimension `dim` of a tensor or memref as an expression of sizes: arguments, or operands of the
/// operation that makes it. Nothing if the operation behind it is not known.
std::optional<SizeForm> sizeFormOf(mlir::Value shaped, int64_t dim);

/// The same as a constant or an `affine.apply`; `tensor.dim` and `memref.dim` only where the form
/// is not known.
mlir::OpFoldResult sizeOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value shaped, int64_t dim);

/// sizeOf for all dimensions.
llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::OpBuilder &b, mlir::Location loc,
                                              mlir::Value shaped);

} // namespace kgen
