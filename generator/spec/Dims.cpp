// See Dims.h.
#include "spec/Dims.h"

#include "spec/DimExpression.h"
#include "spec/DimText.h"
#include "spec/SpecParts.h"
#include "support/TensorLimits.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/GlobPattern.h>

namespace kgen {
namespace {

/// True if all that the size can be is among the bounds.
bool isWithin(const Dim &size, const DimSymbol &bounds) {
  const DimBounds range = size.bounds();
  return range.min >= bounds.min && range.max <= bounds.max &&
         size.divisor() % bounds.multiple == 0;
}

/// "7", "1 to 64".
std::string givenText(const Dim &size) {
  for (const auto &[name, symbol] : size.symbols())
    return symbol->range();
  return size.str();
}

/// The size as one that the state holds; a number stays one, an expression of others is none.
std::optional<Dim> heldBy(const std::string &state, const Dim &size) {
  const auto symbols = size.symbols();
  if (state.empty() || symbols.empty())
    return size;
  DimSymbol held = *symbols.begin()->second;
  if (size != Dim(symbols.begin()->second))
    return std::nullopt;
  held.state = state;
  return Dim(std::make_shared<const DimSymbol>(held));
}

/// The size of an entry of `dims`: a number, or bounds of a symbol, in whose place the command line
/// may give a number or narrower bounds. Bounds may stand for any number.
std::optional<Dim> readSize(const SpecReader &reader, const YamlEntry &entry,
                            const std::optional<Dim> &given, Located<std::string> &state) {
  std::optional<int64_t> written;
  DimSymbol bounds{entry.key, 0, maxTensorBytes, 1};
  const bool isNumber = entry.value.kind != YamlNode::Kind::map;
  if (isNumber) {
    written = reader.integer(entry.value, "dimension '" + entry.key + "'", 1, maxTensorBytes);
    bounds.min = given && given->isNumber() ? 1 : 0;
    if (!written)
      return std::nullopt;
  } else if (std::optional<DimSymbol> read = readBounds(reader, entry.value, entry.key, &state)) {
    bounds = *read;
  } else {
    return std::nullopt;
  }
  if (given && !isWithin(*given, bounds))
    reader.error(entry.value.mark, "dimension '" + entry.key + "' is " + bounds.range() +
                                       ", and --dim says " + givenText(*given));
  else if (std::optional<Dim> held = given ? heldBy(bounds.state, *given) : std::nullopt)
    return held;
  else if (given)
    reader.error(entry.value.mark,
                 "dimension '" + entry.key + "' is what the state '" + bounds.state +
                     "' holds, and --dim says " + given->str(),
                 "a number or narrower bounds may stand in its place");
  else if (written)
    return Dim(*written);
  else
    return Dim(std::make_shared<const DimSymbol>(bounds));
  return std::nullopt;
}

bool startsName(char c) { return llvm::isAlpha(c) || c == '_'; }
bool continuesName(char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }

} // namespace

using Kind = FieldRule::Kind;

std::optional<DimSymbol> readBounds(const SpecReader &reader, const YamlNode &node,
                                    const std::string &name, Located<std::string> *state) {
  size_t before = reader.diagnostics.errors().size();
  std::vector<FieldRule> rules = {
      {"min", Kind::optional, ""}, {"max", Kind::required, ""}, {"multiple", Kind::optional, ""}};
  if (state)
    rules.push_back({"state", Kind::optional, ""});
  Fields fields(reader, node, "dimension '" + name + "'", std::move(rules));
  DimSymbol bounds{name, 1, maxTensorBytes, 1};
  auto read = [&](const char *key, int64_t least, int64_t &value) {
    if (const YamlNode *number = fields.find(key))
      value = reader.integer(*number, "'" + std::string(key) + "'", least, maxTensorBytes)
                  .value_or(value);
  };
  read("multiple", 1, bounds.multiple);
  bounds.min = bounds.multiple;
  read("min", 0, bounds.min);
  read("max", 1, bounds.max);
  if (const YamlNode *held = fields.find("state"))
    if (auto text = readName(reader, *held, "a state", NameUse::c)) {
      *state = *text;
      bounds.state = text->value;
    }
  if (before != reader.diagnostics.errors().size())
    return std::nullopt;
  const auto [key, problem] = boundsProblem(bounds);
  if (key.empty())
    return bounds;
  const YamlNode *at = fields.find(key);
  reader.expected(at ? *at : node, problem + " for '" + key + "'");
  return std::nullopt;
}

void GivenSizes::beginGraph(const std::string &name) {
  isChosen = graphs.empty() || llvm::any_of(graphs, [&](const std::string &text) {
               llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
               if (pattern)
                 return pattern->match(name);
               llvm::consumeError(pattern.takeError()); // reported by who keeps these graphs
               return true;
             });
}

std::optional<Dim> GivenSizes::find(const std::string &name) {
  if (!isChosen)
    return std::nullopt;
  known.insert(name);
  auto found = sizes.find(name);
  return found == sizes.end() ? std::nullopt : std::optional(found->second);
}

void GivenSizes::reportUnknown(const std::string &path, Diagnostics &diagnostics) const {
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto &[name, size] : sizes)
    if (!known.count(name))
      diagnostics.error(
          {path, 0, 0},
          (graphs.empty() ? "the spec has no dimension " : "what --graph names has no dimension ") +
              quoteText(name) + didYouMean(name, names),
          names.empty() ? "`dims` names sizes, such as dims: {batch: 64}"
                        : "there are " + llvm::join(names, ", "));
}

