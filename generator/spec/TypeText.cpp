// See TypeText.h.
#include "spec/TypeText.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>

#include <algorithm>

namespace kgen {

/// Names of element types in other systems, mapped to ours, for suggestions.
static std::string elementTypeHint(llvm::StringRef name) {
  static const llvm::StringMap<std::string> others = {
      {"float", "f32"},    {"float32", "f32"}, {"single", "f32"},   {"double", "f64"},
      {"float64", "f64"},  {"half", "f16"},    {"float16", "f16"},  {"bfloat16", "bf16"},
      {"int8", "i8"},      {"uint8", "u8"},    {"int16", "i16"},    {"uint16", "u16"},
      {"int32", "i32"},    {"uint32", "u32"},  {"int64", "i64"},    {"uint64", "u64"},
      {"int4", "i4"},      {"uint4", "u4"},    {"fp8", "f8e4m3fn"}, {"f8e4m3", "f8e4m3fn"},
      {"boolean", "bool"}, {"b1", "bool"},     {"fp32", "f32"},     {"fp16", "f16"},
      {"fp64", "f64"},     {"int", "i32"},     {"long", "i64"},     {"i1", "bool"}};
  auto it = others.find(name);
  if (it != others.end())
    return " (did you mean '" + it->second + "'?)";
  std::vector<std::string> names;
  for (ElementType type : allElementTypes())
    names.emplace_back(toString(type));
  return didYouMean(name.take_front(32).str(), names);
}

static std::string elementTypeList() {
  std::string list;
  for (ElementType type : allElementTypes())
    list += (list.empty() ? "" : ", ") + std::string(toString(type));
  return list;
}

static std::optional<int64_t> readDimension(const SpecReader &reader, const YamlNode &node,
                                            llvm::StringRef text) {
  bool tooLarge = false;
  bool isSigned = text.starts_with("+") || text == "-0"; // an integer, but no size
  std::optional<int64_t> value = isSigned ? std::nullopt : parseInteger(text, &tooLarge);
  if (value && *value >= 0 && *value <= maxTensorBytes)
    return value;
  if (value && *value < 0)
    reader.error(node.mark, "dimension " + std::to_string(*value) + " in type " +
                                quoteText(node.text) + " is negative");
  else if (value || tooLarge)
    reader.error(node.mark, "dimension " + quoteText(text) + " in type " + quoteText(node.text) +
                                " is too large");
  else if (!text.empty() &&
           llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
           llvm::isAlpha(text.front()))
    reader.error(node.mark,
                 "not supported yet: symbolic dimension " + quoteText(text) + " in type " +
                     quoteText(node.text),
                 "write a number");
  else
    reader.error(node.mark,
                 "expected a dimension in type " + quoteText(node.text) + ", found " +
                     (text.empty() ? "nothing" : quoteText(text)),
                 "dimensions are decimal integers separated by commas");
  return std::nullopt;
}

static bool readShape(const SpecReader &reader, const YamlNode &node, llvm::StringRef text,
                      TensorType &type) {
  if (text.trim(" ").empty())
    return true;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  text.split(parts, ',', static_cast<int>(maxRank) + 1);
  if (parts.size() > maxRank) {
    reader.error(node.mark, "type " + quoteText(node.text) + " has more than " +
                                std::to_string(maxRank) + " dimensions");
    return false;
  }
  bool good = true;
  for (llvm::StringRef part : parts) {
    std::optional<int64_t> dim = readDimension(reader, node, part.trim(" "));
    good &= dim.has_value();
    type.shape.push_back(dim.value_or(0));
  }
  return good;
}

std::optional<Located<TensorType>> readTensorType(const SpecReader &reader, const YamlNode &node) {
  auto text = reader.text(node, "a type such as \"f32[256, 1024]\"");
  if (!text)
    return std::nullopt;
  llvm::StringRef whole = llvm::StringRef(text->value).trim(" ");
  size_t bracket = whole.find('[');
  llvm::StringRef name = whole.take_front(bracket).rtrim(" ");
  std::optional<ElementType> element = parseElementType(name);
  if (!element) {
    reader.error(node.mark, "unknown element type " + quoteText(name) + elementTypeHint(name),
                 "element types: " + elementTypeList());
    return std::nullopt;
  }
  if (bracket == llvm::StringRef::npos || !whole.ends_with("]")) {
    reader.error(node.mark, "expected a shape in brackets in type " + quoteText(whole),
                 "for example \"f32[256, 1024]\", or \"f32[]\" for a scalar");
    return std::nullopt;
  }
  Located<TensorType> result{{*element, {}}, text->where};
  if (!readShape(reader, node, whole.slice(bracket + 1, whole.size() - 1), result.value))
    return std::nullopt;
  if (!boundedByteCount(result.value, maxTensorBytes)) {
    reader.error(node.mark, "a tensor of type " + quoteText(whole) + " is larger than 1 TiB");
    return std::nullopt;
  }
  return result;
}

} // namespace kgen
