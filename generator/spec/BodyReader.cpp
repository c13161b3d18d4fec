// Nodes and weights of a graph; a use of a module becomes copies of its nodes and weights.
#include "spec/Modules.h"

#include <iterator>
#include <set>

namespace kgen {

using Kind = FieldRule::Kind;

constexpr int64_t maxCopies = 4096;
constexpr size_t maxCopiedNodes = yamlMaxNodes;
constexpr size_t maxOpenModules = 32;

/// {name: encoder, module: layer, inputs: [x, mask], with: {width: 768}, repeat: 12}
struct BodyReader::Use {
  SourceLoc where;
  std::string name; ///< prefix of the copies' names
  std::string moduleName;
  const Module *module = nullptr;
  const YamlNode *with = nullptr;
  int64_t copies = 1;
  bool isRepeated = false;
  std::vector<Located<std::string>> inputs, outputs;

  std::string prefix(int64_t index) const {
    return name + "_" + (isRepeated ? std::to_string(index) + "_" : "");
  }
};

/// Maps names inside of one copy of a module to names in the graph.
class BodyReader::Renaming {
public:
  explicit Renaming(const Use &use) : use(use), module(*use.module) {}

  /// The first copy's inputs are the use's; results of a copy are the first inputs of the next one.
  void bindInputs(int64_t index) {
    for (size_t i = 0; i < module.inputs.size(); ++i) {
      bool isChained = index > 0 && i < module.outputs.size();
      names[module.inputs[i].value] =
          isChained ? use.prefix(index - 1) + module.outputs[i].value : use.inputs[i].value;
    }
  }

  /// Weights and results; the last copy's outputs get the names that the use gives them.
  void define(const GraphBody &body, int64_t index) {
    std::set<std::string> results;
    for (const WeightSpec &weight : body.weights)
      add(weight.name, index);
    for (const NodeSpec &node : body.nodes)
      for (const Located<std::string> &output : node.outputs)
        if (!output.value.empty()) {
          add(output, index);
          results.insert(output.value);
        }
    for (size_t i = 0; i < module.outputs.size(); ++i) {
      const Located<std::string> &output = module.outputs[i];
      if (!results.count(output.value))
        error(output.where, "output " + quoteText(output.value) + " of " + what() +
                                " is not a result of its nodes");
      if (index + 1 == use.copies)
        names[output.value] = use.outputs[i].value;
    }
  }

  void apply(GraphBody &body, int64_t index) const {
    std::set<std::string> used;
    for (WeightSpec &weight : body.weights)
      rename(weight.name);
    for (NodeSpec &node : body.nodes) {
      node.name.value = use.prefix(index) + node.name.value;
      for (Located<std::string> &input : node.inputs) {
        used.insert(input.value);
        if (!input.value.empty())
          rename(input);
      }
      for (Located<std::string> &output : node.outputs)
        if (!output.value.empty())
          rename(output);
    }
    for (const Located<std::string> &input : module.inputs)
      if (!used.count(input.value))
        error(input.where, "input " + quoteText(input.value) + " of " + what() + " is not used");
  }

private:
  std::string what() const { return "module '" + use.moduleName + "'"; }

  void error(const SourceLoc &where, std::string message) const {
    module.reader->diagnostics.error(where, std::move(message));
  }

  void add(const Located<std::string> &name, int64_t index) {
    if (!names.insert({name.value, use.prefix(index) + name.value}).second)
      error(name.where, "two tensors of " + what() + " are called " + quoteText(name.value));
  }

  void rename(Located<std::string> &name) const {
    auto found = names.find(name.value);
    if (found != names.end()) {
      name.value = found->second;
      return;
    }
    std::vector<std::string> known;
    for (const auto &[local, global] : names)
      known.push_back(local);
    error(name.where, "undefined tensor " + quoteText(name.value) + " in " + what() +
                          didYouMean(name.value, known));
  }