void Dims::read(const SpecReader &reader, const YamlNode &map, GivenSizes &given) {
  if (!reader.isMap(map, "a map from dimensions to sizes, such as {batch: 64}"))
    return;
  for (const YamlEntry &entry : map.entries) {
    Located<std::string> state;
    std::optional<Dim> size = readSize(reader, entry, given.find(entry.key), state);
    if (const Entry *other = library ? library->find(entry.key) : nullptr) {
      reader.error(entry.keyMark, "the library has a dimension '" + entry.key + "' already, at " +
                                      reader.at(other->mark).str());
      continue;
    }
    if (readKeyName(reader, entry, "a dimension", NameUse::c)) {
      entries[entry.key] = {entry.keyMark, size, state};
      order.push_back(entry.key);
    }
  }
}

std::vector<std::string> Dims::heldNames() const {
  std::vector<std::string> held;
  for (const std::string &name : named)
    if (stateOf(name))
      held.push_back(name);
  return held;
}

const Dims::Entry *Dims::find(const std::string &name) const {
  named.insert(name);
  auto found = entries.find(name);
  if (found == entries.end())
    return library ? library->find(name) : nullptr;
  used.insert(name);
  return &found->second;
}

const Located<std::string> *Dims::stateOf(const std::string &name) const {
  auto found = entries.find(name);
  if (found == entries.end())
    return library ? library->stateOf(name) : nullptr;
  return found->second.state.value.empty() ? nullptr : &found->second.state;
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

std::vector<std::shared_ptr<const DimSymbol>> Dims::symbols() const {
  std::vector<std::shared_ptr<const DimSymbol>> all;
  if (library)
    all = library->symbols();
  for (const std::string &name : order)
    if (const std::optional<Dim> &size = entries.at(name).size)
      for (const auto &[text, symbol] : size->symbols())
        all.push_back(symbol);
  return all;
}

std::map<std::string, Dim> Dims::sizes() const {
  std::map<std::string, Dim> all;
  for (const auto &[name, entry] : entries) {
    used.insert(name);
    if (entry.size)
      all.emplace(name, *entry.size);
  }
  return all;
}

std::optional<int64_t> Dims::evaluateNumber(const SpecReader &reader, const YamlNode &node,
                                            llvm::StringRef text, const std::string &what) const {
  std::optional<Dim> value = evaluate(reader, node, text);
  if (value && !value->isNumber())
    reader.error(node.mark,
                 "in " + quoteText(node.text) + ": " + what + " is a number, and " + value->str() +
                     " is known at run time only",
                 "give the dimension a size: a number in `dims`, or --dim");
  return value ? value->number() : std::nullopt;
}

std::optional<Dim> Dims::evaluate(const SpecReader &reader, const YamlNode &node,
                                  llvm::StringRef text) const {
  expressions::ExpressionError error;
  std::optional<expressions::Expression> expression = parseSizes(text, error);
  if (expression) {
    if (!checkNames(reader, node, namesOf(*expression)))
      return std::nullopt;
    auto sizeOf = [&](llvm::StringRef name) { return *find(name.str())->size; };
    if (std::optional<Dim> size = evaluateSizes(*expression, sizeOf, error))
      return size;
  }
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
