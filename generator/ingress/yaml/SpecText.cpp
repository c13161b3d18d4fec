// Attributes and elements as text.
#include "ingress/yaml/SpecText.h"

#include "graph/Operator.h"
#include "ingress/yaml/RepeatedBlocks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace kgen {
namespace {

/// Weights of at most so many elements are numbers in the spec.
constexpr int64_t maxWrittenElements = 16;

} // namespace

std::string quotedText(const std::string &text) {
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

namespace {

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
    std::string operator()(const std::string &text) const { return quotedText(text); }
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
        texts.push_back(quotedText(text));
      return fmt::format("[{}]", fmt::join(texts, ", "));
    }
  };
  return std::visit(Writer(), value);
}

template <typename T> std::vector<std::string> textsOf(const std::vector<char> &bytes) {
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

/// True if all NaN among the elements are the one that a spec's `.nan` is.
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

} // namespace

std::optional<std::vector<std::string>> writtenElements(const GraphValue &weight) {
  if (weight.kind == ValueKind::sizes) {
    std::vector<std::string> texts;
    for (const Dim &size : weight.sizes)
      texts.push_back(size.str().find(',') == std::string::npos ? size.str()
                                                                : quotedText(size.str()));
    return texts;
  }
  if (weight.type.elementCount() > maxWrittenElements)
    return std::nullopt;
  switch (weight.type.element) {
  case ElementType::f32:
    return hasPlainNans<float>(*weight.data) ? std::optional(textsOf<float>(*weight.data))
                                             : std::nullopt;
  case ElementType::f64:
    return hasPlainNans<double>(*weight.data) ? std::optional(textsOf<double>(*weight.data))
                                              : std::nullopt;
  case ElementType::i64:
    return textsOf<int64_t>(*weight.data);
  case ElementType::i32:
    return textsOf<int32_t>(*weight.data);
  case ElementType::i8:
    return textsOf<int8_t>(*weight.data);
  case ElementType::i16:
    return textsOf<int16_t>(*weight.data);
  case ElementType::u16:
    return textsOf<uint16_t>(*weight.data);
  case ElementType::u32:
    return textsOf<uint32_t>(*weight.data);
  case ElementType::u8:
  case ElementType::boolean:
    return textsOf<uint8_t>(*weight.data);
  default:
    return std::nullopt;
  }
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

std::set<ValueId> differentWeights(const Graph &graph, const std::vector<RepeatedBlock> &blocks) {
  std::set<ValueId> different;
  for (const RepeatedBlock &block : blocks)
    for (size_t w = 0; w < block.weightNames.size(); ++w) {
      std::set<std::vector<std::string>> texts;
      for (const RepeatedBlock::Use &use : block.uses)
        texts.insert(
            writtenElements(graph.values[use.weights[w]]).value_or(std::vector<std::string>()));
      if (texts.size() > 1)
        for (const RepeatedBlock::Use &use : block.uses)
          different.insert(use.weights[w]);
    }
  return different;
}

} // namespace kgen
