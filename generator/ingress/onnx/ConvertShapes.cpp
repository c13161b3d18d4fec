// Movement and selection of elements.
#include "ingress/onnx/Converters.h"

namespace kgen::onnx {
namespace {

/// Before opset 11 pads and the value are attributes.
void convertPad(NodeImport &node) {
  Attributes attributes;
  attributes["mode"] = node.string("mode", "constant");
  if (node.opset >= 11)
    return node.become("Pad", node.inputs(), attributes);
  ElementType type = node.type(node.input(0)).element;
  node.become("Pad",
              {node.input(0), node.integerConstant(node.integerList("pads")),
               node.numberConstant(node.real("value", 0), type)},
              attributes);
}

/// Before opset 10 k is an attribute.
void convertTopK(NodeImport &node) {
  Attributes attributes = node.attributes();
  attributes.erase("k");
  std::vector<ValueId> inputs = node.inputs();
  if (node.opset < 10 && !node.has("k"))
    return node.refuse("it lacks the attribute 'k'");
  if (node.opset < 10)
    inputs = {node.input(0), node.integerConstant({node.integer("k", 0)})};
  node.become("TopK", inputs, attributes);
}

void convertScatter(NodeImport &node) {
  node.become("ScatterElements", node.inputs(), node.attributes());
}

/// A constant condition is a list of indices.
void convertCompress(NodeImport &node) {
  auto condition = node.integers(node.input(1));
  if (!condition)
    return node.refuse("how many elements its result has is known at run time only");
  ValueId data = node.input(0);
  int64_t axis = node.integer("axis", 0);
  if (!node.has("axis"))
    data = node.add("Reshape", {data, node.integerConstant({-1})});
  if (axis < 0)
    axis += node.rank(data);
  if (axis < 0 || axis >= node.rank(data))
    return node.refuse("its axis is none of its input");
  std::vector<int64_t> indices;
  int64_t size = node.size(data, axis);
  for (size_t i = 0; i < condition->size() && static_cast<int64_t>(i) < size; ++i)
    if ((*condition)[i] != 0)
      indices.push_back(static_cast<int64_t>(i));
  node.become("Gather", {data, node.integerConstant(indices)}, {{"axis", axis}});
}

/// As many results as the node has, unless it says how large they are.
void convertSplit(NodeImport &node) {
  Attributes attributes = node.attributes();
  if (!node.hasInput(1) && !node.has("split") && !node.has("num_outputs"))
    attributes["num_outputs"] = static_cast<int64_t>(node.outputCount());
  node.become("Split", node.inputs(), attributes);
}

} // namespace

void addShapeConverters(ConverterTable &table) {
  table["Pad"] = convertPad;
  table["TopK"] = convertTopK;
  table["Scatter"] = convertScatter;
  table["Compress"] = convertCompress;
  table["Split"] = convertSplit;
}

} // namespace kgen::onnx
