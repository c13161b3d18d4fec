#include "ingress/onnx/FinishGraph.h"

#include "graph/Operator.h"
#include "spec/Names.h"
#include "spec/WeightFiles.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <vector>

namespace kgen::onnx {
namespace {

/// Copies what results depend on. Ids change.
class Pruning {
public:
  explicit Pruning(const Graph &from) : from(from), newIds(from.values.size(), noValue) {}

  Graph run(std::vector<ValueId> &unusedInputs) {
    markLive();
    Graph to;
    to.name = from.name;
    to.compute = from.compute;
    to.accumulate = from.accumulate;
    to.winograd = from.winograd;
    for (ValueId input : from.inputs) {
      if (live[input])
        to.inputs.push_back(copy(to, input));
      else
        unusedInputs.push_back(input);
    }
    addDims(to);
    for (ValueId id = 0; id < from.values.size(); ++id)
      if (live[id] && newIds[id] == noValue)
        copy(to, id);
    for (size_t i = 0; i < from.nodes.size(); ++i)
      if (liveNodes[i])
        to.nodes.push_back(copied(from.nodes[i]));
    for (ValueId output : from.outputs)
      to.outputs.push_back(newIds[output]);
    return to;
  }

  const std::vector<ValueId> &ids() const { return newIds; }

private:
  void markLive() {
    live.assign(from.values.size(), false);
    liveNodes.assign(from.nodes.size(), false);
    for (ValueId output : from.outputs)
      live[output] = true;
    auto isLive = [&](ValueId id) { return id != noValue && live[id]; };
    for (size_t i = from.nodes.size(); i-- > 0;) {
      const Node &node = from.nodes[i];
      liveNodes[i] = llvm::any_of(node.outputs, isLive);
      if (!liveNodes[i])
        continue;
      for (ValueId input : node.inputs)
        if (input != noValue)
          live[input] = true;
      // The last ones may be skipped, and others cannot: they stay without a reader.
      const size_t required = node.external ? node.outputs.size() // parameters of a C function
                                            : node.op->outputs - node.op->optionalOutputs;
      for (size_t r = 0; r < required && r < node.outputs.size(); ++r)
        if (node.outputs[r] != noValue)
          live[node.outputs[r]] = true;
    }
  }

  /// The sizes that the function is given, in the order of the inputs that have them.
  static void addDims(Graph &graph) {
    for (ValueId input : graph.inputs)
      for (const Dim &dim : graph.values[input].type.shape.dims())
        for (const auto &entry : dim.symbols())
          if (llvm::none_of(graph.dims,
                            [&](const auto &known) { return known->name == entry.first; }))
            graph.dims.push_back(entry.second);
  }

  ValueId copy(Graph &to, ValueId id) {
    to.values.push_back(from.values[id]);
    return newIds[id] = static_cast<ValueId>(to.values.size() - 1);
  }

  Node copied(Node node) const {
    for (std::vector<ValueId> *list : {&node.inputs, &node.outputs})
      for (ValueId &id : *list)
        if (id != noValue)
          id = newIds[id];
    return node;
  }

