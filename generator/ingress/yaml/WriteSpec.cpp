#include "ingress/yaml/WriteSpec.h"

#include "graph/Operator.h"
#include "spec/WeightFiles.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

namespace kgen {
namespace {

/// Weights of at most so many elements are numbers in the spec.
constexpr int64_t maxWrittenElements = 16;

/// In double quotes, where control characters have escapes.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      result += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + "\"";
}

/// A comment is one line.
std::string lineOf(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      c = '?';
  return text;
}

std::string realText(double number) {
  if (std::isnan(number))
    return ".nan";
  if (std::isinf(number))
    return number < 0 ? "-.inf" : ".inf";
  return fmt::format("{}", number);
}

std::string valueText(const AttributeValue &value) {
  struct Writer {
    std::string operator()(int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return realText(number); }
    std::string operator()(const std::string &text) const { return quoted(text); }
    std::string operator()(const std::vector<int64_t> &list) const {
      return fmt::format("[{}]", fmt::join(list, ", "));
    }
    std::string operator()(const std::vector<double> &list) const {
      std::vector<std::string> texts;
      for (double number : list)
        texts.push_back(realText(number));
      return fmt::format("[{}]", fmt::join(texts, ", "));
    }
    std::string operator()(const std::vector<std::string> &list) const {
      std::vector<std::string> texts;
      for (const std::string &text : list)
        texts.push_back(quoted(text));
      return fmt::format("[{}]", fmt::join(texts, ", "));
    }
  };
  return std::visit(Writer(), value);
}

template <typename T> std::vector<std::string> numbersOf(const std::vector<char> &bytes) {
  std::vector<std::string> texts;
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    if constexpr (std::is_floating_point_v<T>)
      texts.push_back(std::isfinite(number) ? fmt::format("{}", number) : realText(number));
    else
      texts.push_back(std::to_string(number));
  }
  return texts;
}

/// Whether all NaN among the elements are the one that a spec's `.nan` is.
template <typename T> bool hasPlainNans(const std::vector<char> &bytes) {
  const T plain = std::numeric_limits<T>::quiet_NaN();
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    if (std::isnan(number) && std::memcmp(&number, &plain, sizeof number) != 0)
      return false;
  }
  return true;
}

/// The elements as a spec would have them, or nothing if they are to stand in a file.
std::optional<std::vector<std::string>> writtenElements(const GraphValue &weight) {
  if (weight.type.elementCount() > maxWrittenElements)
    return std::nullopt;
  switch (weight.type.element) {
  case ElementType::f32:
    return hasPlainNans<float>(*weight.data) ? std::optional(numbersOf<float>(*weight.data))
                                             : std::nullopt;
  case ElementType::f64:
    return hasPlainNans<double>(*weight.data) ? std::optional(numbersOf<double>(*weight.data))
                                              : std::nullopt;
  case ElementType::i64:
    return numbersOf<int64_t>(*weight.data);
  case ElementType::i32:
    return numbersOf<int32_t>(*weight.data);
  case ElementType::i8:
    return numbersOf<int8_t>(*weight.data);
  case ElementType::i16:
    return numbersOf<int16_t>(*weight.data);
  case ElementType::u16:
    return numbersOf<uint16_t>(*weight.data);
  case ElementType::u32:
    return numbersOf<uint32_t>(*weight.data);
  case ElementType::u8:
  case ElementType::boolean:
    return numbersOf<uint8_t>(*weight.data);
  default:
    return std::nullopt;
  }
}

/// "[[1, 2], [3, 4]]"; "[]" without elements.
std::string nested(const std::vector<std::string> &elements, llvm::ArrayRef<int64_t> shape,
                   size_t &next) {
  if (elements.empty())
    return "[]";
  if (shape.empty())
    return elements[next++];
  std::string text = "[";
  for (int64_t i = 0; i < shape.front(); ++i)
    text += (i == 0 ? "" : ", ") + nested(elements, shape.drop_front(), next);
  return text + "]";
}

std::string attributesText(const Node &node) {
  std::vector<std::string> texts;
  for (const AttributeSchema &schema : node.op->attributes) {
    auto found = node.attributes.find(schema.name);
    if (found != node.attributes.end() && found->second != schema.defaultValue)
      texts.push_back(schema.name + ": " + valueText(found->second));
  }
  return texts.empty() ? "" : fmt::format(", attributes: {{{}}}", fmt::join(texts, ", "));
}

class Writer {
public:
  Writer(const Graph &graph, const std::string &weightsFile)
      : graph(graph), weightsFile(weightsFile) {}

