// Pooling, resampling and regions.
#include "ingress/onnx/Converters.h"
#include "support/TensorLimits.h"

#include <algorithm>

namespace kgen::onnx {
namespace {

/// Sizes of windows from which on products of them may overflow.
constexpr int64_t maxWindow = 1 << 24;

/// Resize 10 has scales alone, and samples at asymmetric coordinates.
void convertResize(NodeImport &node) {
  Attributes attributes = node.attributes();
  if (node.opset >= 11) {
    if (node.string("coordinate_transformation_mode", "") == "tf_half_pixel_for_nn")
      return node.refuse("its coordinate_transformation_mode is tf_half_pixel_for_nn");
    std::vector<ValueId> inputs = node.inputs();
    // Empty scales or regions stand for none.
    for (size_t i = 1; i < inputs.size(); ++i)
      if (inputs[i] != noValue && node.type(inputs[i]).shape.isEmptyTensor())
        inputs[i] = noValue;
    bool crops = node.string("coordinate_transformation_mode", "") == "tf_crop_and_resize";
    if (!crops && inputs.size() > 1)
      inputs[1] = noValue;
    while (inputs.size() > 1 && inputs.back() == noValue)
      inputs.pop_back();
    return node.become("Resize", inputs, attributes);
  }
  attributes["coordinate_transformation_mode"] = std::string("asymmetric");
  attributes["nearest_mode"] = std::string("floor");
  node.become("Resize", {node.input(0), noValue, node.input(1)}, attributes);
}

/// Before opset 16 coordinates are not shifted by half a pixel.
void convertRoiAlign(NodeImport &node) {
  Attributes attributes = node.attributes();
  if (node.opset < 16)
    attributes["coordinate_transformation_mode"] = std::string("output_half_pixel");
  node.become("RoiAlign", node.inputs(), attributes);
}

/// Before opset 20 modes have the names of two dimensions.
void convertGridSample(NodeImport &node) {
  Attributes attributes = node.attributes();
  std::string mode = node.string("mode", "linear");
  if (mode == "bilinear" || mode == "bicubic")
    attributes["mode"] = mode.substr(2);
  node.become("GridSample", node.inputs(), attributes);
}

/// Each element goes to its index in the flat result, which is zero elsewhere.
void convertMaxUnpool(NodeImport &node) {
  auto shape = node.integers(node.input(2));
  const std::vector<int64_t> in = node.shape(node.input(0));
  std::vector<int64_t> kernel = node.integerList("kernel_shape"),
                       strides = node.integerList("strides"), pads = node.integerList("pads");
  size_t spatial = kernel.size();
  if (node.hasInput(2) && !shape)
    return node.refuse("the shape of its result is known at run time only");
  if (in.size() != spatial + 2)
    return node.refuse("its kernel does not have the dimensions of its input");
  strides.resize(spatial, 1);
  pads.resize(2 * spatial, 0);
  auto isLarge = [](int64_t number) { return number < -maxWindow || number > maxWindow; };
  for (const auto *list :
       std::initializer_list<const std::vector<int64_t> *>{&kernel, &strides, &pads, &in})
    if (std::any_of(list->begin(), list->end(), isLarge))
      return node.refuse("a size of its windows or of its input is larger than 2^24");
  std::vector<int64_t> inferred{in[0], in[1]};
  for (size_t d = 0; d < spatial; ++d)
    inferred.push_back((in[d + 2] - 1) * strides[d] - pads[d] - pads[d + spatial] + kernel[d]);
  if (shape && shape->size() != inferred.size())
    return node.refuse("the shape of its result has other dimensions than its input");
  TensorType zeros{node.type(node.input(0)).element, inferred};
  bool isNegative = std::any_of(inferred.begin(), inferred.end(), [](int64_t n) { return n < 0; });
  if (isNegative || !boundedByteCount(zeros, maxTensorBytes))
    return node.refuse("the shape of its result has a negative dimension, or more than 1 TiB");
  int64_t count = zeros.elementCount();
  ValueId flat =
      node.add("Expand", {node.numberConstant(0, zeros.element), node.integerConstant({count})});
  ValueId indices = node.add("Reshape", {node.input(1), node.integerConstant({-1})});
  ValueId updates = node.add("Reshape", {node.input(0), node.integerConstant({-1})});
  ValueId filled = node.add("ScatterElements", {flat, indices, updates}, {{"axis", int64_t(0)}});
  ValueId image = node.add("Reshape", {filled, node.integerConstant(inferred)});
  if (!shape)
    return node.result(0, image);
  // Indices are those of the image that follows from the attributes; zeros follow it.
  std::vector<int64_t> around(2 * inferred.size(), 0);
  for (size_t d = 0; d < inferred.size(); ++d)
    around[inferred.size() + d] = (*shape)[d] - inferred[d];
  node.result(0, node.add("Pad", {image, node.integerConstant(around)}));
}

} // namespace

void addWindowConverters(ConverterTable &table) {
  table["Resize"] = convertResize;
  table["RoiAlign"] = convertRoiAlign;
  table["GridSample"] = convertGridSample;
  table["MaxUnpool"] = convertMaxUnpool;
}

} // namespace kgen::onnx
