// Elementwise operators whose older forms differ from kgen's.
#include "ingress/onnx/Converters.h"
#include "ingress/onnx/FinishGraph.h"

namespace kgen::onnx {
namespace {

/// The name of an element type that an attribute gives as a number, or nothing after a refusal.
std::optional<std::string> typeAttribute(NodeImport &node, const std::string &name) {
  auto number = static_cast<int32_t>(node.integer(name, 0));
  if (std::optional<ElementType> type = elementTypeOf(number))
    return std::string(toString(*type));
  node.refuse("its attribute '" + name + "' is " + dataTypeName(number) +
              ", an element type that kgen does not have");
  return std::nullopt;
}

/// Floats of 8 bits are the largest number where another one is beyond it.
bool saturates(NodeImport &node) {
  if (node.integer("saturate", 1) != 0)
    return true;
  node.refuse("its attribute 'saturate' is 0");
  return false;
}

void convertCast(NodeImport &node) {
  if (!saturates(node))
    return;
  std::optional<std::string> to = typeAttribute(node, "to");
  if (to && *to == toString(node.type(node.input(0)).element))
    node.result(0, node.input(0));
  else if (to)
    node.become("Cast", {node.input(0)}, {{"to", *to}});
}

void convertCastLike(NodeImport &node) {
  if (!saturates(node))
    return;
  node.become("CastLike", {node.input(0), node.input(1)}, {});
}

void convertQuantizeLinear(NodeImport &node) {
  if (!saturates(node))
    return;
  Attributes attributes = node.attributes();
  attributes.erase("saturate");
  attributes.erase("precision");
  if (node.integer("output_dtype", 0) != 0) {
    std::optional<std::string> type = typeAttribute(node, "output_dtype");
    if (!type)
      return;
    attributes["output_dtype"] = *type;
  } else {
    attributes.erase("output_dtype");
  }
  node.become("QuantizeLinear", node.inputs(), attributes);
}

void convertDequantizeLinear(NodeImport &node) {
  Attributes attributes = node.attributes();
  if (node.integer("output_dtype", 0) == 0)
    attributes.erase("output_dtype");
  node.become("DequantizeLinear", node.inputs(), attributes);
}

/// Before opset 11 the limits are attributes.
void convertClip(NodeImport &node) {
  if (node.opset >= 11)
    return convertSameName(node);
  ElementType type = node.type(node.input(0)).element;
  std::vector<ValueId> inputs{node.input(0)};
  if (node.has("min") || node.has("max"))
    inputs.push_back(node.has("min") ? node.numberConstant(node.real("min", 0), type) : noValue);
  if (node.has("max"))
    inputs.push_back(node.numberConstant(node.real("max", 0), type));
  node.become("Clip", inputs, {});
}

/// Before opset 7 the second operand broadcasts if asked for, its dimensions beginning at `axis`.
void convertBinary(NodeImport &node) {
  const std::string &op = node.proto.op_type();
  ValueId a = node.input(0), b = node.input(1);
  Attributes attributes = node.attributes();
  attributes.erase("axis");
  attributes.erase("broadcast");
  attributes.erase("consumed_inputs");
  if (node.opset < 7 && node.has("axis") && node.integer("broadcast", 0) != 0) {
    std::vector<int64_t> shape = node.shape(b);
    int64_t axis = node.integer("axis", 0);
    int64_t behind = axis < 0 || axis > node.rank(a) ? -1 : node.rank(a) - axis - node.rank(b);
    if (behind < 0)
      return node.refuse("its axis is none of its first input");
    shape.resize(shape.size() + static_cast<size_t>(behind), 1);
    b = node.add("Reshape", {b, node.integerConstant(shape)});
  }
  node.become(op, {a, b}, attributes);
}

/// Before opset 7 C broadcasts if asked for.
void convertGemm(NodeImport &node) {
  Attributes attributes = node.attributes();
  attributes.erase("broadcast");
  node.become("Gemm", node.inputs(), attributes);
}

/// Before opset 7 a slope of one dimension is one for each channel.
void convertPRelu(NodeImport &node) {
  ValueId x = node.input(0), slope = node.input(1);
  bool isPerChannel =
      node.opset < 7 && node.rank(slope) == 1 && node.rank(x) > 2 && node.size(slope, 0) != 1;
  if (isPerChannel) {
    std::vector<int64_t> shape(static_cast<size_t>(node.rank(x)) - 1, 1);
    shape[0] = node.size(slope, 0);
    slope = node.add("Reshape", {slope, node.integerConstant(shape)});
  }
  node.become("PRelu", {x, slope}, {});
}

/// Indices of floats are whole numbers.
void convertOneHot(NodeImport &node) {
  std::vector<ValueId> inputs = node.inputs();
  if (inputs.size() == 3 && isFloat(node.type(inputs[0]).element))
    inputs[0] = node.add("Cast", {inputs[0]}, {{"to", std::string("i64")}});
  node.become("OneHot", inputs, node.attributes());
}

/// All elements are true, if somebody wants the mask.
void addMask(NodeImport &node, size_t output) {
  if (!node.hasOutput(output))
    return;
  node.result(output, node.add("Expand", {node.numberConstant(1, ElementType::boolean),
                                          node.shapeConstant(node.input(0))}));
}

void convertDropout(NodeImport &node) {
  auto training = node.integers(node.input(2));
  if (node.hasInput(2) && (!training || training->empty()))
    return node.refuse("whether it drops anything is known at run time only");
  auto ratio = node.reals(node.input(1));
  bool isRatioZero = ratio && !ratio->empty() && ratio->front() == 0;
  if (training && training->front() != 0 && !isRatioZero)
    return node.refuse("it is in training mode: what it drops is random");
  node.result(0, node.input(0));
  addMask(node, 1);
}

void convertIdentity(NodeImport &node) { node.result(0, node.value(0)); }

} // namespace

void addElementwiseConverters(ConverterTable &table) {
  table["Cast"] = convertCast;
  table["CastLike"] = convertCastLike;
  table["QuantizeLinear"] = convertQuantizeLinear;
  table["DequantizeLinear"] = convertDequantizeLinear;
  table["Clip"] = convertClip;
  for (const char *name :
       {"Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less"})
    table[name] = convertBinary;
  table["Gemm"] = convertGemm;
  table["PRelu"] = convertPRelu;
  table["OneHot"] = convertOneHot;
  table["Dropout"] = convertDropout;
  table["Identity"] = convertIdentity;
}

} // namespace kgen::onnx
