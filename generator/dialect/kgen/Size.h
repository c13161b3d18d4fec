// Sizes that are known at run time, as attributes of a function's arguments.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Interfaces/FunctionInterfaces.h>

namespace kgen {

/// Attribute of an `index` argument: a SizeAttr.
constexpr llvm::StringLiteral sizeAttrName = "kgen.size";

/// Attribute of a memref argument: its sizes, an AffineMapAttr. Of an operation that is replaced
/// before any pass asks what its results are: the sizes of each, in an array.
constexpr llvm::StringLiteral shapeAttrName = "kgen.shape";

/// Attribute of a function whose last argument is the workspace: its size in bytes, an integer; of
/// one that depends on sizes, enough for all of them.
constexpr llvm::StringLiteral workspaceAttrName = "kgen.workspace";

/// Attribute of a function whose workspace depends on sizes: what was the workspace's
/// shapeAttrName.
constexpr llvm::StringLiteral workspaceSizesAttrName = "kgen.workspace_sizes";

/// The bounds of an argument; null if `value` is none, or has none.
SizeAttr sizeAttrOf(mlir::Value value);

/// The sizes of an argument as a function of sizeArguments; null if `value` is none, or has none.
mlir::AffineMap shapeMapOf(mlir::Value value);

/// The `index` arguments in order, which are the symbols of shapeMapOf.
llvm::SmallVector<mlir::Value> sizeArguments(mlir::FunctionOpInterface function);

} // namespace kgen
