// A library file's top level and its graphs.
#include "spec/GraphValues.h"
#include "spec/Modules.h"
#include "spec/ScheduleReader.h"
#include "spec/TypeText.h"
#include "support/InputFile.h"

#include <llvm/ADT/STLExtras.h>

#include <set>

namespace kgen {

using Kind = FieldRule::Kind;

static std::optional<Located<std::string>> checkedName(const SpecReader &reader,
                                                       Located<std::string> name,
                                                       const std::string &what, NameUse use,
                                                       const std::string &hint = "") {
  std::string problem = nameProblem(name.value, use);
  if (problem.empty())
    return name;
  reader.diagnostics.error(
      name.where, quoteText(name.value) + " cannot be the name of " + what + ": " + problem, hint);
  return std::nullopt;
}

std::optional<Located<std::string>> readName(const SpecReader &reader, const YamlNode &node,
                                             const std::string &what, NameUse use) {
  auto name = reader.text(node, "a name for " + what);
  return name ? checkedName(reader, *name, what, use) : std::nullopt;
}

std::optional<Located<std::string>> readKeyName(const SpecReader &reader, const YamlEntry &entry,
                                                const std::string &what, NameUse use) {
  bool isAlone = entry.value.kind == YamlNode::Kind::scalar && entry.value.text.empty();
  return checkedName(reader, {entry.key, reader.at(entry.keyMark)}, what, use,
                     isAlone ? "inside { } a text with a comma must be in quotes" : "");
}

static void readInputs(const SpecReader &reader, const YamlNode &node, const Dims &dims,
                       GraphSpec &graph) {
  if (!reader.isMap(node, "a map from input names to types"))
    return;
  for (const YamlEntry &entry : node.entries) {
    auto name = readKeyName(reader, entry, "an input", NameUse::c);
    std::vector<std::string> dimNames;
    const YamlNode *written = &entry.value;
    if (written->kind == YamlNode::Kind::map) {
      Fields fields(reader, *written, "an input",
                    {{"type", Kind::required, ""}, {"original", Kind::optional, ""}});
      if (const YamlNode *original = fields.find("original"))
        if (auto text = reader.text(*original, "the name of the input in the model"))
          graph.original[entry.key] = text->value;
      written = fields.find("type");
    }
    auto type = written ? readTensorType(reader, *written, dims, &dimNames) : std::nullopt;
    if (name && type)
      graph.inputs.push_back({*name, *type, std::move(dimNames)});
  }
}

/// True if the graph reads or updates the state.
static bool usesState(const GraphSpec &graph, const std::string &state) {
  auto isIt = [&](const Located<std::string> &name) { return name.value == state; };
  return llvm::any_of(graph.outputs, isIt) ||
         llvm::any_of(
             graph.updates,
             [&](const StateUpdate &update) { return isIt(update.state) || isIt(update.value); }) ||
         llvm::any_of(graph.nodes,
                      [&](const NodeSpec &node) { return llvm::any_of(node.inputs, isIt); });
}

/// The symbols that the types of inputs have, those of the states that it uses, and those that are
/// elements of weights.
static void setSymbols(const Dims &dims, GraphSpec &graph) {
  std::set<std::string> used;
  auto add = [&](const TensorType &type) {
    for (const auto &[name, symbol] : symbolsOf(type))
      used.insert(name);
  };
  for (const TensorSpec &input : graph.inputs)
    add(input.type.value);
  for (const StateSpec &state : graph.states)
    if (usesState(graph, state.name.value))
      add(state.type.value);
  for (const WeightSpec &weight : graph.weights)
    if (const auto *written = std::get_if<WeightFromValue>(&weight.source))
      for (const Dim &size : written->sizes)
        for (const auto &[name, symbol] : size.symbols())
          used.insert(name);
  for (const std::shared_ptr<const DimSymbol> &symbol : dims.symbols())
    if (used.count(symbol->name))
      graph.dims.push_back(symbol);
}

static void readOutputs(const SpecReader &reader, const YamlNode &node, GraphSpec &graph) {
  if (!reader.isList(node, "a list of output names"))
    return;
  if (node.items.empty())
    reader.error(node.mark, "a graph needs at least one output");
  for (const YamlNode &item : node.items)
    if (auto name = readName(reader, item, "an output", NameUse::c))
      graph.outputs.push_back(*name);
}

static void readCompute(const SpecReader &reader, const YamlNode &node, GraphSpec &graph) {
  auto name = reader.text(node, "the type to multiply in: f32, bf16 or f16");
  if (!name)
    return;
  const std::vector<std::string> allowed = {"f32", "bf16", "f16"};
  if (llvm::is_contained(allowed, name->value))
    graph.compute = *parseElementType(name->value);
  else
    reader.error(node.mark, "expected f32, bf16 or f16, found " + node.describe() +
                                didYouMean(name->value, allowed));
}

static void readAccumulate(const SpecReader &reader, const YamlNode &node, GraphSpec &graph) {
  auto name = reader.text(node, "the type to add up products of f16 in: f32 or f16");
  if (!name)
    return;
  const std::vector<std::string> allowed = {"f32", "f16"};
  if (llvm::is_contained(allowed, name->value))
    graph.accumulate = {*parseElementType(name->value), name->where};
  else
    reader.error(node.mark, "expected f32 or f16, found " + node.describe() +
                                didYouMean(name->value, allowed));
}

static void readWinograd(const SpecReader &reader, const YamlNode &node, GraphSpec &graph) {
  auto tile = reader.text(node, "the largest tile of a convolution: 2 or 4");
  if (!tile)
    return;
  if (tile->value == "2" || tile->value == "4")
    graph.winograd = {tile->value == "2" ? 2 : 4, tile->where};
  else
    reader.error(node.mark,
                 "expected 2 or 4, the largest tile of a convolution, found " + node.describe());
}

void readArithmetic(const SpecReader &reader, const Fields &fields, GraphSpec &graph) {
  if (const YamlNode *compute = fields.find("compute"))
    readCompute(reader, *compute, graph);
  if (const YamlNode *accumulate = fields.find("accumulate"))
    readAccumulate(reader, *accumulate, graph);
  if (const YamlNode *winograd = fields.find("winograd"))
    readWinograd(reader, *winograd, graph);
  if (const YamlNode *activations = fields.find("activations"))
    graph.activations = readActivations(reader, *activations);
  if (const YamlNode *device = fields.find("run_on"))
    readRunOn(reader, *device, graph);
  if (const YamlNode *budgets = fields.find("budgets"))
    readBudgets(reader, *budgets, graph.budgets);
  if (const YamlNode *versions = fields.find("versions"))
    readVersions(reader, *versions, graph.versions);
}

static const YamlNode *entryOf(const YamlNode &map, llvm::StringRef key) {
  for (const YamlEntry &entry : map.entries)
    if (entry.key == key)
      return &entry.value;
  return nullptr;
}

/// The states of the library, and those of graphs as well.
struct LibraryStates {
  std::vector<StateSpec> own, &all;
};

static std::optional<GraphSpec> readGraph(const SpecReader &reader, BodyReader &bodies,
                                          const YamlNode &node, LibraryDims &ofLibrary,
                                          LibraryStates &states) {
  if (entryOf(node, "onnx"))
    return readModelGraph(reader, node, ofLibrary);
  if (entryOf(node, "mlir"))
    return readMlirGraph(reader, node, ofLibrary);
  Fields fields(reader, node, "a graph",
                {{"name", Kind::required, ""},
                 {"inputs", Kind::optional, ""},
                 {"weights", Kind::optional, ""},
                 {"nodes", Kind::optional, ""},
                 {"outputs", Kind::required, ""},
                 {"compute", Kind::optional, ""},
                 {"accumulate", Kind::optional, ""},
                 {"activations", Kind::optional, ""},
                 {"winograd", Kind::optional, ""},
                 {"run_on", Kind::optional, ""},
                 {"with", Kind::optional, ""},
                 {"dims", Kind::optional, ""},
                 {"versions", Kind::optional, ""},
                 {"budgets", Kind::optional, ""},
                 {"state", Kind::optional, ""},
                 {"updates", Kind::optional, ""},
                 {"onnx", Kind::optional, ""}, // these two: see above
                 {"mlir", Kind::optional, ""},
                 {"parameters", Kind::later, "tensors packed at run time"},
                 {"numerics", Kind::later, "relaxed accuracy"}});
  GraphSpec graph;
  graph.name = beginGraph(reader, fields, ofLibrary);
  Dims dims(&ofLibrary.dims);
  if (const YamlNode *map = fields.find("dims"))
    dims.read(reader, *map, ofLibrary.given);
  if (const YamlNode *inputs = fields.find("inputs"))
    readInputs(reader, *inputs, dims, graph);
  if (const YamlNode *state = fields.find("state"))
    readStates(reader, *state, dims, graph.ownStates, states.all);
  graph.states = graph.ownStates;
  for (const StateSpec &state : states.own)
    if (llvm::none_of(graph.ownStates,
                      [&](const StateSpec &own) { return own.name.value == state.name.value; }))
      graph.states.push_back(state);
  if (const YamlNode *updates = fields.find("updates"))
    readUpdates(reader, *updates, graph);
  GraphBody body;
  bodies.read(reader, dims, fields.find("weights"), fields.find("nodes"), body);
  graph.weights = std::move(body.weights);
  graph.nodes = std::move(body.nodes);
  graph.original.insert(body.original.begin(), body.original.end());
  if (const YamlNode *outputs = fields.find("outputs"))
    readOutputs(reader, *outputs, graph);
  setSymbols(dims, graph);
  readHeldSizes(reader, dims, graph);
  readArithmetic(reader, fields, graph);
  dims.addUnused(reader, ofLibrary.unused);
  if (graph.name.value.empty())
    return std::nullopt;
  return graph;
}

static void readTemplates(const SpecReader &reader, const YamlNode &node, LibrarySpec &spec) {
  if (!reader.isList(node, "a list of files with templates"))
    return;
  for (const YamlNode &item : node.items)
    if (auto path = reader.text(item, "the path of a file with templates"))
      spec.templates.push_back({resolvePath(path->value, spec.path), path->where});
  for (const Located<std::string> &file : spec.templates)
    spec.included.push_back(file.value);
}

static void readGraphs(const SpecReader &reader, const ModuleTable &modules, const YamlNode &node,
                       LibraryDims &dims, LibraryStates &states, LibrarySpec &spec) {
  if (!reader.isList(node, "a list of graphs"))
    return;
  if (node.items.empty())
    reader.error(node.mark, "a library needs at least one graph");
  for (const YamlNode &item : node.items) {
    if (!reader.isMap(item, "a graph (a map with 'name', 'inputs', 'nodes', 'outputs')"))
      continue;
    BodyReader bodies(modules); // its limit is for all combinations of values together
    auto add = [&](const YamlNode &graph) {
      if (auto read = readGraph(reader, bodies, graph, dims, states))
        spec.graphs.push_back(std::move(*read));
    };
    const YamlNode *with = entryOf(item, "with");
    if (!with)
      add(item);
    else
      for (const YamlNode &graph : graphsOfValues(reader, item, *with))
        add(graph);
  }
}

static void readLibraryName(const SpecReader &reader, const YamlNode &node, LibrarySpec &spec) {
  auto name = readName(reader, node, "a library", NameUse::c);
  if (!name)
    return;
  std::string problem = libraryNameProblem(name->value);
  if (!problem.empty())
    reader.error(node.mark, "'" + name->value + "' cannot be the name of a library: " + problem);
  spec.library = *name;
}

static void readPython(const SpecReader &reader, const YamlNode &node, LibrarySpec &spec) {
  auto value = reader.text(node, "whether there is a Python module: true or false");
  if (!value)
    return;
  if (value->value == "true" || value->value == "false")
    spec.python = value->value == "true";
  else
    reader.error(node.mark, "expected true or false, found " + node.describe());
}

/// The graphs, and the dimensions and states that they may name.
static void readAllGraphs(const SpecReader &reader, const ModuleTable &modules,
                          const Fields &fields, LibraryDims &dims, LibrarySpec &spec) {
  if (const YamlNode *map = fields.find("dims"))
    dims.dims.read(reader, *map, dims.given);
  LibraryStates states{{}, spec.states};
  if (const YamlNode *state = fields.find("state"))
    readStates(reader, *state, dims.dims, states.own, spec.states);
  if (const YamlNode *graphs = fields.find("graphs"))
    readGraphs(reader, modules, *graphs, dims, states, spec);
}

/// A state that nobody writes back keeps its first value for ever.
static void checkUpdates(const LibrarySpec &spec, Diagnostics &diagnostics) {
  std::set<std::string> updated;
  for (const GraphSpec &graph : spec.graphs)
    for (const StateUpdate &update : graph.updates)
      updated.insert(update.state.value);
  for (const StateSpec &state : spec.states)
    if (!updated.count(state.name.value))
      diagnostics.error(state.name.where, "no graph updates the state '" + state.name.value + "'",
                        "updates: {" + state.name.value +
                            ": VALUE} of a graph says what it is after a call");
}

static void checkAllCNames(const LibrarySpec &spec, Diagnostics &diagnostics) {
  checkCNames(spec, diagnostics);
  if (llvm::any_of(spec.graphs, [](const GraphSpec &graph) { return !graph.dims.empty(); }))
    checkSizedCNames(spec, diagnostics);
  if (!spec.states.empty()) {
    checkStateSizes(spec, diagnostics);
    checkStateCNames(spec, diagnostics);
  }
}

std::optional<LibrarySpec> parseLibraryText(const std::string &text, const std::string &path,
                                            Diagnostics &diagnostics,
                                            const std::map<std::string, Dim> &sizes,
                                            const std::vector<std::string> &graphs) {
  const size_t before = diagnostics.errors().size();
  SpecReader reader(path, diagnostics);
  std::optional<YamlNode> root = parseYaml(text, path, diagnostics);
  if (!root || !reader.isMap(*root, "a map with 'library' and 'graphs'"))
    return std::nullopt;
  Fields fields(reader, *root, "a library file",
                {{"library", Kind::required, ""},
                 {"targets", Kind::optional, ""},
                 {"systems", Kind::optional, ""},
                 {"include", Kind::optional, ""},
                 {"modules", Kind::optional, ""},
                 {"schedules", Kind::optional, ""},
                 {"machines", Kind::optional, ""},
                 {"python", Kind::optional, ""},
                 {"templates", Kind::optional, ""},
                 {"graphs", Kind::required, ""},
                 {"dims", Kind::optional, ""},
                 {"versions", Kind::optional, ""},
                 {"budgets", Kind::optional, ""},
                 {"state", Kind::optional, ""},
                 {"numerics", Kind::later, "relaxed accuracy"}});
  LibrarySpec spec;
  spec.path = path;
  readTargets(reader, fields, spec);
  if (const YamlNode *library = fields.find("library"))
    readLibraryName(reader, *library, spec);
  if (const YamlNode *schedules = fields.find("schedules"))
    readSchedules(reader, *schedules, spec.schedules);
  if (const YamlNode *machines = fields.find("machines"))
    readMachines(reader, *machines, spec.machines);
  if (const YamlNode *python = fields.find("python"))
    readPython(reader, *python, spec);
  if (const YamlNode *budgets = fields.find("budgets"))
    readBudgets(reader, *budgets, spec.budgets);
  if (const YamlNode *versions = fields.find("versions"))
    readVersions(reader, *versions, spec.versions);
  ModuleTable modules(spec);
  if (const YamlNode *map = fields.find("modules"))
    modules.read(reader, *map);
  if (const YamlNode *include = fields.find("include"))
    modules.include(reader, *include);
  spec.included = modules.files();
  if (const YamlNode *files = fields.find("templates"))
    readTemplates(reader, *files, spec);
  LibraryDims dims{Dims(), GivenSizes(sizes, graphs)};
  readAllGraphs(reader, modules, fields, dims, spec);
  dims.dims.addUnused(reader, dims.unused);
  dims.given.reportUnknown(path, diagnostics);
  if (diagnostics.errors().size() == before)
    for (const Diagnostic &error : dims.unused)
      diagnostics.error(error.where, error.message, error.hint);
  if (diagnostics.errors().size() == before)
    checkUpdates(spec, diagnostics);
  if (!spec.library.value.empty())
    checkAllCNames(spec, diagnostics);
  return diagnostics.errors().size() == before ? std::optional(std::move(spec)) : std::nullopt;
}

std::optional<LibrarySpec> parseLibrarySpec(const std::string &path, Diagnostics &diagnostics,
                                            const std::map<std::string, Dim> &sizes,
                                            const std::vector<std::string> &graphs) {
  std::optional<std::string> text = readYamlText(path, diagnostics);
  return text ? parseLibraryText(*text, path, diagnostics, sizes, graphs) : std::nullopt;
}

} // namespace kgen
