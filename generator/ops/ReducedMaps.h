// Maps of a tensor and of what is left of it where some dimensions are reduced.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

struct ReducedMaps {
  mlir::AffineMap full, kept;  ///< of the tensor, and of what is left: the dimensions that stay
  mlir::RankedTensorType type; ///< of what is left, in the type to compute in
  int64_t count = 1;           ///< elements of the tensor that make one

  ReducedMaps(mlir::RankedTensorType tensor, llvm::function_ref<bool(int64_t)> isReduced) {
    mlir::MLIRContext *context = tensor.getContext();
    llvm::SmallVector<int64_t> shape;
    llvm::SmallVector<mlir::AffineExpr> dims;
    for (auto [d, size] : llvm::enumerate(tensor.getShape())) {
      if (isReduced(d)) {
        count *= size;
        continue;
      }
      dims.push_back(getAffineDimExpr(d, context));
      shape.push_back(size);
    }
    full = mlir::AffineMap::getMultiDimIdentityMap(tensor.getRank(), context);
    kept = mlir::AffineMap::get(tensor.getRank(), 0, dims, context);
    type = mlir::RankedTensorType::get(shape, computeType(tensor.getElementType()));
  }

  /// Along one axis.
  ReducedMaps(mlir::RankedTensorType tensor, int64_t axis)
      : ReducedMaps(tensor, [axis](int64_t d) { return d == axis; }) {}
};

} // namespace kgen
