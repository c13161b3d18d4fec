// Tensors whose elements are those of another one at other indices: transposed, sliced, reversed.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// A strided view of row-major elements: the offset of the first one and the stride of each
/// dimension, in elements.
struct StridedLayout {
  int64_t first = 0;
  llvm::SmallVector<int64_t> strides;
};

/// The strides of a row-major tensor, in elements.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// The elements of a constant in that layout as a constant of `shape`; null if `value` is none.
mlir::Value rearrangedConstant(mlir::OpBuilder &b, mlir::Value value, llvm::ArrayRef<int64_t> shape,
                               const StridedLayout &layout);

/// A tensor of `shape` whose element at index i is the element of `value` at index map(i), all of
/// whose results are sums of multiples of the dimensions. Constants stay constants.
mlir::Value rearranged(LoweringContext &c, mlir::Value value, mlir::AffineMap map,
                       llvm::ArrayRef<int64_t> shape);

} // namespace kgen
