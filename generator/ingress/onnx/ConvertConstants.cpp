// Constants, and operators whose result is one where their operands are.
#include "ingress/onnx/Converters.h"
#include "ingress/onnx/FinishGraph.h"
#include "spec/WeightFiles.h"

#include <algorithm>
#include <cmath>

namespace kgen::onnx {
namespace {

WeightData dataOf(ElementType type, const std::vector<double> &numbers) {
  std::vector<char> bytes;
  for (double number : numbers)
    isFloat(type) ? appendFloat(bytes, type, number)
                  : appendInteger(bytes, type, static_cast<int64_t>(number));
  return std::make_shared<const std::vector<char>>(std::move(bytes));
}

void convertConstant(NodeImport &node) {
  std::string name = node.hasOutput(0) ? node.proto.output(0) : "constant";
  if (const AttributeProto *value = node.find("value"); value && value->has_t())
    return node.result(0, node.importer.importTensor(value->t(), name, &node.proto));
  if (node.has("value_float"))
    return node.result(0, node.constant({ElementType::f32, {}},
                                        dataOf(ElementType::f32, {node.find("value_float")->f()})));
  if (node.has("value_int")) {
    std::vector<char> bytes;
    appendInteger(bytes, ElementType::i64, node.integer("value_int", 0));
    return node.result(
        0, node.constant({ElementType::i64, {}}, std::make_shared<const std::vector<char>>(bytes)));
  }
  if (node.has("value_ints"))
    return node.result(0, node.integerConstant(node.integerList("value_ints")));
  if (const AttributeProto *value = node.find("value_floats")) {
    std::vector<double> numbers(value->floats().begin(), value->floats().end());
    TensorType type{ElementType::f32, {static_cast<int64_t>(numbers.size())}};
    return node.result(0, node.constant(type, dataOf(ElementType::f32, numbers)));
  }
  node.refuse("its value is a string or a sparse tensor");
}

/// For each element of a constant whether it is not 0; nothing if the value is no constant. Of a
/// float that is 0, no bit is set but the sign, which is in the last byte.
std::optional<std::vector<bool>> nonZeros(NodeImport &node, ValueId value) {
  if (value >= brokenValue || !node.importer.valueOf(value).data)
    return std::nullopt;
  const GraphValue &constant = node.importer.valueOf(value);
  const size_t count = static_cast<size_t>(constant.type.elementCount());
  const size_t size = count == 0 ? 1 : constant.data->size() / count;
  const char signless = isFloat(constant.type.element) ? 0x7f : -1;
  std::vector<bool> result;
  for (size_t at = 0; at < count; ++at) {
    llvm::ArrayRef<char> bytes(constant.data->data() + at * size, size);
    bool isLow = llvm::any_of(bytes.drop_back(), [](char byte) { return byte != 0; });
    result.push_back(isLow || (bytes.back() & signless) != 0);
  }
  return result;
}

void convertConstantOfShape(NodeImport &node) {
  Attributes attributes;
  if (const AttributeProto *value = node.find("value"); value && value->has_t()) {
    ValueId tensor = node.importer.importTensor(value->t(), "value", &node.proto);
    if (tensor == brokenValue)
      return;
    ValueId scalar = node.add("Reshape", {tensor, node.integerConstant({})});
    return node.result(0, node.add("Expand", {scalar, node.input(0)}));
  }
  node.become("ConstantOfShape", node.inputs(), attributes);
}

void convertNonZero(NodeImport &node) {
  auto elements = nonZeros(node, node.input(0));
  if (!elements)
    return node.refuse("how many elements its result has is known at run time only");
  std::vector<int64_t> shape = node.shape(node.input(0));
  std::vector<std::vector<int64_t>> indices(std::max<size_t>(1, shape.size()));
  auto found = static_cast<int64_t>(std::count(elements->begin(), elements->end(), true));
  int64_t rows = static_cast<int64_t>(indices.size()) * int64_t(sizeof(int64_t));
  if (!node.importer.mayMake(node.proto, found * rows))
    return;
  for (size_t at = 0; at < elements->size(); ++at) {
    if (!(*elements)[at])
      continue;
    int64_t rest = static_cast<int64_t>(at);
    for (size_t d = shape.size(); d-- > 0;) {
      indices[d].push_back(rest % shape[d]);
      rest /= shape[d];
    }
    if (shape.empty())
      indices[0].push_back(0);
  }
  std::vector<char> bytes;
  for (const std::vector<int64_t> &row : indices)
    for (int64_t index : row)
      appendInteger(bytes, ElementType::i64, index);
  auto count = static_cast<int64_t>(indices[0].size());
  node.result(0, node.constant({ElementType::i64, {static_cast<int64_t>(indices.size()), count}},
                               std::make_shared<const std::vector<char>>(std::move(bytes))));
}

void convertEyeLike(NodeImport &node) {
  Attributes attributes = node.attributes();
  if (node.has("dtype")) {
    auto type = elementTypeOf(static_cast<int32_t>(node.integer("dtype", 0)));
    if (!type)
      return node.refuse("its element type is " +
                         dataTypeName(static_cast<int32_t>(node.integer("dtype", 0))));
    attributes["dtype"] = std::string(toString(*type));
  }
  node.become("EyeLike", node.inputs(), attributes);
}

/// A window of `a0 - a1 cos(x) + a2 cos(2 x)`, whose size is a constant.
void convertCosineWindow(NodeImport &node, double a0, double a1, double a2) {
  auto size = node.integers(node.input(0));
  auto type = elementTypeOf(static_cast<int32_t>(node.integer("output_datatype", 1)));
  if (!size || size->size() != 1 || size->front() < 0 || size->front() > (1 << 24))
    return node.refuse("its size is known at run time only, or no number up to 2^24");
  if (!type)
    return node.refuse("kgen does not have its element type");
  int64_t count = size->front();
  if (!node.importer.mayMake(node.proto, count * int64_t(sizeof(double))))
    return;
  double period = static_cast<double>(node.integer("periodic", 1) ? count : count - 1);
  std::vector<double> window;
  for (int64_t i = 0; i < count; ++i) {
    double x = 2 * M_PI * static_cast<double>(i) / period;
    window.push_back(a0 - a1 * std::cos(x) + a2 * std::cos(2 * x));
  }
  node.result(0, node.constant({*type, {count}}, dataOf(*type, window)));
}

void convertHann(NodeImport &node) { convertCosineWindow(node, 0.5, 0.5, 0); }
void convertHamming(NodeImport &node) { convertCosineWindow(node, 25.0 / 46, 1 - 25.0 / 46, 0); }
void convertBlackman(NodeImport &node) { convertCosineWindow(node, 0.42, 0.5, 0.08); }

} // namespace

void addConstantConverters(ConverterTable &table) {
  table["Constant"] = convertConstant;
  table["ConstantOfShape"] = convertConstantOfShape;
  table["NonZero"] = convertNonZero;
  table["EyeLike"] = convertEyeLike;
  table["HannWindow"] = convertHann;
  table["HammingWindow"] = convertHamming;
  table["BlackmanWindow"] = convertBlackman;
}

} // namespace kgen::onnx
