// From what was written to a typed graph: names are resolved, weights loaded, nodes sorted and
// their types inferred.
#include "graph/GraphParts.h"
#include "graph/NameTable.h"

#include "spec/TensorLimits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

namespace kgen {
namespace {

class Builder {
public:
  Builder(const GraphSpec &spec, const OperatorTable &operators, Diagnostics &diagnostics)
      : spec(spec), operators(operators), diagnostics(diagnostics), names(spec, diagnostics) {}

  std::optional<Graph> build() {
    size_t before = diagnostics.errors().size();
    graph.name = spec.name.value;
    graph.compute = spec.compute;
    graph.accumulate = spec.accumulate.value;
    graph.winograd = spec.winograd.value;
    NodeDependencies dependencies = names.resolve();
    auto order = topologicalOrder(spec.nodes, dependencies, diagnostics);
    addInputsAndWeights();
    if (order) {
      for (size_t node : *order)
        addNode(spec.nodes[node]);
    } else {
      for (const NodeSpec &node : spec.nodes)
        checkedOperator(node);
    }
    checkQuantizedWeights(graph, diagnostics);
    if (diagnostics.errors().size() == before) {
      checkAccumulation();
      checkWinograd();
    }
    if (diagnostics.errors().size() != before)
      return std::nullopt;
    for (const auto &output : spec.outputs)
      graph.outputs.push_back(names.find(output.value)->value);
    foldScales(graph, operators, diagnostics);
    return std::move(graph);
  }

private:
  ValueId addValue(const std::string &name, const TensorType &type, ValueKind kind,
                   const Location &where, WeightData data = nullptr) {
    graph.values.push_back({name, type, kind, where, std::move(data), std::nullopt});
    return static_cast<ValueId>(graph.values.size() - 1);
  }

  void addInputsAndWeights() {
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      const TensorSpec &input = spec.inputs[i];
      ValueId value =
          addValue(input.name.value, input.type.value, ValueKind::input, input.name.where);
      graph.inputs.push_back(value);
      if (Definition *definition = names.own(input.name.value, ValueKind::input, i))
        definition->value = value;
    }
    for (size_t i = 0; i < spec.weights.size(); ++i) {
      const WeightSpec &weight = spec.weights[i];
      WeightData data = loadWeight(weight, diagnostics);
      ValueId value = addValue(weight.name.value, weight.type.value, ValueKind::weight,
                               weight.name.where, data);
      graph.values[value].quantize = weight.quantize;
      if (Definition *definition = names.own(weight.name.value, ValueKind::weight, i);
          definition && data)
        definition->value = value;
    }
  }

  /// The operator, if it exists and takes that many inputs and outputs; otherwise the reason is
  /// reported.
  const Operator *checkedOperator(const NodeSpec &node) {
    const Operator *op = operators.find(node.op.value);
    if (!op) {
      diagnostics.error(node.op.where,
                        "unknown operator '" + node.op.value + "'" +
                            didYouMean(node.op.value, operators.names()),
                        "`kgen ops` lists the operators");
      return nullptr;
    }
    bool good = checkArity(node, *op);
    std::map<std::string, AttributeValue> &attributes = attributesOf[&node];
    return checkAttributes(node, *op, attributes, diagnostics) && good ? op : nullptr;
  }

  bool checkArity(const NodeSpec &node, const Operator &op) {
    bool good = true;
    auto fail = [&](std::string message) {
      diagnostics.error(node.op.where, "operator " + op.name + std::move(message));
      good = false;
    };
    size_t count = node.inputs.size();
    if (count < op.minInputs || count > op.maxInputs)
      fail(" takes " + arityText(op) + ", found " + std::to_string(count));
    for (size_t i = 0; i < std::min(count, op.minInputs); ++i)
      if (node.inputs[i].value.empty())
        fail(" needs its input " + std::to_string(i + 1) + ": \"\" skips optional inputs only");
    size_t results = node.outputs.size(), required = op.outputs - op.optionalOutputs;
    if (results > op.outputs || results < required)
      fail(" has " + resultsText(op) + ", found " + std::to_string(results) + " names");
    return good;
  }