  const Use &use;
  const Module &module;
  std::map<std::string, std::string> names;
};

static void checkUse(const SpecReader &reader, const YamlNode &node, const std::string &name,
                     const Module &module, const NodeSpec &use, int64_t copies) {
  auto count = [](size_t n, const char *what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  if (use.inputs.size() != module.inputs.size())
    reader.error(node.mark, "module '" + name + "' has " + count(module.inputs.size(), "input") +
                                ", found " + std::to_string(use.inputs.size()));
  if (use.outputs.size() != module.outputs.size())
    reader.error(node.mark,
                 "module '" + name + "' has " + count(module.outputs.size(), "result") +
                     ", found " + count(use.outputs.size(), "name"),
                 "name all of them, in their order: outputs: [...]");
  if (copies > 1 && module.outputs.size() > module.inputs.size())
    reader.error(node.mark,
                 "module '" + name + "' cannot be repeated: it has more results than inputs",
                 "results of a copy are the first inputs of the next one");
}

/// The module's values in one copy: its defaults, what the use gives instead, and the copy's
/// number.
static std::optional<Substitutions> valuesOf(const SpecReader &reader, const YamlNode *given,
                                             const Module &module, const std::string &name,
                                             int64_t index) {
  size_t before = reader.diagnostics.errors().size();
  Substitutions values = {{"index", std::to_string(index)}};
  std::vector<std::string> known;
  if (module.with)
    for (const YamlEntry &entry : module.with->entries) {
      known.push_back(entry.key);
      const YamlNode *value = nullptr;
      if (given)
        for (const YamlEntry &other : given->entries)
          if (other.key == entry.key)
            value = &other.value;
      const YamlNode filled = value ? *value : substitute(*module.reader, entry.value, values);
      const SpecReader &from = value ? reader : *module.reader;
      auto text = from.text(filled, "a number or a text for value '" + entry.key + "'");
      values[entry.key] = text ? std::optional(text->value) : std::nullopt;
    }
  if (given)
    for (const YamlEntry &entry : given->entries)
      if (!values.count(entry.key) || entry.key == "index")
        reader.error(entry.keyMark, "module '" + name + "' has no value " + quoteText(entry.key) +
                                        didYouMean(entry.key, known));
  if (reader.diagnostics.errors().size() != before)
    return std::nullopt;
  return values;
}

void BodyReader::read(const SpecReader &reader, const Dims &dims, const YamlNode *weights,
                      const YamlNode *nodes, GraphBody &body) {
  if (weights && reader.isMap(*weights, "a map from weight names to their types and data"))
    for (const YamlEntry &entry : weights->entries)
      if (auto weight = readWeight(reader, entry, dims))
        body.weights.push_back(std::move(*weight));
  if (nodes && reader.isList(*nodes, "a list of nodes"))
    for (const YamlNode &item : nodes->items) {
      bool isUse = item.kind == YamlNode::Kind::map &&
                   std::any_of(item.entries.begin(), item.entries.end(),
                               [](const YamlEntry &entry) { return entry.key == "module"; });
      if (isUse)
        expand(reader, dims, item, body);
      else if (auto read = readNode(reader, item, dims)) {
        body.original.insert(read->original.begin(), read->original.end());
        body.nodes.push_back(std::move(*read));
      }
    }
}

void BodyReader::expand(const SpecReader &reader, const Dims &dims, const YamlNode &node,
                        GraphBody &body) {
  size_t before = reader.diagnostics.errors().size();
  Fields fields(reader, node, "a use of a module",
                {{"name", Kind::optional, ""},
                 {"module", Kind::required, ""},
                 {"inputs", Kind::required, ""},
                 {"outputs", Kind::optional, ""},
                 {"with", Kind::optional, ""},
                 {"repeat", Kind::optional, ""},
                 {"original", Kind::optional, ""}},
                "values of the module go under 'with', for example with: {width: 64}");
  NodeSpec names;
  readNodeNames(reader, node, fields, names);
  if (const YamlNode *original = fields.find("original"))
    readOriginal(reader, *original, names);
  body.original.insert(names.original.begin(), names.original.end());
  Use use{reader.at(node.mark), names.name.value, "", nullptr, fields.find("with"), 1, false,
          names.inputs,         names.outputs};
  auto name = reader.text(*fields.find("module"), "the name of a module");
  if (name) {
    use.moduleName = name->value;
    use.module = modules.find(name->value);
    if (!use.module)
      reader.error(fields.find("module")->mark, "unknown module " + quoteText(name->value) +
                                                    didYouMean(name->value, modules.names()));
  }
  if (const YamlNode *repeat = fields.find("repeat")) {
    use.isRepeated = true;
    use.copies = reader.integer(*repeat, "'repeat'", 1, maxCopies).value_or(1);
  }
  if (use.with)
    reader.isMap(*use.with, "a map from names of values to what they are");
  if (!use.module)
    return; // that it has no name may have been reported where a value was put into it
  if (before == reader.diagnostics.errors().size())
    checkUse(reader, node, use.moduleName, *use.module, names, use.copies);
  if (before != reader.diagnostics.errors().size() || !mayCopy(reader, use))
    return;
  open.push_back(use.moduleName);
  for (int64_t index = 0; index < use.copies && !tooLarge; ++index) {
    copy(reader, dims, use, index, body);
    if (before != reader.diagnostics.errors().size())
      break; // the next copy would have the same errors
  }
  open.pop_back();
}

bool BodyReader::mayCopy(const SpecReader &reader, const Use &use) {
  Diagnostics &diagnostics = reader.diagnostics;
  if (std::find(open.begin(), open.end(), use.moduleName) != open.end()) {
    diagnostics.error(use.where, "module '" + use.moduleName + "' contains itself");
    return false;
  }
  if (open.size() == maxOpenModules) {
    diagnostics.error(use.where,
                      "modules are nested more than " + std::to_string(maxOpenModules) + " deep");
    return false;
  }
  return !tooLarge;
}

void BodyReader::copy(const SpecReader &reader, const Dims &dims, const Use &use, int64_t index,
                      GraphBody &body) {
  const Module &module = *use.module;
  copied += module.size;
  if (copied > maxCopiedNodes) {
    tooLarge = true;
    reader.diagnostics.error(use.where, "the graph is too large: its modules have more than " +
                                            std::to_string(maxCopiedNodes) +
                                            " values when written out");
    return;
  }
  std::optional<Substitutions> values = valuesOf(reader, use.with, module, use.moduleName, index);
  if (!values)
    return;
  GraphBody inner;
  size_t before = reader.diagnostics.errors().size();
  YamlNode weights, nodes = substitute(*module.reader, *module.nodes, *values);
  if (module.weights)
    weights = substitute(*module.reader, *module.weights, *values);
  read(*module.reader, dims, module.weights ? &weights : nullptr, &nodes, inner);
  if (before != reader.diagnostics.errors().size())
    return; // what is missing was reported
  Renaming names(use);
  names.bindInputs(index);
  names.define(inner, index);
  names.apply(inner, index);
  std::move(inner.weights.begin(), inner.weights.end(), std::back_inserter(body.weights));
  std::move(inner.nodes.begin(), inner.nodes.end(), std::back_inserter(body.nodes));
}

} // namespace kgen
