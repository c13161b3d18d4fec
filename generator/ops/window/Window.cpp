#include "ops/window/Window.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

std::vector<AttributeSchema> windowAttributes(bool kernelIsRequired) {
  AttributeSchema kernel =
      optionalIntegers("kernel_shape", "size of the kernel along each spatial dimension");
  kernel.optional = !kernelIsRequired;
  return {{"auto_pad", AttributeKind::string, std::string("NOTSET"), false,
           "padding: NOTSET: as given by pads; VALID: none; SAME_UPPER, SAME_LOWER: such that the "
           "output has ceil(input / stride) elements, an odd one at the end or at the beginning"},
          kernel,
          optionalIntegers(
              "pads",
              "padding at the beginning of each spatial dimension, then at the end; 0 if absent"),
          optionalIntegers("strides", "stride along each spatial dimension; 1 if absent"),
          optionalIntegers("dilations", "dilation along each spatial dimension; 1 if absent")};
}

std::optional<std::vector<int64_t>> spatialAttribute(const InferenceContext &context,
                                                     const std::string &name, size_t count,
                                                     int64_t otherwise, int64_t minValue) {
  if (!context.hasAttribute(name))
    return std::vector<int64_t>(count, otherwise);
  const std::vector<int64_t> &values = context.integers(name);
  constexpr int64_t maxValue = int64_t(1) << 31;
  if (values.size() != count) {
    context.error(name + " must have " + std::to_string(count) + " numbers, it has " +
                  std::to_string(values.size()));
    return std::nullopt;
  }
  for (int64_t value : values)
    if (value < minValue || value > maxValue) {
      context.error(name + " must be from " + std::to_string(minValue) + " to " +
                    std::to_string(maxValue) + ", found " + std::to_string(value));
      return std::nullopt;
    }
  return values;
}

/// Sets padding and output of an axis by the rules of `auto_pad`. Rounds up if `ceilMode`. Returns
/// what depends on a size that is not a number, and must not; empty if there is nothing.
static std::string setPadding(WindowAxis &axis, const std::string &autoPad, bool ceilMode) {
  if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER") {
    axis.output = axis.input.ceilDiv(axis.stride);
    std::optional<int64_t> missing = (axis.reach() - axis.input).number();
    if (!missing)
      return "the padding of auto_pad " + autoPad;
    int64_t pads = std::max<int64_t>(0, *missing);
    axis.padBegin = autoPad == "SAME_UPPER" ? pads / 2 : pads - pads / 2;
    axis.padEnd = pads - axis.padBegin;
    return "";
  }
  Dim range = axis.input + axis.padBegin + axis.padEnd - axis.extent();
  axis.output = (ceilMode ? range.ceilDiv(axis.stride) : range.floorDiv(axis.stride)) + 1;
  if (!ceilMode)
    return "";
  // A window that begins in the padding at the end would have no element of the image.
  Dim behind = (axis.output - 1) * axis.stride - axis.input - axis.padBegin;
  if (!behind.isNumber())
    return "where the last window of ceil_mode begins";
  if (*behind.number() >= 0)
    axis.output = axis.output - 1;
  return "";
}