  static std::string resultsText(const Operator &op) {
    size_t minOutputs = std::max<size_t>(1, op.outputs - op.optionalOutputs);
    std::string text = op.optionalOutputs == 0 ? "" : std::to_string(minOutputs) + " to ";
    return text + std::to_string(op.outputs) + (op.outputs == 1 ? " result" : " results");
  }

  static std::string arityText(const Operator &op) {
    std::string text = std::to_string(op.minInputs);
    if (op.maxInputs == operatorUnlimited)
      text += " or more";
    else if (op.maxInputs != op.minInputs)
      text += " to " + std::to_string(op.maxInputs);
    return text + (op.maxInputs == 1 ? " input" : " inputs");
  }

  /// The node's values, or nothing if one of them could not be made: that was reported where it
  /// happened.
  std::optional<std::vector<ValueId>> inputValues(const NodeSpec &spec) {
    std::vector<ValueId> values;
    for (const auto &input : spec.inputs) {
      if (input.value.empty()) {
        values.push_back(noValue);
        continue;
      }
      const Definition *definition = names.find(input.value);
      if (!definition || definition->value == noValue)
        return std::nullopt;
      values.push_back(definition->value);
    }
    return values;
  }

  bool checkElementType(const InferenceContext &context, const Operator &op) {
    if (op.types.empty() || !context.hasInput(op.mainInput) ||
        llvm::is_contained(op.types, context.input(op.mainInput).element))
      return true;
    std::string allowed;
    for (ElementType type : op.types)
      allowed += (allowed.empty() ? "" : ", ") + std::string(toString(type));
    context.error("expected an element type of " + allowed + ", found " +
                  std::string(toString(context.input(op.mainInput).element)));
    return false;
  }

  /// Whether the node multiplies elements of f16, or of f32 that are rounded to it.
  bool multipliesHalves(const Node &node) {
    for (size_t i = 0; i < node.op->factors; ++i) {
      const GraphValue &value = graph.values[node.inputs[i]];
      bool isRounded = graph.compute == ElementType::f16 &&
                       value.type.element == ElementType::f32 && !value.quantize;
      if (value.type.element != ElementType::f16 && !isRounded)
        return false;
    }
    return node.op->factors > 0;
  }

  /// `accumulate: f16` in a graph that has nothing to accumulate in f16.
  void checkAccumulation() {
    if (graph.accumulate != ElementType::f16 ||
        llvm::any_of(graph.nodes, [&](const Node &node) { return multipliesHalves(node); }))
      return;
    diagnostics.error(spec.accumulate.where,
                      "'accumulate: f16' says how products of f16 are added up, but no node of "
                      "graph '" +
                          graph.name + "' multiplies matrices of f16",
                      "'compute: f16' rounds the operands of products of f32 to f16");
  }

  /// `winograd` in a graph that has nothing to compute in tiles.
  void checkWinograd() {
    auto hasTiles = [&](const Node &node) {
      return node.op->hasTiles && node.op->hasTiles(InferenceContext(graph, node, diagnostics));
    };
    if (graph.winograd == 0 || llvm::any_of(graph.nodes, hasTiles))
      return;
    diagnostics.error(spec.winograd.where,
                      "'winograd' says how convolutions may be computed, but no node of graph '" +
                          graph.name + "' is one that it is about",
                      "that is a Conv of f32 with weights of 3 x 3 as its filters, without groups, "
                      "strides and dilations, in a graph without 'compute'");
  }