  std::string graphText() {
    text = fmt::format("graphs:\n  - name: {}\n", graph.name);
    if (graph.compute != ElementType::f32)
      text += fmt::format("    compute: {}\n", toString(graph.compute));
    if (graph.accumulate != ElementType::f32)
      text += fmt::format("    accumulate: {}\n", toString(graph.accumulate));
    if (graph.winograd != 0)
      text += fmt::format("    winograd: {}\n", graph.winograd);
    writeInputs();
    writeWeights();
    writeNodes();
    std::vector<std::string> names;
    for (ValueId id : graph.outputs)
      names.push_back(graph.values[id].name);
    return text + fmt::format("    outputs: [{}]\n", fmt::join(names, ", "));
  }

private:
  void writeInputs() {
    if (!graph.inputs.empty())
      text += "    inputs:\n";
    for (ValueId id : graph.inputs)
      text += fmt::format("      {}: \"{}\"\n", graph.values[id].name, graph.values[id].type.str());
  }

  /// A result that is a constant is the copy of a weight that has another name.
  std::string weightName(ValueId id) const {
    std::string name = graph.values[id].name;
    if (!llvm::is_contained(graph.outputs, id))
      return name;
    auto isTaken = [&](const GraphValue &value) { return value.name == name; };
    for (name += "_constant"; llvm::any_of(graph.values, isTaken);)
      name += "_";
    return name;
  }

  void writeWeights() {
    bool isFirst = true;
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const GraphValue &weight = graph.values[id];
      if (weight.kind != ValueKind::weight)
        continue;
      if (isFirst)
        text += "    weights:\n";
      isFirst = false;
      std::string source = fmt::format("file: {}, tensor: {}", weightsFile, weight.name);
      size_t next = 0;
      if (auto elements = writtenElements(weight))
        source = "value: " + nested(*elements, weight.type.shape, next);
      text += fmt::format("      {}: {{type: \"{}\", {}}}\n", weightName(id), weight.type.str(),
                          source);
    }
  }

  std::string nameOf(ValueId id) const {
    if (id == noValue)
      return "\"\"";
    return graph.values[id].kind == ValueKind::weight ? weightName(id) : graph.values[id].name;
  }

  void writeNodes() {
    text += "    nodes:\n";
    for (const Node &node : graph.nodes) {
      std::vector<std::string> inputs, outputs;
      for (ValueId id : node.inputs)
        inputs.push_back(nameOf(id));
      for (ValueId id : node.outputs)
        outputs.push_back(id == noValue ? "\"\"" : graph.values[id].name);
      std::string results = outputs.size() == 1 && outputs.front() == node.name
                                ? ""
                                : fmt::format(", outputs: [{}]", fmt::join(outputs, ", "));
      text += fmt::format("      - {{name: {}, op: {}, inputs: [{}]{}{}}}  # {}\n", node.name,
                          node.op->name, fmt::join(inputs, ", "), results, attributesText(node),
                          graph.values[node.firstOutput()].type.str());
    }
    for (ValueId id : graph.outputs)
      if (graph.values[id].kind == ValueKind::weight)
        text += fmt::format("      - {{name: {}, op: Identity, inputs: [{}]}}\n",
                            graph.values[id].name, weightName(id));
  }

  const Graph &graph;
  const std::string &weightsFile;
  std::string text;
};

/// What the file has of a weight: its bytes, or half as many of elements of four bits.
struct StoredWeight {
  std::vector<int64_t> shape;
  std::vector<char> packed; ///< empty: the weight's own bytes
  const std::vector<char> &bytes(const GraphValue &weight) const {
    return packed.empty() ? *weight.data : packed;
  }
};

StoredWeight storedWeight(const GraphValue &weight) {
  if (bitWidth(weight.type.element) != 4 || weight.data->empty())
    return {weight.type.shape, {}};
  std::vector<char> packed = packedNibbles(*weight.data);
  return {{static_cast<int64_t>(packed.size())}, std::move(packed)};
}

} // namespace

std::string writeSpec(const WrittenSpec &about, const Graph &graph,
                      const std::string &weightsFile) {
  std::string text = "# " + lineOf(about.comment) + "\nlibrary: " + about.library + "\n";
  if (!about.targets.empty())
    text += fmt::format("targets: [{}]\n", fmt::join(about.targets, ", "));
  return text + Writer(graph, weightsFile).graphText();
}

std::string writeWeights(const Graph &graph) {
  std::string header, bytes;
  size_t total = 0;
  std::vector<std::pair<const GraphValue *, StoredWeight>> weights;
  for (const GraphValue &value : graph.values)
    if (value.kind == ValueKind::weight && !writtenElements(value))
      weights.emplace_back(&value, storedWeight(value));
  for (const auto &[weight, stored] : weights) {
    size_t size = stored.bytes(*weight).size();
    header +=
        fmt::format("{}\"{}\":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                    header.empty() ? "{" : ",", weight->name, safetensorsName(weight->type.element),
                    fmt::join(stored.shape, ","), total, total + size);
    total += size;
  }
  if (header.empty())
    return "";
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' '); // so that tensors are aligned
  uint64_t length = header.size();
  bytes.reserve(sizeof length + length + total);
  for (size_t i = 0; i < sizeof length; ++i)
    bytes += static_cast<char>(length >> (8 * i));
  bytes += header;
  for (const auto &[weight, stored] : weights)
    bytes.append(stored.bytes(*weight).begin(), stored.bytes(*weight).end());
  return bytes;
}

} // namespace kgen
