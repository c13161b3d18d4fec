// Normalization and softmax.
#include "ingress/onnx/Converters.h"

namespace kgen::onnx {
namespace {

/// Before opset 13 the input is a matrix: dimensions before `axis` (1) are its rows, and a row is
/// normalized.
void convertSoftmax(NodeImport &node) {
  const std::string &op = node.proto.op_type();
  if (node.opset >= 13)
    return node.become(op, {node.input(0)}, {{"axis", node.integer("axis", -1)}});
  ValueId x = node.input(0);
  int64_t rank = node.rank(x), axis = node.integer("axis", 1);
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis > rank)
    return node.refuse("its axis is none of its input");
  if (axis == rank - 1)
    return node.become(op, {x}, {{"axis", int64_t(-1)}});
  ValueId rows = node.add("Flatten", {x}, {{"axis", axis}});
  ValueId normalized = node.add(op, {rows}, {{"axis", int64_t(-1)}});
  node.result(
      0, node.add("Reshape", {normalized, node.shapeConstant(x)}, {{"allowzero", int64_t(1)}}));
}

/// Statistics of the batch, and the running ones: mean * momentum + batch's * (1 - momentum).
void convertTrainedBatchNormalization(NodeImport &node) {
  ValueId x = node.input(0);
  std::vector<int64_t> axes, shape(static_cast<size_t>(node.rank(x)), 1);
  for (int64_t d = 0; d < node.rank(x); ++d)
    if (d != 1)
      axes.push_back(d);
  if (node.rank(x) < 2)
    return node.refuse("its input has no channels");
  ElementType type = node.type(x).element;
  ValueId mean =
      node.add("ReduceMean", {x, node.integerConstant(axes)}, {{"keepdims", int64_t(0)}});
  shape[1] = node.size(x, 1);
  ValueId wide = node.add("Reshape", {mean, node.integerConstant(shape)});
  ValueId difference = node.add("Sub", {x, wide});
  ValueId square = node.add("Mul", {difference, difference});
  ValueId variance =
      node.add("ReduceMean", {square, node.integerConstant(axes)}, {{"keepdims", int64_t(0)}});
  ValueId y = node.add("BatchNormalization", {x, node.input(1), node.input(2), mean, variance},
                       {{"epsilon", node.real("epsilon", 1e-5)}});
  node.result(0, y);
  double momentum = node.real("momentum", 0.9);
  auto running = [&](ValueId before, ValueId batch) {
    ValueId old = node.add("Mul", {before, node.numberConstant(momentum, type)});
    ValueId now = node.add("Mul", {batch, node.numberConstant(1 - momentum, type)});
    return node.add("Add", {old, now});
  };
  if (node.hasOutput(1))
    node.result(1, running(node.input(3), mean));
  if (node.hasOutput(2))
    node.result(2, running(node.input(4), variance));
}

void convertBatchNormalization(NodeImport &node) {
  if (node.opset >= 14 && node.integer("training_mode", 0) != 0)
    return convertTrainedBatchNormalization(node);
  bool isPerElement = node.opset < 9 && node.integer("spatial", 1) == 0;
  for (size_t i = 1; i < node.outputCount(); ++i)
    if (node.hasOutput(i))
      return node.refuse("it is in training mode: it has more results than one");
  double epsilon = node.real("epsilon", 1e-5);
  if (!isPerElement)
    return node.become("BatchNormalization", node.inputs(), {{"epsilon", epsilon}});
  // Statistics have the shape of an image.
  ValueId deviation = node.add(
      "Sqrt", {node.add("Add", {node.input(4),
                                node.numberConstant(epsilon, node.type(node.input(4)).element)})});
  ValueId centered = node.add("Sub", {node.input(0), node.input(3)});
  ValueId scaled = node.add("Mul", {node.add("Div", {centered, deviation}), node.input(1)});
  node.result(0, node.add("Add", {scaled, node.input(2)}));
}

/// Before opset 21 scale and bias have an element for each group.
void convertGroupNormalization(NodeImport &node) {
  if (node.opset >= 21)
    return convertSameName(node);
  ValueId x = node.input(0);
  int64_t groups = node.integer("num_groups", 0);
  if (node.rank(x) < 2 || groups <= 0 || node.size(x, 1) % groups != 0)
    return node.refuse("its groups do not divide the channels");
  int64_t channels = node.size(x, 1);
  std::vector<ValueId> inputs{x};
  for (size_t i : {size_t(1), size_t(2)}) {
    ValueId column = node.add("Reshape", {node.input(i), node.integerConstant({groups, 1})});
    ValueId wide = node.add("Expand", {column, node.integerConstant({groups, channels / groups})});
    inputs.push_back(node.add("Reshape", {wide, node.integerConstant({channels})}));
  }
  node.become("GroupNormalization", inputs, node.attributes());
}

} // namespace

void addNormalizationConverters(ConverterTable &table) {
  for (const char *name : {"Softmax", "LogSoftmax", "Hardmax"})
    table[name] = convertSoftmax;
  table["BatchNormalization"] = convertBatchNormalization;
  table["GroupNormalization"] = convertGroupNormalization;
}

} // namespace kgen::onnx