  /// Weights that `compute: f16` would make infinite.
  bool checkFactors(const InferenceContext &context, const Operator &op) {
    bool good = true;
    size_t count = std::min(op.factors, context.inputCount());
    for (size_t i = 0; i < count && graph.compute == ElementType::f16; ++i) {
      const GraphValue &value = graph.values[context.node.inputs[i]];
      std::optional<float> number = exceedsF16(value);
      if (!number)
        continue;
      context.error("with 'compute: f16', the weight '" + value.name +
                        "' is rounded to f16, where " + std::to_string(*number) +
                        " would become infinite",
                    "'compute: bf16' has the range of f32");
      good = false;
    }
    return good;
  }

  /// A finite element that rounds to infinity, of a weight of f32.
  static std::optional<float> exceedsF16(const GraphValue &value) {
    if (value.kind != ValueKind::weight || value.type.element != ElementType::f32)
      return std::nullopt;
    for (size_t at = 0; at < value.data->size(); at += sizeof(float)) {
      float number;
      std::memcpy(&number, value.data->data() + at, sizeof number);
      if (std::fabs(number) >= 65520.0f && std::isfinite(number))
        return number;
    }
    return std::nullopt;
  }

  void addNode(const NodeSpec &nodeSpec) {
    const Operator *op = checkedOperator(nodeSpec);
    auto inputs = inputValues(nodeSpec);
    if (!op || !inputs)
      return;
    Node node{nodeSpec.name.value,
              op,
              std::move(*inputs),
              std::vector<ValueId>(nodeSpec.outputs.size(), noValue),
              std::move(attributesOf[&nodeSpec]),
              nodeSpec.op.where};
    InferenceContext context(graph, node, diagnostics);
    if (!checkElementType(context, *op) || !checkFactors(context, *op))
      return;
    size_t before = diagnostics.errors().size();
    std::vector<TensorType> types = op->infer(context);
    if (types.size() < nodeSpec.outputs.size()) {
      assert(diagnostics.errors().size() != before && "inference failed without an error");
      if (diagnostics.errors().size() == before)
        context.error("internal error: no types were inferred");
      return;
    }
    if (!checkSizes(context, types))
      return;
    std::vector<WeightData> known;
    if (op->fold)
      known = op->fold(context, types);
    for (size_t i = 0; i < nodeSpec.outputs.size(); ++i)
      addResult(nodeSpec, i, types[i], node, known.empty() ? nullptr : known[i]);
    if (known.empty())
      graph.nodes.push_back(std::move(node));
  }

  /// Broadcasting can make small tensors large.
  bool checkSizes(const InferenceContext &context, const std::vector<TensorType> &types) {
    for (const TensorType &type : types)
      if (!boundedByteCount(type, maxTensorBytes)) {
        context.error("its result of type " + type.str() + " would be larger than 1 TiB");
        return false;
      }
    return true;
  }

  /// `known`: the elements, if they are; the result is a weight then. A skipped result that is not
  /// optional is one that nobody reads.
  void addResult(const NodeSpec &nodeSpec, size_t i, const TensorType &type, Node &node,
                 WeightData known) {
    const auto &name = nodeSpec.outputs[i];
    bool isSkipped = name.value.empty();
    if (isSkipped && (known || i + node.op->optionalOutputs >= node.op->outputs))
      return;
    ValueKind kind = known ? ValueKind::weight : ValueKind::result;
    ValueId value =
        addValue(isSkipped ? nodeSpec.name.value + "." + std::to_string(i + 1) : name.value, type,
                 kind, name.where, std::move(known));
    node.outputs[i] = value;
    size_t index = static_cast<size_t>(&nodeSpec - spec.nodes.data());
    Definition *definition = names.own(name.value, ValueKind::result, index, i);
    if (definition)
      definition->value = value;
  }

  const GraphSpec &spec;
  const OperatorTable &operators;
  Diagnostics &diagnostics;
  Graph graph;
  NameTable names;
  std::map<const NodeSpec *, std::map<std::string, AttributeValue>> attributesOf;
};
} // namespace

std::optional<Graph> buildGraph(const GraphSpec &spec, const OperatorTable &operators,
                                Diagnostics &diagnostics) {
  return Builder(spec, operators, diagnostics).build();
}

} // namespace kgen
