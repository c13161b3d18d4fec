// Graphs that stand in the files of models.
#include "spec/SpecParts.h"
#include "support/InputFile.h"

#include <limits>

namespace kgen {

using Kind = FieldRule::Kind;

/// The size of a model's dimension: an integer, bounds, or an expression of the library's `dims`.
static std::optional<Dim> readSize(const SpecReader &reader, const YamlEntry &entry,
                                   const Dims &dims) {
  constexpr int64_t largest = std::numeric_limits<int32_t>::max();
  const YamlNode &node = entry.value;
  const std::string what = "the size of dimension '" + entry.key + "'";
  if (node.kind == YamlNode::Kind::map) {
    std::optional<DimSymbol> bounds = readBounds(reader, node, cIdentifierOf(entry.key));
    return bounds ? std::optional(Dim(std::make_shared<const DimSymbol>(*bounds))) : std::nullopt;
  }
  const bool isScalar = node.kind == YamlNode::Kind::scalar && !node.quoted;
  if (dims.empty() || !isScalar || !Dims::isExpression(node.text))
    return reader.integer(node, what, 0, largest);
  std::optional<Dim> size = dims.evaluate(reader, node, node.text);
  if (!size || (size->bounds().min >= 0 && size->bounds().max <= largest))
    return size;
  reader.expected(node, "an integer from 0 to " + std::to_string(largest) + " for " + what);
  return std::nullopt;
}

/// `dims` and `values` of a graph that stands in a model file.
static void readBindings(const SpecReader &reader, const YamlNode *sizes, const YamlNode *values,
                         LibraryDims &library, ModelBindings &bindings) {
  if (sizes && reader.isMap(*sizes, "a map from dimensions to sizes, such as {batch: 1}"))
    for (const YamlEntry &entry : sizes->entries) {
      std::optional<Dim> size = readSize(reader, entry, library.dims);
      if (std::optional<Dim> other = library.given.find(entry.key))
        size = other;
      if (size)
        bindings.dims.insert_or_assign(entry.key, *size);
    }
  if (values && reader.isMap(*values, "a map from inputs to numbers, such as {sr: 16000}"))
    for (const YamlEntry &entry : values->entries) {
      llvm::StringRef text = entry.value.text;
      if (text.ends_with(".npy") || text.ends_with(".pb"))
        bindings.valueFiles[entry.key] = resolvePath(text.str(), reader.file);
      else if (auto number = reader.real(entry.value, "input '" + entry.key +
                                                          "', or the path of a .npy or .pb file"))
        bindings.values[entry.key] = *number;
    }
}

Located<std::string> beginGraph(const SpecReader &reader, const Fields &fields,
                                LibraryDims &library) {
  Located<std::string> name;
  if (const YamlNode *node = fields.find("name"))
    if (auto read = readName(reader, *node, "a graph", NameUse::c))
      name = *read;
  library.given.beginGraph(name.value);
  return name;
}

std::optional<GraphSpec> readModelGraph(const SpecReader &reader, const YamlNode &node,
                                        LibraryDims &library) {
  Fields fields(reader, node, "a graph with 'onnx'",
                {{"name", Kind::required, ""},
                 {"onnx", Kind::required, ""},
                 {"dims", Kind::optional, ""},
                 {"values", Kind::optional, ""},
                 {"compute", Kind::optional, ""},
                 {"accumulate", Kind::optional, ""},
                 {"activations", Kind::optional, ""},
                 {"winograd", Kind::optional, ""},
                 {"run_on", Kind::optional, ""},
                 {"versions", Kind::optional, ""},
                 {"budgets", Kind::optional, ""}},
                "inputs, nodes and outputs are those of the model");
  GraphSpec graph;
  graph.name = beginGraph(reader, fields, library);
  ModelSource &model = graph.model.emplace();
  if (const YamlNode *path = fields.find("onnx"))
    if (auto text = reader.text(*path, "the path of an ONNX model")) {
      if (!llvm::StringRef(text->value).ends_with(".onnx"))
        reader.expected(*path, "the path of a model, which ends in .onnx");
      model.path = *text;
    }
  readBindings(reader, fields.find("dims"), fields.find("values"), library, model.bindings);
  readArithmetic(reader, fields, graph);
  if (graph.name.value.empty())
    return std::nullopt;
  return graph;
}

/// Sizes of a function's dimensions: those of the graph, else those of the library.
static void readSizes(const SpecReader &reader, const YamlNode *sizes, LibraryDims &library,
                      GraphSpec &graph) {
  ModelSource &model = *graph.model;
  readBindings(reader, sizes, nullptr, library, model.bindings);
  if (sizes)
    for (const YamlEntry &entry : sizes->entries)
      model.ownDims.push_back({entry.key, reader.at(entry.keyMark)});
  graph.dims = library.dims.symbols();
  for (const auto &[name, size] : library.dims.sizes())
    model.bindings.dims.try_emplace(name, size);
}

std::optional<GraphSpec> readMlirGraph(const SpecReader &reader, const YamlNode &node,
                                       LibraryDims &library) {
  Fields fields(reader, node, "a graph with 'mlir'",
                {{"name", Kind::required, ""},
                 {"mlir", Kind::required, ""},
                 {"function", Kind::optional, ""},
                 {"dims", Kind::optional, ""},
                 {"compute", Kind::optional, ""},
                 {"accumulate", Kind::optional, ""},
                 {"activations", Kind::optional, ""},
                 {"winograd", Kind::optional, ""},
                 {"run_on", Kind::optional, ""},
                 {"versions", Kind::optional, ""},
                 {"budgets", Kind::optional, ""}},
                "inputs, nodes and outputs are those of the function");
  GraphSpec graph;
  graph.name = beginGraph(reader, fields, library);
  ModelSource &model = graph.model.emplace();
  model.kind = ModelSource::Kind::mlir;
  if (const YamlNode *path = fields.find("mlir"))
    if (auto text = reader.text(*path, "the path of an MLIR file"))
      model.path = *text;
  if (const YamlNode *function = fields.find("function"))
    if (auto text = reader.text(*function, "the name of a function"))
      model.function = *text;
  readSizes(reader, fields.find("dims"), library, graph);
  readArithmetic(reader, fields, graph);
  if (graph.name.value.empty())
    return std::nullopt;
  return graph;
}

} // namespace kgen