  const Graph &from;
  std::vector<ValueId> newIds;
  std::vector<bool> live, liveNodes;
};

} // namespace

/// Each size is that of an input, by which a caller knows it.
static void checkDims(const Graph &graph, const std::string &path, Diagnostics &diagnostics) {
  std::set<std::string> known;
  for (const std::shared_ptr<const DimSymbol> &symbol : graph.dims)
    known.insert(symbol->name);
  for (const GraphValue &value : graph.values) {
    std::vector<Dim> dims = value.type.shape.dims();
    dims.insert(dims.end(), value.sizes.begin(), value.sizes.end());
    for (const Dim &dim : dims)
      for (const auto &[name, symbol] : dim.symbols())
        if (known.insert(name).second)
          diagnostics.error({path, 0, 0},
                            "'" + name + "' is a size of no input that results depend on",
                            "give it a number: --dim " + name + "=N");
  }
}

/// Parameters of an extern function are called like the values of the first call.
static void nameParameters(const Graph &graph, Node &node) {
  if (!node.external)
    return;
  for (auto [names, values] : {std::pair(&node.external->inputNames, &node.inputs),
                               std::pair(&node.external->outputNames, &node.outputs)})
    for (size_t i = 0; i < values->size(); ++i)
      (*names)[i] = graph.values[(*values)[i]].name;
}

/// The length of what the names of all values but parameters begin with, up to a word's end: names
/// of a branch that was chosen, or of a function, say nothing by it. 0 where they are few, or it is
/// short.
static size_t commonPrefix(const Graph &graph, const std::vector<std::string> &names) {
  constexpr size_t fewNames = 16, shortPrefix = 8;
  std::set<ValueId> parameters(graph.inputs.begin(), graph.inputs.end());
  parameters.insert(graph.outputs.begin(), graph.outputs.end());
  std::optional<llvm::StringRef> prefix;
  size_t count = 0;
  for (ValueId id = 0; id < names.size(); ++id) {
    if (parameters.count(id))
      continue;
    ++count;
    const llvm::StringRef name = names[id];
    size_t same = 0;
    while (prefix && same < prefix->size() && same < name.size() && (*prefix)[same] == name[same])
      ++same;
    prefix = prefix ? prefix->take_front(same) : name;
  }
  if (count < fewNames)
    return 0;
  const size_t length = prefix->find_last_of("_/.") + 1; // 0 without one
  auto beginsWord = [&](ValueId id) {
    return parameters.count(id) != 0 ||
           (names[id].size() > length && llvm::isAlpha(names[id][length]));
  };
  for (ValueId id = 0; id < names.size(); ++id)
    if (!beginsWord(id))
      return 0;
  return length < shortPrefix ? 0 : length;
}

Graph finishGraph(const Graph &graph, const NameSource &source,
                  std::map<std::string, std::string> &original, Diagnostics &diagnostics) {
  std::vector<ValueId> unused;
  Pruning pruning(graph);
  Graph result = pruning.run(unused);
  for (ValueId input : unused)
    diagnostics.warning({source.path, 0, 0}, "no result depends on the input '" +
                                                 graph.values[input].name +
                                                 "': the function does not take it");
  std::vector<std::string> wanted(result.values.size());
  for (ValueId id = 0; id < graph.values.size(); ++id)
    if (ValueId now = pruning.ids()[id]; now != noValue) {
      auto name = source.names.find(id);
      wanted[now] = name == source.names.end() ? graph.values[id].name : name->second;
    }
  checkDims(result, source.path, diagnostics);
  UniqueNames identifiers(source.library);
  for (const std::shared_ptr<const DimSymbol> &symbol : result.dims)
    if (identifiers.make(symbol->name, true) != symbol->name)
      diagnostics.error({source.path, 0, 0},
                        "dimension '" + symbol->name + "' has a name of the library's header",
                        "say another with --library NAME");
  const size_t prefix = commonPrefix(result, wanted);
  std::vector<bool> isNamed(result.values.size(), false);
  auto rename = [&](ValueId id, bool isParameter) {
    if (isNamed[id])
      return;
    isNamed[id] = true;
    result.values[id].name =
        identifiers.make(isParameter ? wanted[id] : wanted[id].substr(prefix), isParameter);
    if (result.values[id].name != wanted[id])
      original[result.values[id].name] = wanted[id];
  };
  // Parameters of the C function keep their names whatever else is called so.
  for (const std::vector<ValueId> *list : {&result.inputs, &result.outputs})
    for (ValueId id : *list)
      rename(id, true);
  for (ValueId id = 0; id < result.values.size(); ++id)
    rename(id, false);
  for (Node &node : result.nodes) {
    node.name = result.values[node.firstOutput()].name;
    nameParameters(result, node);
  }
  return result;
}

NodeProto withAttributes(const NodeProto &node, const NodeProto &call,
                         const FunctionProto &function) {
  NodeProto copy = node;
  copy.clear_attribute();
  auto value = [&](const std::string &name) -> const AttributeProto * {
    for (const AttributeProto &attribute : call.attribute())
      if (attribute.name() == name)
        return &attribute;
    for (const AttributeProto &attribute : function.attribute_proto())
      if (attribute.name() == name)
        return &attribute;
    return nullptr;
  };
  for (const AttributeProto &attribute : node.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      AttributeProto *own = copy.add_attribute();
      *own = attribute;
      for (NodeProto &inner : *own->mutable_g()->mutable_node())
        inner = withAttributes(inner, call, function);
      if (!attribute.has_g())
        own->clear_g();
    } else if (const AttributeProto *given = value(attribute.ref_attr_name())) {
      AttributeProto *own = copy.add_attribute();
      *own = *given;
      own->set_name(attribute.name());
    }
  }
  return copy;
}

/// The nearest whole number towards zero that the type of integers has; 0 for NaN.
static int64_t wholeNumberOf(double number, ElementType type) {
  if (std::isnan(number))
    return 0;
  auto bits = static_cast<int>(type == ElementType::boolean ? 1 : bitWidth(type));
  bool hasSign = !isUnsigned(type);
  // 2^63 and more are no int64_t.
  double end = std::min(std::ldexp(1.0, hasSign ? bits - 1 : bits), std::ldexp(1.0, 63));
  if (number >= end)
    return end < std::ldexp(1.0, 63) ? static_cast<int64_t>(end) - 1
                                     : std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::max(number, hasSign ? -end : 0.0));
}

WeightData filledData(const TensorType &type, double number) {
  std::vector<char> element;
  if (isFloat(type.element))
    appendFloat(element, type.element, number);
  else
    appendInteger(element, type.element, wholeNumberOf(number, type.element));
  std::vector<char> bytes;
  bytes.reserve(static_cast<size_t>(type.byteCount()));
  for (int64_t i = 0; i < type.elementCount(); ++i)
    bytes.insert(bytes.end(), element.begin(), element.end());
  return std::make_shared<const std::vector<char>>(std::move(bytes));
}

} // namespace kgen::onnx
