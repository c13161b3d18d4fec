// Operators of com.microsoft.
#include "ingress/onnx/Converters.h"

namespace kgen::onnx {
namespace {

/// Matrices are transposed, and the product gets a factor.
void convertFusedMatMul(NodeImport &node) {
  if (node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0)
    return node.refuse("it transposes batches");
  auto operand = [&](size_t i, const char *attribute) {
    ValueId value = node.input(i);
    int64_t rank = node.rank(value);
    if (node.integer(attribute, 0) == 0 || rank < 2)
      return value;
    std::vector<int64_t> order;
    for (int64_t d = 0; d < rank; ++d)
      order.push_back(d);
    std::swap(order[static_cast<size_t>(rank) - 1], order[static_cast<size_t>(rank) - 2]);
    return node.add("Transpose", {value}, {{"perm", order}});
  };
  ValueId product = node.add("MatMul", {operand(0, "transA"), operand(1, "transB")});
  double alpha = node.real("alpha", 1);
  if (alpha != 1 && product != brokenValue)
    product = node.add("Mul", {product, node.numberConstant(alpha, node.type(product).element)});
  node.result(0, product);
}

/// Input, skip connection, bias: their sum is normalized.
void convertSkipNormalization(NodeImport &node) {
  bool isSimple = node.proto.op_type() == "SkipSimplifiedLayerNormalization";
  size_t bias = isSimple ? 3 : 4;
  ValueId sum = node.add("Add", {node.input(0), node.input(1)});
  if (node.hasInput(bias))
    sum = node.add("Add", {sum, node.input(bias)});
  if (node.hasOutput(1) || node.hasOutput(2))
    return node.refuse("its mean and deviation are read");
  std::vector<ValueId> inputs{sum, node.input(2)};
  if (!isSimple && node.hasInput(3))
    inputs.push_back(node.input(3));
  Attributes attributes{{"epsilon", node.real("epsilon", isSimple ? 1e-5 : 1e-12)},
                        {"axis", int64_t(-1)}};
  node.result(0,
              node.add(isSimple ? "RMSNormalization" : "LayerNormalization", inputs, attributes));
  node.result(3, sum);
}

void convertSimplifiedLayerNormalization(NodeImport &node) {
  node.result(
      0, node.add("RMSNormalization", {node.input(0), node.input(1)},
                  {{"epsilon", node.real("epsilon", 1e-5)}, {"axis", node.integer("axis", -1)}}));
}

/// Conv or Gemm, then the activation that an attribute names.
void convertFusedActivation(NodeImport &node) {
  std::string op = node.proto.op_type() == "FusedConv" ? "Conv" : "Gemm";
  std::string activation = node.string("activation", "");
  for (const char *name :
       {"activation_params", "activation_alpha", "activation_beta", "activation_gamma"})
    if (node.has(name))
      return node.refuse("its activation, " + activation + ", has parameters");
  // Without them these have none of the defaults of the standard's operators.
  for (const char *name : {"Clip", "HardSigmoid", "LeakyRelu"})
    if (activation == name)
      return node.refuse("its activation, " + activation + ", lacks parameters");
  Attributes attributes = node.attributes();
  attributes.erase("activation");
  std::vector<ValueId> inputs = node.inputs();
  ValueId sum = noValue;
  if (op == "Conv" && inputs.size() == 4) { // something that is added before the activation
    sum = inputs.back();
    inputs.pop_back();
    while (inputs.back() == noValue)
      inputs.pop_back();
  }
  ValueId value = node.add(op, inputs, attributes);
  if (sum != noValue)
    value = node.add("Add", {value, sum});
  if (!activation.empty())
    value = node.add(activation, {value});
  node.result(0, value);
}

/// The standard's operator takes the positions last.
void convertRotaryEmbedding(NodeImport &node) {
  if (node.real("scale", 1) != 1 || node.integer("is_packed_batching", 0) != 0)
    return node.refuse("it has a scale, or packed batches");
  Attributes attributes = node.attributes();
  attributes.erase("scale");
  attributes.erase("is_packed_batching");
  // Heads are as wide as cosines and sines say, if nothing says how many there are.
  const ValueId rows = node.input(0), cosines = node.input(2);
  if (node.rank(rows) == 3 && node.rank(cosines) == 2 && node.integer("num_heads", 0) == 0)
    if (const int64_t width = 2 * node.size(cosines, 1); width > 0)
      attributes["num_heads"] = node.size(rows, 2) / width;
  node.become("RotaryEmbedding", {node.input(0), node.input(2), node.input(3), node.input(1)},
              attributes);
}

/// Computed on the numbers that bytes stand for: A, scale, zero point, B, scale, zero point, the
/// result's scale and zero point.
void convertQLinearBinary(NodeImport &node) {
  ValueId a = node.add("DequantizeLinear", {node.input(0), node.input(1), node.input(2)});
  ValueId b = node.add("DequantizeLinear", {node.input(3), node.input(4), node.input(5)});
  ValueId result = node.add(node.proto.op_type() == "QLinearAdd" ? "Add" : "Mul", {a, b});
  node.become("QuantizeLinear", {result, node.input(6), node.input(7)}, {});
}

} // namespace

void addContribConverters(ConverterTable &table) {
  for (const char *name : {"BiasGelu", "FastGelu", "QuickGelu", "MatMulNBits", "Gelu"})
    table["com.microsoft." + std::string(name)] = convertSameName;
  table["com.microsoft.FusedMatMul"] = convertFusedMatMul;
  table["com.microsoft.SkipLayerNormalization"] = convertSkipNormalization;
  table["com.microsoft.SkipSimplifiedLayerNormalization"] = convertSkipNormalization;
  table["SimplifiedLayerNormalization"] = convertSimplifiedLayerNormalization;
  table["com.microsoft.FusedConv"] = convertFusedActivation;
  table["com.microsoft.FusedGemm"] = convertFusedActivation;
  table["com.microsoft.RotaryEmbedding"] = convertRotaryEmbedding;
  table["com.microsoft.QLinearAdd"] = convertQLinearBinary;
  table["com.microsoft.QLinearMul"] = convertQLinearBinary;
}

} // namespace kgen::onnx
