// The graph as text, for `kgen check --print-graph` and tests.
#include "graph/Operator.h"

#include <fmt/format.h>

namespace kgen {
namespace {

struct AttributeText {
  std::string operator()(int64_t value) const { return std::to_string(value); }
  /// Always with a point, an exponent or a name, so that it reads as a real.
  std::string operator()(double value) const {
    std::string text = fmt::format("{}", value);
    return text.find_first_of(".einf") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(const std::string &value) const { return "\"" + value + "\""; }
  template <typename T> std::string operator()(const std::vector<T> &values) const {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i)
      text += (i ? ", " : "") + (*this)(values[i]);
    return text + "]";
  }
};

std::string quantizationText(const GraphValue &value) {
  return value.quantize ? fmt::format(", quantized to {} bits in blocks of {}{}",
                                      value.quantize->bits, value.quantize->block,
                                      value.quantize->f16Scales ? " with scales of f16" : "")
                        : "";
}

/// The function's name and workspace; types are those of the node's values.
std::string externText(const Node &node) {
  return node.external ? fmt::format(" symbol {}, workspace {}", node.external->symbol.value,
                                     node.external->workspaceBytes)
                       : "";
}

std::string printNode(const Graph &graph, const Node &node) {
  std::string text = "  ";
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    text += i ? ", " : "";
    if (node.outputs[i] == noValue) {
      text += "\"\"";
      continue;
    }
    const GraphValue &value = graph.values[node.outputs[i]];
    text += fmt::format("{}: {}", value.name, value.type.str());
  }
  text += " = " + node.op->name + "(";
  for (size_t i = 0; i < node.inputs.size(); ++i)
    text +=
        (i ? ", " : "") + (node.inputs[i] == noValue ? "\"\"" : graph.values[node.inputs[i]].name);
  text += ")" + externText(node);
  if (node.attributes.empty())
    return text + "\n";
  text += " {";
  bool first = true;
  for (const auto &[name, value] : node.attributes) {
    text += fmt::format("{}{}: {}", first ? "" : ", ", name, std::visit(AttributeText(), value));
    first = false;
  }
  return text + "}\n";
}
} // namespace

static std::vector<std::string> textsOf(const std::vector<Dim> &sizes) {
  std::vector<std::string> texts;
  for (const Dim &size : sizes)
    texts.push_back(size.str());
  return texts;
}

std::string printGraph(const Graph &graph) {
  std::string text = "graph " + graph.name + "\n";
  for (const std::shared_ptr<const DimSymbol> &symbol : graph.dims)
    text += fmt::format("  dimension {}: {}\n", symbol->name, symbol->range());
  for (const GraphValue &value : graph.values)
    if (value.kind == ValueKind::sizes)
      text += fmt::format("  sizes {}: {} = [{}]\n", value.name, value.type.str(),
                          fmt::join(textsOf(value.sizes), ", "));
    else if (value.kind != ValueKind::result)
      text += fmt::format("  {} {}: {}{}\n", value.kind == ValueKind::input ? "input" : "weight",
                          value.name, value.type.str(value.dimNames), quantizationText(value));
  for (const Node &node : graph.nodes)
    text += printNode(graph, node);
  text += "  outputs";
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    text += (i ? ", " : " ") + graph.values[graph.outputs[i]].name;
  return text + "\n";
}

} // namespace kgen
