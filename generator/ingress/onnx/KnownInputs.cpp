// Inputs of a model that decide about something that has to be known.
#include "ingress/onnx/Importer.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringMap.h>

#include <fmt/format.h>

#include <cstring>

namespace kgen::onnx {

std::vector<std::string> Importer::inputsBehind(ValueId value) const {
  const Graph &graph = builder.current();
  std::vector<bool> isBehind(graph.values.size(), false);
  if (value < graph.values.size())
    isBehind[value] = true;
  for (const Node &node : llvm::reverse(graph.nodes)) {
    auto isMarked = [&](ValueId id) { return id < isBehind.size() && isBehind[id]; };
    if (llvm::any_of(node.outputs, isMarked))
      for (ValueId id : node.inputs)
        if (id < isBehind.size())
          isBehind[id] = true;
  }
  std::vector<std::string> inputs;
  for (ValueId id : graph.inputs)
    if (isBehind[id])
      inputs.push_back(names.at(id));
  return inputs;
}

/// The only element of a constant, as a text.
static std::string numberText(const GraphValue &value) {
  if (value.kind != ValueKind::weight || !value.data || value.type.elementCount() != 1)
    return "";
  if (std::optional<std::vector<double>> reals = numbersOf(value))
    return fmt::format("{}", reals->front());
  int64_t number = 0;
  if (isFloat(value.type.element) || value.data->size() > sizeof number)
    return "";
  std::memcpy(&number, value.data->data(), value.data->size()); // little endian
  const unsigned unused = 64 - 8 * static_cast<unsigned>(value.data->size());
  return std::to_string(isUnsigned(value.type.element)
                            ? number
                            : static_cast<int64_t>(static_cast<uint64_t>(number) << unused) >>
                                  unused);
}

std::string Importer::comparisonAt(const std::string &name, const Scope &scope) const {
  static const llvm::StringMap<const char *> signs{{"Equal", "=="},
                                                   {"Greater", ">"},
                                                   {"GreaterOrEqual", ">="},
                                                   {"Less", "<"},
                                                   {"LessOrEqual", "<="}};
  llvm::StringMap<const NodeProto *> producers;
  for (const NodeProto &node : model.proto.graph().node())
    for (const std::string &output : node.output())
      producers[output] = &node;
  auto isInput = [&](const std::string &wanted) {
    return llvm::any_of(model.proto.graph().input(),
                        [&](const ValueInfoProto &input) { return input.name() == wanted; });
  };
  auto textOf = [&](const std::string &operand) {
    const ImportedValue *value = scope.find(operand);
    if (isInput(operand))
      return operand;
    bool isTensor =
        value && value->kind == ImportedValue::Kind::tensor && value->tensor < brokenValue;
    return isTensor ? numberText(valueOf(value->tensor)) : std::string();
  };
  std::string at = name;
  for (const NodeProto *node = producers.lookup(at); node; node = producers.lookup(at)) {
    auto sign = signs.find(node->op_type());
    if (sign != signs.end() && node->input_size() == 2) {
      std::string left = textOf(node->input(0)), right = textOf(node->input(1));
      bool isOfInput = isInput(node->input(0)) != isInput(node->input(1));
      return left.empty() || right.empty() || !isOfInput ? ""
                                                         : left + " " + sign->second + " " + right;
    }
    static constexpr llvm::StringLiteral same[] = {"Cast", "Identity", "Reshape", "Squeeze",
                                                   "Unsqueeze"};
    if (!llvm::is_contained(same, node->op_type()) || node->input_size() == 0)
      break;
    at = node->input(0);
  }
  return "";
}

} // namespace kgen::onnx
