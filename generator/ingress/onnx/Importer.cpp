#include "ingress/onnx/Importer.h"

#include "ingress/onnx/Converters.h"
#include "ingress/onnx/FinishGraph.h"
#include "ingress/onnx/NodeOrder.h"
#include "spec/Yaml.h"
#include "support/TensorLimits.h"
#include "support/WorkTrace.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSet.h>

namespace kgen::onnx {
namespace {

/// Subgraphs and functions within each other.
constexpr size_t maxDepth = 64;
/// Nodes of branches, and those that unrolling and inlining may add: a graph of more takes hours to
/// compile.
constexpr size_t maxSpentNodes = 100000;
/// Bytes of the nodes that are added so, beyond eight times those of the model.
constexpr size_t maxSpentBytes = size_t(256) << 20;
std::string functionKey(const std::string &domain, const std::string &name,
                        const std::string &overload) {
  return (domain == "ai.onnx" ? "" : domain) + "\n" + name + "\n" + overload;
}

} // namespace

std::string domainOf(const NodeProto &node) {
  return node.domain() == "ai.onnx" ? "" : node.domain();
}

std::string nameOf(const NodeProto &node) {
  return !node.name().empty()      ? node.name()
         : node.output_size() != 0 ? node.output(0)
                                   : node.op_type();
}

Importer::Importer(Model &model, const ImportOptions &options, const OperatorTable &operators,
                   Diagnostics &diagnostics)
    : model(model), options(options), operators(operators), diagnostics(diagnostics),
      builder(options.settings, operators, nodeDiagnostics),
      modelBytes(model.proto.ByteSizeLong()) {
  builder.countPreset(static_cast<int64_t>(modelBytes));
}

SourceLoc Importer::locationOf(const NodeProto &node) const {
  return {model.path, 0, 0, nameOf(node)};
}

std::string quoteName(const std::string &name) { return quoteText(name, maxShownName); }

void Importer::readOpsets() {
  for (const OperatorSetIdProto &opset : model.proto.opset_import())
    opsets[opset.domain() == "ai.onnx" ? "" : opset.domain()] = opset.version();
}

void Importer::readFunctions() {
  for (const FunctionProto &function : model.proto.functions())
    functions[functionKey(function.domain(), function.name(), function.overload())] = &function;
}

bool Importer::spend(const NodeProto &node, size_t nodes, size_t bytes) {
  spentNodes += nodes;
  spentBytes += bytes;
  if (spentNodes > maxSpentNodes && !gaveUp)
    refuse(node, "unrolled loops, branches and inlined functions make more than " +
                     std::to_string(maxSpentNodes) + " nodes");
  bool isLarge = spentBytes > maxSpentBytes + 8 * modelBytes;
  if (isLarge && !gaveUp)
    refuse(node, "unrolled loops, inlined functions and sequences make more than 256 MiB");
  gaveUp = gaveUp || spentNodes > maxSpentNodes || isLarge;
  return !gaveUp;
}

bool Importer::mayMake(const NodeProto &proto, int64_t bytes) {
  if (builder.mayMake(bytes))
    return true;
  refuse(proto, "the constants that it makes are larger than 64 MiB and eight times the weights");
  return false;
}

std::vector<ValueId> Importer::addNode(const NodeProto &proto, const NodeDescription &node) {
  size_t before = nodeDiagnostics.errors().size();
  NodeDescription located = node;
  located.name.where = located.op.where = locationOf(proto);
  for (auto &output : located.outputs)
    output.where = located.op.where;
  std::vector<ValueId> results = builder.addNode(located);
  // The report has operator and node already: "Conv 'y': " is left out.
  for (size_t i = before; i < nodeDiagnostics.errors().size(); ++i) {
    llvm::StringRef message = nodeDiagnostics.errors()[i].message;
    if (message.starts_with(node.op.value + " '"))
      message = message.drop_front(std::min(message.find("': "), message.size() - 3) + 3);
    refuse(proto, message.str());
  }
  return results;
}

ValueId Importer::addWeight(const std::string &name, const TensorType &type, WeightData data) {
  ValueId value = builder.addWeight({name, {model.path, 0, 0}}, type, std::move(data));
  names[value] = name;
  return value;
}

ValueId Importer::addMadeWeight(const NodeProto &proto, const std::string &name,
                                const TensorType &type, WeightData data) {
  if (!mayMake(proto, type.byteCount()))
    return brokenValue;
  ValueId value = builder.addMadeWeight({name, {model.path, 0, 0}}, type, std::move(data));
  names[value] = name;
  return value;
}

ValueId Importer::importTensor(const TensorProto &tensor, const std::string &name,
                               const NodeProto *node) {
  std::string problem;
  NodeProto initializer;
  initializer.set_op_type("initializer");
  initializer.set_name(name);
  const NodeProto &owner = node ? *node : initializer;
  if (std::optional<ModelTensor> read = readTensor(tensor, model, problem))
    return depth == 0 ? addWeight(name, read->type, read->data)
                      : addMadeWeight(owner, name, read->type, read->data);
  refuse(owner, problem);
  return brokenValue;
}

void Importer::importInitializers(const GraphProto &graph, Scope &scope) {
  for (const TensorProto &tensor : graph.initializer())
    if (scope.defines(tensor.name()))
      diagnostics.error({model.path, 0, 0},
                        "two initializers have the name " + quoteName(tensor.name()));
    else
      scope.define(tensor.name(),
                   ImportedValue::from(importTensor(tensor, tensor.name(), nullptr)));
  for (const SparseTensorProto &tensor : graph.sparse_initializer()) {
    NodeProto initializer;
    initializer.set_op_type("sparse initializer");
    initializer.set_name(tensor.values().name());
    refuse(initializer, "kgen has no sparse tensors");
    scope.define(tensor.values().name(), ImportedValue::from(brokenValue));
  }
}

void Importer::importNodes(const google::protobuf::RepeatedPtrField<NodeProto> &nodes,
                           Scope &scope) {
  NodeOrder order = inOrder(nodes);
  for (const NodeProto *node : order.nodes)
    importNode(*node, scope);
  if (order.cycle.empty())
    return;
  // A result that has the name of an input hides it: what reads the input then waits for the
  // result.
  bool hides = false;
  for (const NodeProto *node : order.cycle)
    hides |= !checkNewNames(*node, scope);
  std::string names;
  for (const NodeProto *node : order.cycle)
    names += quoteName(nameOf(*node)) + " -> ";
  if (!hides)
    refuse(*order.cycle.front(), "its nodes form a cycle, and none can be the first: " + names +
                                     quoteName(nameOf(*order.cycle.front())) +
                                     "; expected each to read results of earlier ones");
  for (const NodeProto &node : nodes) // those that wait are not to blame
    for (const std::string &output : node.output())
      if (!output.empty() && !scope.defines(output))
        scope.define(output, ImportedValue::from(brokenValue));
}

/// Every name has one value.
bool Importer::checkNewNames(const NodeProto &node, const Scope &scope) {
  bool good = true;
  for (int i = 0; i < node.output_size(); ++i) {
    const std::string &name = node.output(i);
    bool isTwice = !name.empty() && std::find(node.output().begin(), node.output().begin() + i,
                                              name) != node.output().begin() + i;
    if (!isTwice && (name.empty() || !scope.defines(name)))
      continue;
    refuse(node, "its result " + quoteName(name) + " has the name of another value");
    good = false;
  }
  return good;
}

void Importer::importNode(const NodeProto &node, Scope &scope) {
  const SourceLoc where = locationOf(node);
  NodeTrace trace(node.op_type(), where.node, where);
  bool hadRefusals = !refusals.empty();
  auto breakResults = [&] {
    for (const std::string &output : node.output()) {
      if (output.empty() || scope.defines(output))
        continue;
      if (!hadRefusals && refusals.empty() && !gaveUp)
        refuse(node, "nothing computes its result " + quoteName(output));
      scope.define(output, ImportedValue::from(brokenValue));
    }
  };
  auto isWanted = [](const std::string &output) { return !output.empty(); };
  if (gaveUp || !checkNewNames(node, scope))
    return breakResults();
  if (llvm::none_of(node.output(), isWanted))
    return; // nobody can read what it computes
  if (const ExternChoice *choice = externFor(node)) {
    importExtern(node, *choice, scope);
    return breakResults();
  }
  std::string domain = domainOf(node);
  auto function = functions.find(functionKey(domain, node.op_type(), node.overload()));
  if (function != functions.end()) {
    importFunction(node, *function->second, scope);
    return breakResults();
  }
  auto opset = opsets.find(domain);
  NodeImport view(*this, node, scope, opset == opsets.end() ? 1 : opset->second);
  Converter converter = findConverter(domain, node.op_type());
  if (!converter && domain.empty() && operators.find(node.op_type()))
    converter = convertSameName;
  if (converter && !view.isBroken())
    converter(view);
  else if (!converter) {
    if (!missing)
      missing = node;
    refuse(node, isKnownDomain(domain) ? "kgen has no such operator"
                                       : "kgen has no operators of this domain, and the model has "
                                         "no function of that name");
  }
  breakResults();
}

/// Returns what messages about a result of a graph call it.
static NodeProto placeOfOutput(const std::string &name) {
  NodeProto place;
  place.set_op_type("output");
  place.set_name(name);
  return place;
}

std::vector<ImportedValue> Importer::importSubgraph(const GraphProto &graph, const Scope &outer,
                                                    const std::vector<ImportedValue> &inputs) {
  Scope inner(&outer);
  for (size_t i = 0; i < inputs.size() && i < size_t(graph.input_size()); ++i)
    inner.define(graph.input(int(i)).name(), inputs[i]);
  std::vector<ImportedValue> results;
  if (depth == maxDepth) {
    NodeProto place;
    place.set_op_type("subgraph");
    place.set_name(graph.name());
    refuse(place,
           "subgraphs and functions are nested more than " + std::to_string(maxDepth) + " deep");
    results.resize(size_t(graph.output_size()), ImportedValue::from(brokenValue));
    return results;
  }
  ++depth;
  importInitializers(graph, inner);
  importNodes(graph.node(), inner);
  --depth;
  for (const ValueInfoProto &output : graph.output()) {
    const ImportedValue *value = inner.find(output.name());
    if (!value)
      refuse(placeOfOutput(output.name()), "nothing in the subgraph " + quoteName(graph.name()) +
                                               " or outside of it has this name");
    results.push_back(value ? *value : ImportedValue::from(brokenValue));
  }
  return results;
}

/// The function's nodes in place of the call.
void Importer::importFunction(const NodeProto &node, const FunctionProto &function, Scope &scope) {
  if (depth == maxDepth)
    return refuse(node, "subgraphs and functions are nested more than " + std::to_string(maxDepth) +
                            " deep");
  Scope inner;
  ValueId firstOwn = valueCount();
  for (int i = 0; i < function.input_size(); ++i) {
    bool isGiven = i < node.input_size() && !node.input(i).empty();
    const ImportedValue *value = isGiven ? scope.find(node.input(i)) : nullptr;
    if (isGiven && !value)
      refuse(node, "nothing in the model has the name of its input " + quoteName(node.input(i)));
    inner.define(function.input(i), value     ? *value
                                    : isGiven ? ImportedValue::from(brokenValue)
                                              : ImportedValue{});
  }
  Opsets own;
  for (const OperatorSetIdProto &opset : function.opset_import())
    own[opset.domain() == "ai.onnx" ? "" : opset.domain()] = opset.version();
  std::swap(opsets, own);
  ++depth;
  size_t bytes = node.ByteSizeLong() + function.ByteSizeLong();
  if (spend(node, static_cast<size_t>(function.node_size()) + 1, bytes))
    for (const NodeProto *each : inOrder(function.node()).nodes)
      importNode(withAttributes(*each, node, function), inner);
  --depth;
  std::swap(opsets, own);
  for (int i = 0; i < function.output_size() && i < node.output_size(); ++i)
    if (const ImportedValue *value = inner.find(function.output(i));
        value && !node.output(i).empty()) {
      scope.define(node.output(i), *value);
      if (value->kind == ImportedValue::Kind::tensor && value->tensor < brokenValue &&
          value->tensor >= firstOwn)
        setName(value->tensor, node.output(i));
    }
}

/// The value of a result. Each is a result of a node that no other result is: a copy if necessary.
ValueId Importer::importOutput(const std::string &name, std::vector<ValueId> &outputs) {
  const ImportedValue *value = scope.find(name);
  NodeProto output = placeOfOutput(name);
  if (!value)
    refuse(output, "nothing in the model has this name");
  else if (value->kind != ImportedValue::Kind::tensor)
    refuse(output, "it is a sequence or an optional: results of kgen's functions are tensors");
  else if (value->tensor >= brokenValue && !hasRefusals() && !gaveUp)
    refuse(output, "nothing computes it");
  if (!value || value->kind != ImportedValue::Kind::tensor || value->tensor >= brokenValue)
    return brokenValue;
  ValueId tensor = value->tensor;
  if (valueOf(tensor).kind == ValueKind::sizes) {
    refuse(output,
           "it consists of sizes that are known at run time only, and code does not compute "
           "with those");
    return brokenValue;
  }
  if (valueOf(tensor).kind == ValueKind::result && !llvm::is_contained(outputs, tensor)) {
    names[tensor] = name;
    return tensor;
  }
  NodeDescription copy{{name, {}}, {"Identity", {}}, {tensor}, {{name, {}}}, {}};
  ValueId copied = addNode(output, copy).front();
  if (copied != brokenValue)
    names[copied] = name;
  return copied;
}

std::vector<ValueId> Importer::importOutputs() {
  std::vector<ValueId> outputs;
  for (const ValueInfoProto &output : model.proto.graph().output())
    outputs.push_back(importOutput(output.name(), outputs));
  return outputs;
}

std::optional<ImportedModel> Importer::run() {
  readOpsets();
  readFunctions();
  importInitializers(model.proto.graph(), scope);
  importInputs();
  reportUnbound();
  reportUnusedOptions();
  if (diagnostics.hasErrors())
    return std::nullopt;
  importNodes(model.proto.graph().node(), scope);
  reportUnusedExterns();
  std::vector<ValueId> outputs = importOutputs();
  if (outputs.empty())
    diagnostics.error({model.path, 0, 0}, "the model has no outputs");
  reportRefusals();
  if (diagnostics.hasErrors())
    return std::nullopt;
  std::optional<Graph> graph = builder.finish(std::move(outputs));
  if (!graph)
    return std::nullopt;
  ImportedModel result;
  result.graph =
      finishGraph(*graph, {names, options.library, model.path}, result.originalNames, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  llvm::StringSet<> initialized;
  for (const TensorProto &tensor : model.proto.graph().initializer())
    initialized.insert(tensor.name());
  for (const ValueInfoProto &input : model.proto.graph().input())
    if (!initialized.contains(input.name()))
      result.inputs.push_back(input.name());
  result.files = model.files;
  return result;
}

} // namespace kgen::onnx
