// Sizes in the IR of a graph's function: `index` arguments (dialect/kgen/Size.td), and what is
// computed from them at its beginning. dialect/kgen/SymbolicShape.h is the way back.
#pragma once

#include "dialect/kgen/SymbolicShape.h"
#include "graph/Graph.h"

#include <mlir/IR/AffineMap.h>
#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/Interfaces/FunctionInterfaces.h>

namespace kgen {

/// The tensor type; `?` where a size is symbolic.
mlir::RankedTensorType tensorOf(const TensorShape &shape, mlir::Type element);

/// The tensor type with the greatest sizes, for guesses about caches.
mlir::RankedTensorType greatestTensorOf(const TensorShape &shape, mlir::Type element);

/// The sizes as a function of the symbols `dims`, as `kgen.shape` has them.
mlir::AffineMap shapeMap(const TensorShape &shape,
                         llvm::ArrayRef<std::shared_ptr<const DimSymbol>> dims,
                         mlir::MLIRContext *context);

/// The size as a number, or a value that is made at the beginning of the function that `b` inserts
/// into: equal sizes are the same value there.
mlir::OpFoldResult sizeValue(mlir::OpBuilder &b, const Dim &dim);
llvm::SmallVector<mlir::OpFoldResult> sizeValues(mlir::OpBuilder &b, const TensorShape &shape);

/// A tensor of integers whose elements are sizes.
mlir::Value tensorOfSizes(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<Dim> sizes,
                          mlir::RankedTensorType type);

/// A size as a number of the float type, which may round it: a value, or a constant where `b`
/// inserts.
class SizeAsFloat {
public:
  SizeAsFloat(mlir::OpBuilder &b, mlir::Location loc, const Dim &dim, mlir::FloatType type);
  mlir::Value operator()(mlir::OpBuilder &b, mlir::Location loc) const;

private:
  mlir::FloatAttr number;
  mlir::Value value;
};

} // namespace kgen
