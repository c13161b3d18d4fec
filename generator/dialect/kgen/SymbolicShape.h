// Sizes of the IR as polynomials of a graph's sizes: `index` arguments (Size.td), and what is
// computed from them.
#pragma once

#include "support/TensorShape.h"

#include <mlir/IR/AffineExpr.h>
#include <mlir/IR/OpDefinition.h>
#include <mlir/IR/Value.h>

#include <optional>

namespace kgen {

/// The polynomial of an expression; `symbols` are those of its map.
Dim dimOf(mlir::AffineExpr size, llvm::ArrayRef<Dim> symbols);

/// Nothing for a value that is neither an argument with a name nor an `affine.apply` of such.
std::optional<Dim> knownDimOf(mlir::OpFoldResult size);
/// The polynomial of a size that ops/SymbolicSizes.h made.
Dim dimOf(mlir::OpFoldResult size);

/// The shape of a tensor, as its type, and the operations that made the tensor, say; nothing if one
/// of its sizes is not known.
std::optional<TensorShape> knownShapeOf(mlir::Value tensor);
/// The shape of a tensor of the graph's function before passes change it.
TensorShape tensorShapeOf(mlir::Value tensor);

} // namespace kgen
