// Common parts of Conv and ConvTranspose: the shapes of images, filters and bias, and the sums of
// products that both are.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// Order of the channels of a filter: Conv's is [out, c / group, spatial...], ConvTranspose's [c,
/// out / group, spatial...].
enum class FilterOrder { resultFirst, imageFirst };

/// The inputs of a convolution by number; the first is the image.
struct FilterInputs {
  FilterOrder order = FilterOrder::resultFirst;
  size_t filter = 1, bias = 2;
};

/// The spatial part of the filter's shape.
llvm::ArrayRef<int64_t> kernelOf(const InferenceContext &c, const FilterInputs &inputs);

/// The channels of the result.
int64_t filtersOf(const InferenceContext &c, const FilterInputs &inputs);

/// True if the shapes of image, filter and bias fit; reports it otherwise.
bool checkFilter(const InferenceContext &context, const FilterInputs &inputs);

/// The attribute `group`.
AttributeSchema groupAttribute();

/// Common part of both lowerings: sizes, and sums of products.
class FilterLowering {
protected:
  /// Elements are multiplied as `ofImage` and `ofFilter`.
  FilterLowering(LoweringContext &c, const FilterInputs &inputs, ElementType ofImage,
                 ElementType ofFilter);

  mlir::Value zeros(const std::vector<Dim> &shape);
  /// `sums` and products of both operands, each at the subscripts that its map gives.
  mlir::Value product(mlir::Value image, mlir::Value weights, mlir::Value sums,
                      llvm::ArrayRef<mlir::AffineMap> maps);
  bool isDepthwise() const { return channels == group && group > 1; }

  LoweringContext &c;
  int64_t group;
  Dim images;
  int64_t channels, filters;
  ElementType ofImage, ofFilter;
  mlir::Type accumulator; ///< of sums
};

/// Sums of products with the bias, in the result's type.
mlir::Value withBias(LoweringContext &c, const FilterInputs &inputs, mlir::Value sums);

} // namespace kgen
