// Facts about sizes at compile time: the least and greatest number, and what divides them.
//
// Sizes that are known at run time are `index` arguments with `kgen.size`
// (dialect/kgen/Size.td), and what is computed from these. Sizes of arguments follow from
// `kgen.shape`, those of other values from the operations that make them.
#pragma once

#include "dialect/kgen/SizeForm.h"
#include "dialect/tpp/Tpp.h"

#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/Value.h>

#include <optional>

namespace kgen {

/// Known bounds of a size: a multiple of `divisor` from `least` to `greatest`.
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

/// A tensor or memref that an operation of linalg or tpp reads or writes with `loop` as an index,
/// and the dimension of it; one whose size has bounds, if there is one.
std::optional<std::pair<mlir::Value, int64_t>> dimensionOfLoop(mlir::Operation *op, unsigned loop);

/// The greatest number of rows of a contraction; so many that they limit no block if that is not
/// known.
int64_t greatestRowsOf(tpp::ContractionOpInterface op);

} // namespace kgen
