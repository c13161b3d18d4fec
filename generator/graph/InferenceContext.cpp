// Access to a node's inputs and attributes for type inference. Attributes were validated before, so
// asking for one that the schema does not have is an error of the operator's author.
#include "graph/Operator.h"

#include <cassert>
#include <limits>

namespace kgen {

InferenceContext::InferenceContext(const Graph &graph, const Node &node, Diagnostics &diagnostics)
    : graph(graph), node(node), diagnostics(diagnostics) {}

bool InferenceContext::hasInput(size_t i) const {
  return i < node.inputs.size() && node.inputs[i] != noValue;
}

const TensorType &InferenceContext::input(size_t i) const {
  assert(hasInput(i) && "the operator's inference asks for an input that is not there");
  return graph.values[node.inputs[i]].type;
}

WeightData InferenceContext::constantData(size_t i) const {
  if (!hasInput(i))
    return nullptr;
  const GraphValue &value = graph.values[node.inputs[i]];
  return value.kind == ValueKind::weight && !value.quantize ? value.data : nullptr;
}

std::optional<std::vector<int64_t>> InferenceContext::constantIntegers(size_t i) const {
  WeightData data = constantData(i);
  if (!data || isFloat(input(i).element))
    return std::nullopt;
  const GraphValue &value = graph.values[node.inputs[i]];
  const size_t width = byteWidth(value.type.element);
  const bool isSigned = !isUnsigned(value.type.element);
  std::vector<int64_t> result;
  for (size_t at = 0; at + width <= value.data->size(); at += width) {
    uint64_t bits = 0;
    for (size_t byte = 0; byte < width; ++byte)
      bits |= uint64_t(static_cast<unsigned char>((*value.data)[at + byte])) << (8 * byte);
    const unsigned unused = static_cast<unsigned>(64 - 8 * width);
    if (!isSigned && bits > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return std::nullopt; // a u64 that is no int64_t: nothing is folded
    result.push_back(isSigned ? static_cast<int64_t>(bits << unused) >> unused
                              : static_cast<int64_t>(bits));
  }
  return result;
}

bool InferenceContext::isSizes(size_t i) const {
  return hasInput(i) && graph.values[node.inputs[i]].kind == ValueKind::sizes;
}

std::optional<std::vector<Dim>> InferenceContext::sizes(size_t i) const {
  if (isSizes(i))
    return graph.values[node.inputs[i]].sizes;
  auto numbers = constantIntegers(i);
  return numbers ? std::optional(std::vector<Dim>(numbers->begin(), numbers->end())) : std::nullopt;
}

std::optional<std::vector<double>> InferenceContext::constantReals(size_t i) const {
  return constantData(i) ? numbersOf(graph.values[node.inputs[i]]) : std::nullopt;
}

bool InferenceContext::hasSymbols() const {
  for (size_t i = 0; i < inputCount(); ++i)
    if (hasInput(i) && !input(i).isStatic())
      return true;
  return false;
}

bool InferenceContext::hasSizes() const {
  for (size_t i = 0; i < inputCount(); ++i)
    if (isSizes(i))
      return true;
  return false;
}

bool InferenceContext::hasResult(size_t i) const {
  return i < node.outputs.size() && node.outputs[i] != noValue;
}

bool InferenceContext::hasAttribute(const std::string &name) const {
  return node.attributes.count(name) != 0;
}

template <typename T> static const T &attribute(const Node &node, const std::string &name) {
  auto it = node.attributes.find(name);
  assert(it != node.attributes.end() && std::holds_alternative<T>(it->second) &&
         "the operator asks for an attribute that its schema does not have");
  return std::get<T>(it->second);
}

int64_t InferenceContext::integer(const std::string &name) const {
  return attribute<int64_t>(node, name);
}
double InferenceContext::real(const std::string &name) const {
  return attribute<double>(node, name);
}
const std::string &InferenceContext::string(const std::string &name) const {
  return attribute<std::string>(node, name);
}
const std::vector<int64_t> &InferenceContext::integers(const std::string &name) const {
  return attribute<std::vector<int64_t>>(node, name);
}
const std::vector<double> &InferenceContext::reals(const std::string &name) const {
  return attribute<std::vector<double>>(node, name);
}
const std::vector<std::string> &InferenceContext::strings(const std::string &name) const {
  return attribute<std::vector<std::string>>(node, name);
}

void InferenceContext::error(std::string message, std::string hint) const {
  std::string who = (node.op ? node.op->name + " " : "") + "'" + node.name + "': ";
  diagnostics.error(node.where, who + message, std::move(hint));
}

} // namespace kgen
