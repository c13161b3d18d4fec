// Tensors whose elements are those of another one, at other places.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// A tensor of `shape` whose element at index i is the element of `value` at index map(i), all of
/// whose results are sums of multiples of the dimensions. Constants stay constants.
mlir::Value rearranged(LoweringContext &c, mlir::Value value, mlir::AffineMap map,
                       llvm::ArrayRef<int64_t> shape);

} // namespace kgen
