// Sliding windows over the spatial dimensions of images, of Conv and of the pooling operators:
// kernel size, stride, dilation and padding.
#pragma once

#include "ops/Lowering.h"

#include <array>

namespace kgen {

/// Along one spatial dimension. Its size, and that of the result, may be known at run time only.
struct WindowAxis {
  Dim input;
  int64_t kernel, stride, dilation, padBegin, padEnd;
  Dim output;

  int64_t extent() const { return (kernel - 1) * dilation + 1; } ///< from the first tap to the last
  /// Elements that windows read, the padding at the beginning included.
  Dim reach() const { return (output - 1) * stride + extent(); }
  /// Padding that windows read at the end: with `ceil_mode` more than `padEnd`, or less where the
  /// last window ends before. All of it where that depends on sizes.
  int64_t behind() const {
    return std::max<int64_t>(0, (reach() - padBegin - input).number().value_or(padEnd));
  }
  /// True if tap `tap` of window number `window` is in the image, which has a number of elements,
  /// and not in the padding.
  bool isInside(int64_t window, int64_t tap) const {
    int64_t at = window * stride + tap * dilation - padBegin;
    return at >= 0 && at < *input.number();
  }
};

/// Of an image of two spatial dimensions; one of one has a height of one.
struct Window {
  WindowAxis height, width;
};

/// The attributes `auto_pad`, `pads` and `strides`, and `kernel_shape` and `dilations`.
std::vector<AttributeSchema> windowAttributes(bool kernelIsRequired);

/// The windows of `kernel` (sizes of the spatial dimensions) over input 0, or nothing after
/// reporting what is wrong. With `ceilMode` the last window may extend past the padding, as long
/// as it begins before the padding's end.
std::optional<Window> windowOf(const InferenceContext &context, llvm::ArrayRef<int64_t> kernel,
                               bool ceilMode = false);

/// The attributes that every window has: two `pads` and one of the other numbers for each spatial
/// dimension.
struct WindowSettings {
  std::string autoPad;
  std::vector<int64_t> strides, dilations, pads;
};

/// Those of a node whose image has `rank` spatial dimensions, or nothing after reporting what is
/// wrong.
std::optional<WindowSettings> windowSettings(const InferenceContext &context, size_t rank);

/// The attribute `name`, or `count` times `otherwise`. Reports a wrong number of them and numbers
/// below `minValue`.
std::optional<std::vector<int64_t>> spatialAttribute(const InferenceContext &context,
                                                     const std::string &name, size_t count,
                                                     int64_t otherwise, int64_t minValue);

/// Of an operator whose input 0 is images: their number, which decides nothing about windows.
SymbolicDims numberOfImages();
/// Of an operator whose input 0 is images: their number and sizes, which are all dimensions but
/// channels.
SymbolicDims imagesOfAnySize();

/// The result type: [n, channels, spatial...] of the first input's element type, and of its number
/// of spatial dimensions.
TensorType imageType(const InferenceContext &context, int64_t channels, const Dim &height,
                     const Dim &width);

/// Input 0 as [n, height, width, channels].
mlir::Value imageOperand(LoweringContext &c);
/// Sets result i from [n, height, width, channels].
void setImage(LoweringContext &c, mlir::Value image, size_t i = 0);

/// The image padded with `value` as far as windows read; `dimensions` are its rows and columns.
/// With `always`, an image that needs no padding gets a `tensor.pad` of nothing: fusion does not
/// look through it, so an elementwise producer is not computed again for each tap.
mlir::Value padded(LoweringContext &c, mlir::Value image, const Window &window, double value,
                   bool always, std::array<int64_t, 2> dimensions = {1, 2});
/// Like `padded`, but with a scalar that may be known at run time only.
mlir::Value padded(LoweringContext &c, mlir::Value image, const Window &window, mlir::Value value,
                   bool always, std::array<int64_t, 2> dimensions = {1, 2});

/// True if `window` reads elements around the image.
bool readsAround(const Window &window);

/// The subscripts at which `window` reads the image: a map of the image's four dimensions, the
/// tap's row and the tap's column. Dimension `height` of the image is that of its rows.
mlir::AffineMap windowMap(mlir::MLIRContext *context, const Window &window, int64_t height = 1);

} // namespace kgen
