// Maps of a tensor and of what is left of it where some dimensions are reduced.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

struct ReducedMaps {
  mlir::AffineMap full, kept;  ///< of the tensor, and of what is left: the dimensions that stay
  mlir::RankedTensorType type; ///< of what is left, in the type to compute in
  TensorShape shape;           ///< of what is left
  Dim count = 1;               ///< elements of the tensor that make one

  ReducedMaps(const TensorShape &tensor, mlir::Type element,
              llvm::function_ref<bool(int64_t)> isReduced) {
    mlir::MLIRContext *context = element.getContext();
    llvm::SmallVector<mlir::AffineExpr> dims;
    for (size_t d = 0; d < tensor.size(); ++d) {
      if (isReduced(static_cast<int64_t>(d))) {
        count = count * tensor.dim(d);
        continue;
      }
      dims.push_back(getAffineDimExpr(d, context));
      shape.push_back(tensor.dim(d));
    }
    full = mlir::AffineMap::getMultiDimIdentityMap(tensor.size(), context);
    kept = mlir::AffineMap::get(tensor.size(), 0, dims, context);
    type = tensorOf(shape, computeType(element));
  }
  ReducedMaps(mlir::RankedTensorType tensor, llvm::function_ref<bool(int64_t)> isReduced)
      : ReducedMaps(TensorShape(tensor.getShape().begin(), tensor.getShape().end()),
                    tensor.getElementType(), isReduced) {}

  /// Along one axis.
  ReducedMaps(const TensorShape &tensor, mlir::Type element, int64_t axis)
      : ReducedMaps(tensor, element, [axis](int64_t d) { return d == axis; }) {}
  ReducedMaps(mlir::RankedTensorType tensor, int64_t axis)
      : ReducedMaps(tensor, [axis](int64_t d) { return d == axis; }) {}

  int64_t greatestCount() const { return count.bounds().max; }

  /// A tensor of `type`, filled with the number.
  mlir::Value filled(LoweringContext &c, double value) const {
    return c.filled(shape, type.getElementType(), value);
  }
};

} // namespace kgen
