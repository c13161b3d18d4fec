// What Conv and ConvTranspose share: the shapes of images, filters and bias, and the sums of
// products that both are.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// Which channels a filter lists first: Conv's is [out, c / group, spatial...], ConvTranspose's
/// [c, out / group, spatial...].
enum class FilterOrder { resultFirst, imageFirst };

/// The spatial part of the filter's shape.
llvm::ArrayRef<int64_t> kernelOf(const InferenceContext &c);

/// The channels of the result.
int64_t filtersOf(const InferenceContext &c, FilterOrder order);

/// Whether element types and shapes of image, filter and bias fit; reports it otherwise.
bool checkFilter(const InferenceContext &context, FilterOrder order);

/// The attribute `group`.
AttributeSchema groupAttribute();

/// What the lowerings of both have: sizes, and sums of products.
class FilterLowering {
protected:
  FilterLowering(LoweringContext &c, FilterOrder order);

  mlir::Value zeros(llvm::ArrayRef<int64_t> shape);
  /// `sums` and products of both operands, each at the place that its map says.
  mlir::Value product(mlir::Value image, mlir::Value weights, mlir::Value sums,
                      llvm::ArrayRef<mlir::AffineMap> maps);
  /// With the bias, in the result's type.
  mlir::Value finish(mlir::Value sums);
  bool isDepthwise() const { return channels == group && group > 1; }

  LoweringContext &c;
  int64_t group, images, channels, filters;
  mlir::Type element, accumulator; ///< of the result, and of sums
};

} // namespace kgen
