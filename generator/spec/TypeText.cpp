// See TypeText.h.
#include "spec/TypeText.h"

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

/// True if a dimension is an expression that names others, not an integer.
static bool isDimExpression(llvm::StringRef text) {
  auto isAllowed = [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_ +-*/%(),").contains(c);
  };
  return Dims::isExpression(text) && llvm::all_of(text, isAllowed);
}

/// The texts between commas that are in no parentheses; the last one holds what is left after
/// `maxRank`.
static std::vector<llvm::StringRef> splitDimensions(llvm::StringRef text) {
  std::vector<llvm::StringRef> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size() && parts.size() < maxRank; ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (text[i] != ',' || depth > 0)
      continue;
    parts.push_back(text.slice(begin, i));
    begin = i + 1;
  }
  parts.push_back(text.drop_front(begin));
  return parts;
}

static std::optional<Dim> readDimension(const SpecReader &reader, const YamlNode &node,
                                        const Dims &dims, llvm::StringRef text) {
  bool tooLarge = false;
  bool isSigned = text.starts_with("+") || text == "-0"; // an integer, but no size
  bool isExpression = isDimExpression(text);
  std::optional<Dim> value;
  if (isExpression) {
    value = dims.evaluate(reader, node, text);
    if (!value)
      return std::nullopt;
  } else if (!isSigned) {
    if (std::optional<int64_t> number = parseInteger(text, &tooLarge))
      value = Dim(*number);
  }
  if (value && value->bounds().min >= 0 && value->bounds().max <= maxTensorBytes)
    return value;
  if (value && value->bounds().min < 0)
    reader.error(node.mark, "dimension " + value->str() + " in type " + quoteText(node.text) +
                                (value->isNumber() ? " is negative" : " may be negative"));
  else if (value || tooLarge)
    reader.error(node.mark, "dimension " + quoteText(text) + " in type " + quoteText(node.text) +
                                " is too large");
  else
    reader.error(node.mark,
                 "expected a dimension in type " + quoteText(node.text) + ", found " +
                     (text.empty() ? "nothing" : quoteText(text)),
                 "dimensions are decimal integers, or names of `dims`, separated by commas");
  return std::nullopt;
}

static bool readShape(const SpecReader &reader, const YamlNode &node, const Dims &dims,
                      llvm::StringRef text, TensorType &type, std::vector<std::string> *dimNames) {
  if (text.trim(" ").empty())
    return true;
  std::vector<llvm::StringRef> parts = splitDimensions(text);
  if (parts.size() > maxRank) {
    reader.error(node.mark, "type " + quoteText(node.text) + " has more than " +
                                std::to_string(maxRank) + " dimensions");
    return false;
  }
  bool good = true;
  for (llvm::StringRef part : parts) {
    llvm::StringRef written = part.trim(" ");
    std::optional<Dim> dim = readDimension(reader, node, dims, written);
    good &= dim.has_value();
    type.shape.push_back(dim.value_or(0));
    if (dimNames)
      dimNames->push_back(isDimExpression(written) ? written.str() : "");
  }
  return good;
}

std::optional<Located<TensorType>> readTensorType(const SpecReader &reader, const YamlNode &node,
                                                  const Dims &dims,
                                                  std::vector<std::string> *dimNames) {
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
  if (!readShape(reader, node, dims, whole.slice(bracket + 1, whole.size() - 1), result.value,
                 dimNames))
    return std::nullopt;
  if (!boundedByteCount(result.value, maxTensorBytes)) {
    reader.error(node.mark, "a tensor of type " + quoteText(whole) + " is larger than 1 TiB");
    return std::nullopt;
  }
  return result;
}

std::optional<Located<TensorType>> readStaticType(const SpecReader &reader, const YamlNode &node,
                                                  const Dims &dims, const std::string &what) {
  auto type = readTensorType(reader, node, dims);
  if (!type || type->value.isStatic())
    return type;
  reader.error(node.mark,
               what + " has sizes that are numbers, and in " + type->value.str() +
                   " some are known at run time only",
               "give the dimension a size: a number in `dims`, or --dim");
  return std::nullopt;
}

} // namespace kgen
