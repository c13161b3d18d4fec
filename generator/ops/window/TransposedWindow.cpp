#include "ops/window/TransposedWindow.h"

#include "ops/window/Window.h"

using namespace mlir;

namespace kgen {

SmallVector<WindowPhase> TransposedAxis::phases() const {
  SmallVector<WindowPhase> result;
  for (int64_t first = 0; first < std::min(stride, output.bounds().max); ++first) {
    WindowPhase phase{first, 0, 0, 0, 1, 0, 1};
    phase.count = (output - first).ceilDiv(stride);
    // Taps from the last one down read elements from the first one up.
    for (int64_t tap = kernel - 1; tap >= 0; --tap) {
      int64_t distance = first + padBegin - tap * dilation;
      if (distance % stride != 0)
        continue;
      if (phase.taps == 0) {
        phase.tap = tap;
        phase.shift = distance / stride;
      } else if (phase.taps == 1) {
        phase.tapStride = phase.tap - tap;
        phase.inputStride = distance / stride - phase.shift;
      }
      ++phase.taps;
    }
    result.push_back(phase);
  }
  return result;
}

std::vector<AttributeSchema> transposedWindowAttributes() {
  std::vector<AttributeSchema> attributes = windowAttributes(/*kernelIsRequired=*/false);
  attributes[0].doc = "NOTSET: as pads says; VALID: none; SAME_UPPER, SAME_LOWER: results are the "
                      "image's size times strides; what is cut off evenly, an odd element at the "
                      "end or at the beginning";
  for (AttributeSchema &attribute : attributes)
    if (attribute.name == "pads")
      attribute.doc = "results that are cut off at the beginning of each spatial dimension, then "
                      "at the end of each; 0 if absent";
  attributes.push_back(
      optionalIntegers("output_padding", "more results at the end of each spatial dimension"));
  attributes.push_back(
      optionalIntegers("output_shape", "the result's spatial dimensions; pads follow from it"));
  return attributes;
}

/// Sets padding and output of an axis; `wanted` is the size of the result where that is given.
/// False if padding would depend on a size that is no number.
static bool setPadding(TransposedAxis &axis, int64_t padEnd, int64_t outputPadding,
                       std::optional<int64_t> wanted, const std::string &autoPad) {
  Dim all = (axis.input - 1) * axis.stride + outputPadding + (axis.kernel - 1) * axis.dilation + 1;
  if (!wanted && autoPad != "SAME_UPPER" && autoPad != "SAME_LOWER") {
    axis.output = all - axis.padBegin - padEnd;
    return true;
  }
  axis.output = wanted ? Dim(*wanted) : axis.input * axis.stride;
  Dim beyond = all - axis.output;
  int64_t pads = std::max<int64_t>(0, beyond.number().value_or(0));
  axis.padBegin = autoPad == "SAME_UPPER" ? pads / 2 : pads - pads / 2;
  return beyond.isNumber();
}

std::optional<TransposedWindow> transposedWindowOf(const InferenceContext &context,
                                                   ArrayRef<int64_t> kernel) {
  const TensorShape &shape = context.input(0).shape;
  size_t rank = shape.size() - 2;
  auto settings = windowSettings(context, rank);
  auto outputPadding = spatialAttribute(context, "output_padding", rank, 0, 0);
  auto outputShape = spatialAttribute(context, "output_shape", rank, 0, 1);
  if (!settings || !outputPadding || !outputShape)
    return std::nullopt;
  const auto &[autoPad, strides, dilations, pads] = *settings;
  TransposedWindow window{{1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 0, 1}};
  for (size_t i = 0; i < rank; ++i) {
    TransposedAxis &axis = i + 1 == rank ? window.width : window.height;
    axis = {shape.dim(i + 2), kernel[i], strides[i], dilations[i], pads[i], 0};
    if ((*outputPadding)[i] >= std::max(axis.stride, axis.dilation)) {
      context.error("output_padding must be less than the stride or the dilation, found " +
                    std::to_string((*outputPadding)[i]) + " for spatial dimension " +
                    std::to_string(i));
      return std::nullopt;
    }
    std::optional<int64_t> wanted;
    if (context.hasAttribute("output_shape"))
      wanted = (*outputShape)[i];
    if (!setPadding(axis, pads[rank + i], (*outputPadding)[i], wanted, autoPad)) {
      context.error("ConvTranspose of " + context.input(0).str() +
                        ": output_shape makes the padding depend on the size of dimension " +
                        std::to_string(i + 2),
                    "pads and output_padding do not");
      return std::nullopt;
    }
    if (axis.input.bounds().min < 1 || axis.output.bounds().min < 1) {
      context.error("spatial dimension " + std::to_string(i) + " of the result would have " +
                    std::to_string(axis.output.bounds().min) + " elements, from " +
                    context.input(0).str());
      return std::nullopt;
    }
  }
  return window;
}

} // namespace kgen
