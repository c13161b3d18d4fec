// A graph with lists among its values is written out once for each combination of them.
#include "spec/GraphValues.h"

#include "spec/Modules.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

/// Each is a function of the library, with code of its own for every target.
constexpr size_t maxCombinations = 256;

bool isListed(const YamlNode &value) { return value.kind == YamlNode::Kind::sequence; }

class ValueCombinations {
public:
  ValueCombinations(const SpecReader &reader, const YamlNode &graph, const YamlNode &with)
      : reader(reader), graph(graph), with(with) {}

  std::vector<YamlNode> graphs() {
    std::vector<YamlNode> all;
    std::optional<size_t> combinations = count();
    size_t before = reader.diagnostics.errors().size();
    auto hasErrors = [&] { return before != reader.diagnostics.errors().size(); };
    // The next combination would have the same errors, a graph without its values others.
    for (size_t i = 0; combinations && i < *combinations && !hasErrors(); ++i) {
      std::string suffix;
      Substitutions values = valuesOf(i, suffix);
      if (*combinations == 1 || !hasErrors())
        all.push_back(filled(values, suffix));
    }
    return all;
  }

private:
  /// The number of combinations; nothing after an error of the lists.
  std::optional<size_t> count() const {
    size_t product = 1;
    if (!reader.isMap(with, "a map from names of values to what they are"))
      return std::nullopt;
    bool isGood = true;
    for (const YamlEntry &entry : with.entries)
      if (isListed(entry.value)) {
        if (entry.value.items.empty()) {
          reader.error(entry.value.mark, "the list of value '" + entry.key + "' is empty");
          isGood = false;
        }
        product *= entry.value.items.size();
        if (product > maxCombinations) {
          reader.error(entry.value.mark,
                       "the values have more than " + std::to_string(maxCombinations) +
                           " combinations, and each is a function",
                       "list fewer values, or write several graphs");
          return std::nullopt;
        }
      }
    if (product > 1 && product * treeSize(graph) > yamlMaxNodes) {
      reader.error(with.mark, "the graph is too large: its combinations have more than " +
                                  std::to_string(yamlMaxNodes) + " values when written out");
      return std::nullopt;
    }
    return isGood ? std::optional(product) : std::nullopt;
  }

  /// Listed values are parts of a name, and differ.
  void checkListed(const YamlEntry &entry, size_t chosen, const std::string &text) const {
    const YamlNode &item = entry.value.items[chosen];
    std::string problem = nameProblem("graph_" + text, NameUse::c);
    if (!problem.empty())
      reader.error(item.mark,
                   "value " + quoteText(text) + " of '" + entry.key +
                       "' cannot be a part of a graph's name: " + problem,
                   "listed values stand in the names of functions");
    auto isSame = [&](const YamlNode &other) {
      return other.kind == YamlNode::Kind::scalar && other.text == item.text;
    };
    if (llvm::any_of(llvm::ArrayRef(entry.value.items).take_front(chosen), isSame))
      reader.error(item.mark,
                   "value " + quoteText(text) + " of '" + entry.key + "' is listed twice");
  }

  /// The values of a combination, which later ones may refer to; `suffix` becomes what they add to
  /// the graph's name.
  Substitutions valuesOf(size_t combination, std::string &suffix) const {
    Substitutions values;
    size_t remaining = 1;
    for (const YamlEntry &entry : with.entries)
      remaining *= isListed(entry.value) ? entry.value.items.size() : 1;
    for (const YamlEntry &entry : with.entries) {
      size_t chosen = 0;
      if (isListed(entry.value)) {
        remaining /= entry.value.items.size();
        chosen = combination / remaining % entry.value.items.size();
      }
      const YamlNode &written = isListed(entry.value) ? entry.value.items[chosen] : entry.value;
      auto name = readKeyName(reader, entry, "a value", NameUse::label);
      auto text = reader.text(substitute(reader, written, values),
                              "a number or a text for value '" + entry.key + "'");
      values[entry.key] = std::nullopt;
      if (!name || !text)
        continue;
      if (isListed(entry.value)) {
        checkListed(entry, chosen, text->value);
        suffix += "_" + text->value;
      }
      values[entry.key] = text->value;
    }
    return values;
  }

  YamlNode filled(const Substitutions &values, const std::string &suffix) const {
    YamlNode result;
    result.kind = graph.kind;
    result.mark = graph.mark;
    for (const YamlEntry &entry : graph.entries) {
      if (&entry.value == &with)
        continue;
      result.entries.push_back({entry.key, entry.keyMark, substitute(reader, entry.value, values)});
      YamlNode &value = result.entries.back().value;
      if (entry.key == "name" && value.kind == YamlNode::Kind::scalar)
        value.text += suffix;
    }
    return result;
  }

  const SpecReader &reader;
  const YamlNode &graph, &with;
};

} // namespace

std::vector<YamlNode> graphsOfValues(const SpecReader &reader, const YamlNode &graph,
                                     const YamlNode &with) {
  return ValueCombinations(reader, graph, with).graphs();
}

} // namespace kgen
