// See Dims.h.
#include "spec/Dims.h"

#include "spec/SpecParts.h"
#include "support/TensorLimits.h"
#include "templates/Expression.h"

#include <llvm/ADT/StringExtras.h>

namespace kgen {
namespace {

using Kind = FieldRule::Kind;

/// {min: 1, max: 64, multiple: 16}
struct Bounds {
  int64_t min = 1, max = maxTensorBytes, multiple = 1;

  bool contains(int64_t size) const { return size >= min && size <= max && size % multiple == 0; }
  std::string str() const {
    std::string text = std::to_string(min) + " to " + std::to_string(max);
    return multiple == 1 ? text : text + ", a multiple of " + std::to_string(multiple);
  }
};

/// Nothing after an error.
std::optional<Bounds> readBounds(const SpecReader &reader, const YamlNode &node,
                                 const std::string &name) {
  size_t before = reader.diagnostics.errors().size();
  Fields fields(
      reader, node, "dimension '" + name + "'",
      {{"min", Kind::optional, ""}, {"max", Kind::required, ""}, {"multiple", Kind::optional, ""}});
  Bounds bounds;
  auto read = [&](const char *key, int64_t least, int64_t &value) {
    if (const YamlNode *number = fields.find(key))
      value = reader.integer(*number, "'" + std::string(key) + "'", least, maxTensorBytes)
                  .value_or(value);
  };
  read("multiple", 1, bounds.multiple);
  bounds.min = bounds.multiple;
  read("min", 0, bounds.min);
  read("max", 1, bounds.max);
  if (before != reader.diagnostics.errors().size())
    return std::nullopt;
  if (bounds.max % bounds.multiple != 0)
    reader.expected(*fields.find("max"),
                    "a multiple of " + std::to_string(bounds.multiple) + " for 'max'");
  else if (bounds.min % bounds.multiple != 0)
    reader.expected(*fields.find("min"),
                    "a multiple of " + std::to_string(bounds.multiple) + " for 'min'");
  else if (bounds.min > bounds.max)
    reader.expected(*fields.find("min"),
                    "at most 'max', " + std::to_string(bounds.max) + ", for 'min'");
  else
    return bounds;
  return std::nullopt;
}

/// The size of an entry of `dims`, which is a number, or bounds of what the command line gives.
std::optional<int64_t> readSize(const SpecReader &reader, const YamlEntry &entry,
                                std::optional<int64_t> given) {
  std::optional<int64_t> written;
  Bounds bounds;
  const bool isNumber = entry.value.kind != YamlNode::Kind::map;
  if (isNumber) {
    written = reader.integer(entry.value, "dimension '" + entry.key + "'", 1, maxTensorBytes);
    if (!written)
      return std::nullopt;
  } else if (std::optional<Bounds> read = readBounds(reader, entry.value, entry.key)) {
    bounds = *read;
  } else {
    return std::nullopt;
  }
  if (!isNumber && !given)
    reader.error(entry.value.mark,
                 "not supported yet: dimension '" + entry.key + "' is known at run time only",
                 "give it a size: " + entry.key + ": " + std::to_string(bounds.max) + " here, or " +
                     "--dim " + entry.key + "=" + std::to_string(bounds.max));
  else if (given && !bounds.contains(*given))
    reader.error(entry.value.mark, "dimension '" + entry.key + "' is " + bounds.str() +
                                       ", and --dim says " + std::to_string(*given));
  else
    return given ? given : written;
  return std::nullopt;
}

bool startsName(char c) { return llvm::isAlpha(c) || c == '_'; }
bool continuesName(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

} // namespace

std::optional<int64_t> GivenSizes::find(const std::string &name) {
  known.insert(name);
  auto found = sizes.find(name);
  return found == sizes.end() ? std::nullopt : std::optional(found->second);
}

void GivenSizes::reportUnknown(const std::string &path, Diagnostics &diagnostics) const {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto &[name, size] : sizes)
    if (!known.count(name))
      diagnostics.error({path, 0, 0},
                        "the spec has no dimension " + quoteText(name) + didYouMean(name, names),
                        names.empty() ? "`dims` names sizes, such as dims: {batch: 64}"
                                      : "there are " + llvm::join(names, ", "));
}

void Dims::read(const SpecReader &reader, const YamlNode &map, GivenSizes &given) {
  if (!reader.isMap(map, "a map from dimensions to sizes, such as {batch: 64}"))
    return;
  for (const YamlEntry &entry : map.entries) {
    std::optional<int64_t> size = readSize(reader, entry, given.find(entry.key));
    if (const Entry *other = library ? library->find(entry.key) : nullptr) {
      reader.error(entry.keyMark, "the library has a dimension '" + entry.key + "' already, at " +
                                      reader.at(other->mark).str());
      continue;
    }
    if (readKeyName(reader, entry, "a dimension", NameUse::c))
      entries[entry.key] = {entry.keyMark, size};
  }
}

const Dims::Entry *Dims::find(const std::string &name) const {
  auto found = entries.find(name);
  if (found == entries.end())
    return library ? library->find(name) : nullptr;
  used.insert(name);
  return &found->second;
}

std::vector<std::string> Dims::names() const {
  std::vector<std::string> list = library ? library->names() : std::vector<std::string>();
  for (const auto &[name, entry] : entries)
    list.push_back(name);
  return list;
}

bool Dims::isExpression(llvm::StringRef text) {
  for (size_t i = 0; i < text.size(); ++i)
    if (startsName(text[i]) && (i == 0 || !continuesName(text[i - 1])))
      return true;
  return false;
}

bool Dims::checkNames(const SpecReader &reader, const YamlNode &node,
                      const std::vector<std::string> &used) const {
  bool haveSizes = true;
  for (const std::string &name : used) {
    const Entry *entry = find(name);
    haveSizes &= entry && entry->size;
    if (entry)
      continue;
    const std::vector<std::string> known = names();
    reader.error(node.mark,
                 "in " + quoteText(node.text) + ": unknown dimension " + quoteText(name) +
                     didYouMean(name, known),
                 known.empty() ? "`dims` of the library or the graph names sizes, such as dims: {" +
                                     llvm::StringRef(name).take_front(64).str() + ": 64}"
                               : "there are " + llvm::join(known, ", "));
  }
  return haveSizes;
}

std::optional<int64_t> Dims::evaluate(const SpecReader &reader, const YamlNode &node,
                                      llvm::StringRef text) const {
  templates::Lexer lexer{text};
  templates::TemplateError error;
  std::optional<templates::Expression> expression = templates::parseExpression(lexer, error);
  if (expression && lexer.peek())
    error = {nullptr, "expected an operator, found " + templates::quoted(lexer.peek())};
  std::optional<templates::Value> value;
  if (error.message.empty()) {
    std::vector<std::string> used;
    templates::visitNames(
        *expression, [&](const templates::Expression &name) { used.push_back(name.text.str()); });
    if (!checkNames(reader, node, used))
      return std::nullopt;
    templates::Environment sizes;
    for (const std::string &name : used)
      sizes[name] = templates::Value::makeNumber(*find(name)->size);
    value = templates::evaluate(*expression, {sizes}, error);
  }
  if (value && value->kind == templates::Value::Kind::number)
    return value->number;
  if (value)
    error = {nullptr, value->shown() + " is not an integer"};
  reader.error(node.mark, "in " + quoteText(node.text) + ": " + error.message, error.hint);
  return std::nullopt;
}

void Dims::addUnused(const SpecReader &reader, std::vector<Diagnostic> &errors) const {
  for (const auto &[name, entry] : entries)
    if (!used.count(name))
      errors.push_back({reader.at(entry.mark), "dimension '" + name + "' is not used",
                        "a type names it, such as \"f32[" + name + ", 8]\""});
}

} // namespace kgen