std::optional<WindowSettings> windowSettings(const InferenceContext &context, size_t rank) {
  const std::string &autoPad = context.string("auto_pad");
  if (!llvm::is_contained({"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}, autoPad)) {
    context.error("auto_pad must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, not '" + autoPad +
                  "'");
    return std::nullopt;
  }
  if (autoPad != "NOTSET" && context.hasAttribute("pads")) {
    context.error("pads and auto_pad " + autoPad + " exclude each other");
    return std::nullopt;
  }
  auto strides = spatialAttribute(context, "strides", rank, 1, 1);
  auto dilations = spatialAttribute(context, "dilations", rank, 1, 1);
  auto pads = spatialAttribute(context, "pads", 2 * rank, 0, 0);
  if (!strides || !dilations || !pads)
    return std::nullopt;
  return WindowSettings{autoPad, *strides, *dilations, *pads};
}

std::optional<Window> windowOf(const InferenceContext &context, ArrayRef<int64_t> kernel,
                               bool ceilMode) {
  const TensorShape &shape = context.input(0).shape;
  size_t rank = shape.size() - 2;
  auto settings = windowSettings(context, rank);
  if (!settings)
    return std::nullopt;
  const auto &[autoPad, strides, dilations, pads] = *settings;
  Window window{{1, 1, 1, 1, 0, 0, 1}, {1, 1, 1, 1, 0, 0, 1}};
  for (size_t i = 0; i < rank; ++i) {
    WindowAxis &axis = i + 1 == rank ? window.width : window.height;
    axis = {shape.dim(i + 2), kernel[i], strides[i], dilations[i], pads[i], pads[rank + i], 0};
    std::string dependent = setPadding(axis, autoPad, ceilMode);
    if (!dependent.empty()) {
      context.error(context.node.op->name + " of " + context.input(0).str() + ": " + dependent +
                        " depends on the size of dimension " + std::to_string(i + 2),
                    "let the size be a multiple of " + std::to_string(axis.stride) +
                        ", the stride, in `dims`");
      return std::nullopt;
    }
    int64_t least = axis.input.bounds().min;
    if (least < 1 || least + axis.padBegin + axis.padEnd < axis.extent()) {
      context.error("a window of " + std::to_string(axis.extent()) +
                    " elements does not fit spatial dimension " + std::to_string(i) + " of " +
                    context.input(0).str() + " with its padding" +
                    (axis.input.isNumber() ? "" : ", where its size is " + std::to_string(least)));
      return std::nullopt;
    }
  }
  return window;
}

SymbolicDims numberOfImages() {
  return {"the number of images", [](const InferenceContext &, size_t input, size_t d) {
            const bool isNumberOfImages = input == 0 && d == 0;
            return std::string(
                isNumberOfImages ? "" : "channels, rows and columns of images are numbers");
          }};
}

SymbolicDims imagesOfAnySize() {
  return {"the number of images, and their rows and columns",
          [](const InferenceContext &, size_t input, size_t d) {
            const bool isSize = input == 0 && d != 1;
            return std::string(isSize ? "" : "channels, and the sizes of windows, are numbers");
          }};
}

TensorType imageType(const InferenceContext &context, int64_t channels, const Dim &height,
                     const Dim &width) {
  const TensorType &image = context.input(0);
  TensorType result{image.element, std::vector<Dim>{image.shape.dim(0), channels}};
  if (image.shape.size() == 4)
    result.shape.push_back(height);
  result.shape.push_back(width);
  return result;
}

Value imageOperand(LoweringContext &c) {
  Value image = c.channelsLast(0);
  TensorShape shape = tensorShapeOf(image);
  if (shape.size() == 3)
    shape.insertDim(1, 1);
  return c.withShape(image, shape);
}

void setImage(LoweringContext &c, Value image, size_t i) {
  TensorShape shape = tensorShapeOf(image);
  if (c.resultType(i).shape.size() == 3)
    shape.eraseDim(1);
  c.setChannelsLast(c.withShape(image, shape), i);
}

bool readsAround(const Window &window) {
  return llvm::any_of(std::array{window.height, window.width},
                      [](const WindowAxis &axis) { return axis.padBegin + axis.behind() != 0; });
}

Value padded(LoweringContext &c, Value image, const Window &window, double value, bool always,
             std::array<int64_t, 2> dimensions) {
  Value scalar = c.scalar(getElementTypeOrSelf(image.getType()), value);
  return padded(c, image, window, scalar, always, dimensions);
}

Value padded(LoweringContext &c, Value image, const Window &window, Value value, bool always,
             std::array<int64_t, 2> dimensions) {
  auto type = cast<RankedTensorType>(image.getType());
  TensorShape shape = tensorShapeOf(image);
  SmallVector<OpFoldResult> low(type.getRank(), c.b.getIndexAttr(0)), high(low);
  for (auto [position, axis] :
       {std::pair(dimensions[0], window.height), std::pair(dimensions[1], window.width)}) {
    low[position] = c.b.getIndexAttr(axis.padBegin);
    high[position] = c.b.getIndexAttr(axis.behind());
    shape.setDim(position, shape.dim(position) + axis.padBegin + axis.behind());
  }
  if (!readsAround(window) && !always)
    return image;
  return tensor::PadOp::create(c.b, c.loc, tensorOf(shape, type.getElementType()), image, low, high,
                               value, /*nofold=*/always);
}

AffineMap windowMap(MLIRContext *context, const Window &window, int64_t height) {
  SmallVector<AffineExpr> expressions;
  for (unsigned d = 0; d < 4; ++d)
    expressions.push_back(getAffineDimExpr(d, context));
  for (auto [dimension, tap, axis] :
       {std::tuple(height, 4, window.height), std::tuple(height + 1, 5, window.width)})
    expressions[dimension] =
        expressions[dimension] * axis.stride + getAffineDimExpr(tap, context) * axis.dilation;
  return AffineMap::get(6, 0, expressions, context);
}

} // namespace kgen
