// The sums of products that every convolution of an image with filters is, whatever its elements.
//
// Inside, images have their channels last. The taps of a row of the window are then adjacent, so
// that a convolution is a sum of one product of matrices for each row of the window: the rows of
// the left one are overlapping slices of a row of the image. Groups and taps that are apart
// (dilations along a row) have one product over all taps.
#pragma once

#include "ops/window/Filter.h"
#include "ops/window/Window.h"

namespace kgen {

/// Tensors that belong to a convolution of bytes; null where there are none. Scales are there for
/// both sides or for neither; those of the filter, and the bias, have one element, or one for each
/// channel of the result.
struct ConvolutionOfBytes {
  mlir::Value zeroOfImage, scaleOfImage, scalesOfFilter, divisor, bias;
  /// That of the image, which stands around it; nothing if it is known at run time only.
  std::optional<int64_t> zero = 0;
};

/// Factors of a convolution, and the types that decide its products.
struct ConvolutionFactors {
  mlir::Value image;  ///< [n, height, width, channels]
  mlir::Value filter; ///< [out, channels / group, spatial...]
  ElementType ofImage, ofFilter;
  std::optional<ConvolutionOfBytes> bytes = {};
};

/// The sums as [n, height, width, out], in their accumulators' type; with scales, in f32.
mlir::Value convolutionSums(LoweringContext &c, const FilterInputs &inputs,
                            const ConvolutionFactors &factors);

} // namespace kgen
