// Tensors whose elements are those of another one, at other places.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// Where elements are found in row-major order: the first one, and the steps of each dimension.
struct ElementPlaces {
  int64_t first = 0;
  llvm::SmallVector<int64_t> steps;
};

/// How far apart the elements of each dimension are, in row-major order.
llvm::SmallVector<int64_t> rowMajorSteps(llvm::ArrayRef<int64_t> shape);

/// The elements of a constant at those places as a constant of `shape`; null if `value` is none.
mlir::Value rearrangedConstant(mlir::OpBuilder &b, mlir::Value value, llvm::ArrayRef<int64_t> shape,
                               const ElementPlaces &places);

/// A tensor of `shape` whose element at index i is the element of `value` at index map(i), all of
/// whose results are sums of multiples of the dimensions. Constants stay constants.
mlir::Value rearranged(LoweringContext &c, mlir::Value value, mlir::AffineMap map,
                       llvm::ArrayRef<int64_t> shape);

} // namespace kgen
