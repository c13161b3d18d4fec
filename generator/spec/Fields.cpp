// See Fields.h.
#include "spec/Fields.h"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace kgen {

void SpecReader::error(YamlMark mark, std::string message, std::string hint) const {
  diagnostics.error(at(mark), std::move(message), std::move(hint));
}

void SpecReader::warning(YamlMark mark, std::string message, std::string hint) const {
  diagnostics.warning(at(mark), std::move(message), std::move(hint));
}

void SpecReader::expected(const YamlNode &node, const std::string &what, std::string hint) const {
  if (node.kind != YamlNode::Kind::invalid)
    error(node.mark, "expected " + what + ", found " + node.describe(), std::move(hint));
}

bool SpecReader::isMap(const YamlNode &node, const std::string &what) const {
  if (node.kind != YamlNode::Kind::map)
    expected(node, what);
  return node.kind == YamlNode::Kind::map;
}

bool SpecReader::isList(const YamlNode &node, const std::string &what) const {
  if (node.kind != YamlNode::Kind::sequence)
    expected(node, what);
  return node.kind == YamlNode::Kind::sequence;
}

std::optional<Located<std::string>> SpecReader::text(const YamlNode &node,
                                                     const std::string &what) const {
  if (node.kind == YamlNode::Kind::scalar && (node.quoted || !node.text.empty()))
    return Located<std::string>{node.text, at(node.mark)};
  expected(node, what);
  return std::nullopt;
}

std::optional<int64_t> SpecReader::integer(const YamlNode &node, const std::string &what,
                                           int64_t min, int64_t max) const {
  bool tooLarge = false;
  std::optional<int64_t> value;
  if (node.kind == YamlNode::Kind::scalar && !node.quoted)
    value = parseInteger(node.text, &tooLarge);
  if (!value && !tooLarge) {
    expected(node, "an integer for " + what);
    return std::nullopt;
  }
  if (!value || *value < min || *value > max) {
    expected(node, "an integer from " + std::to_string(min) + " to " + std::to_string(max) +
                       " for " + what);
    return std::nullopt;
  }
  return value;
}

std::optional<double> SpecReader::real(const YamlNode &node, const std::string &what) const {
  if (node.kind == YamlNode::Kind::scalar && !node.quoted)
    if (std::optional<double> value = parseReal(node.text))
      return value;
  expected(node, "a number for " + what);
  return std::nullopt;
}

std::optional<int64_t> SpecReader::byteSize(const YamlNode &node, const std::string &what) const {
  std::optional<double> value;
  if (node.kind == YamlNode::Kind::scalar && !node.quoted) {
    llvm::StringRef number = node.text;
    double unit = 1;
    if (number.consume_back("KiB"))
      unit = 1024.0;
    else if (number.consume_back("MiB"))
      unit = 1024.0 * 1024;
    else if (number.consume_back("GiB"))
      unit = 1024.0 * 1024 * 1024;
    value = parseReal(number);
    if (value)
      *value *= unit;
  }
  constexpr double limit = 1ull << 40;
  if (value && *value >= 0 && *value <= limit && *value == static_cast<double>(int64_t(*value)))
    return static_cast<int64_t>(*value);
  expected(node, "a whole number of bytes for " + what, "for example 64, 32KiB or 1.375MiB");
  return std::nullopt;
}

Fields::Fields(const SpecReader &reader, const YamlNode &map, const std::string &what,
               const std::vector<FieldRule> &rules, const std::string &unknownHint)
    : map(map) {
  std::vector<std::string> known;
  for (const FieldRule &rule : rules)
    if (rule.kind == FieldRule::Kind::required || rule.kind == FieldRule::Kind::optional)
      known.push_back(rule.key);
  for (const FieldRule &rule : rules)
    if (rule.kind == FieldRule::Kind::renamed && find(rule.key) && !find(rule.note))
      oldNames[rule.note] = rule.key;
  for (const YamlEntry &entry : map.entries) {
    auto rule = std::find_if(rules.begin(), rules.end(),
                             [&](const FieldRule &r) { return r.key == entry.key; });
    if (rule == rules.end())
      reader.error(entry.keyMark,
                   "unknown key " + quoteText(entry.key) + " in " + what +
                       didYouMean(llvm::StringRef(entry.key).take_front(64).str(), known),
                   unknownHint.empty() ? "known keys: " + llvm::join(known, ", ") : unknownHint);
    else
      checkEntry(reader, entry, *rule);
  }
  for (const FieldRule &rule : rules)
    if (rule.kind == FieldRule::Kind::required && !find(rule.key))
      reader.error(map.mark, "missing key '" + rule.key + "' in " + what);
}

void Fields::checkEntry(const SpecReader &reader, const YamlEntry &entry,
                        const FieldRule &rule) const {
  if (rule.kind == FieldRule::Kind::later)
    reader.error(entry.keyMark, "not supported yet: '" + entry.key + "' (" + rule.note + ")");
  else if (rule.kind == FieldRule::Kind::renamed && !oldNames.count(rule.note))
    reader.error(entry.keyMark,
                 "'" + entry.key + "' is the old name of '" + rule.note + "', which is there, too",
                 "remove '" + entry.key + "'");
  else if (rule.kind == FieldRule::Kind::renamed)
    reader.warning(entry.keyMark, "'" + entry.key + "' is now called '" + rule.note + "'",
                   "the old name will not be read for ever: rename the key");
  else if (rule.kind == FieldRule::Kind::unused)
    reader.warning(entry.keyMark, "'" + entry.key + "' has no effect: " + rule.note, "remove it");
}

const YamlNode *Fields::find(const std::string &key) const {
  auto old = oldNames.find(key);
  const std::string &written = old == oldNames.end() ? key : old->second;
  for (const YamlEntry &entry : map.entries)
    if (entry.key == written)
      return &entry.value;
  return nullptr;
}

} // namespace kgen
