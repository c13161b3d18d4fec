// From what was written to a typed graph: names are resolved, weights loaded, nodes sorted.
#include "ingress/yaml/BuildGraph.h"

#include "graph/GraphBuilder.h"
#include "ingress/yaml/NameTable.h"
#include "spec/Weights.h"

#include <llvm/ADT/STLExtras.h>

#include <numeric>

namespace kgen {
namespace {

/// One element may stand for all.
std::vector<Dim> allSizes(const WeightSpec &weight) {
  std::vector<Dim> sizes = std::get<WeightFromValue>(weight.source).sizes;
  const auto count = static_cast<size_t>(weight.type.value.elementCount());
  if (sizes.size() != count)
    sizes.assign(count, sizes.front());
  return sizes;
}

class Builder {
public:
  Builder(const GraphSpec &spec, const OperatorTable &operators, Diagnostics &diagnostics)
      : spec(spec), operators(operators), diagnostics(diagnostics), names(spec, diagnostics),
        graph(settingsOf(spec), operators, diagnostics) {}

  std::optional<Graph> build() {
    size_t before = diagnostics.errors().size();
    NodeDependencies dependencies = names.resolve();
    auto order = topologicalOrder(spec.nodes, dependencies, diagnostics);
    addInputsAndWeights();
    if (!order) { // no node of a cycle finds its inputs; what else is wrong is reported
      order.emplace(spec.nodes.size());
      std::iota(order->begin(), order->end(), size_t(0));
    }
    for (size_t node : *order)
      addNode(node);
    if (diagnostics.errors().size() != before) {
      graph.finish({}, spec.accumulate.where, spec.winograd.where); // for what else is wrong
      return std::nullopt;
    }
    std::vector<ValueId> outputs;
    for (const auto &output : spec.outputs)
      outputs.push_back(names.find(output.value)->value);
    addUpdates(outputs);
    std::optional<Graph> built =
        graph.finish(std::move(outputs), spec.accumulate.where, spec.winograd.where);
    if (built)
      foldScales(*built, operators, diagnostics);
    if (built)
      built->states = std::move(states);
    return built;
  }

private:
  void addInputsAndWeights() {
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      const TensorSpec &input = spec.inputs[i];
      ValueId value = graph.addInput(input.name, input.type.value, input.dimNames);
      if (Definition *definition = names.own(input.name.value, ValueKind::input, i))
        definition->value = value;
    }
    addStates();
    for (size_t i = 0; i < spec.weights.size(); ++i) {
      const WeightSpec &weight = spec.weights[i];
      const auto *written = std::get_if<WeightFromValue>(&weight.source);
      ValueId value = written && !written->sizes.empty()
                          ? graph.addSizes(weight.name, weight.type.value, allSizes(weight))
                          : graph.addWeight(weight.name, weight.type.value,
                                            weights.load(weight, diagnostics), weight.quantize);
      if (Definition *definition = names.own(weight.name.value, ValueKind::weight, i);
          definition && value != brokenValue)
        definition->value = value;
    }
  }

  /// Those that the graph reads, or that hold a size of it, are inputs, after all others.
  void addStates() {
    size_t next = spec.inputs.size();
    for (size_t i = 0; i < spec.states.size(); ++i) {
      const StateSpec &state = spec.states[i];
      Definition *definition =
          names.own(state.name.value, ValueKind::input, spec.inputs.size() + i);
      bool isUpdated = llvm::any_of(spec.updates, [&](const StateUpdate &update) {
        return update.state.value == state.name.value;
      });
      GraphState made{state.name.value, {}, {}};
      if (definition && (definition->used || spec.sizeStates.count(state.name.value))) {
        definition->value = graph.addInput(state.name, state.type.value);
        made.input = next++;
      }
      if (made.input || isUpdated)
        states.push_back(std::move(made));
    }
  }

  /// The values that states get are outputs, after all others: each is a value of its own.
  void addUpdates(std::vector<ValueId> &outputs) {
    for (GraphState &state : states)
      for (const StateUpdate &update : spec.updates) {
        if (update.state.value != state.name)
          continue;
        state.output = outputs.size();
        outputs.push_back(updatedValue(update, outputs));
      }
  }

  ValueId updatedValue(const StateUpdate &update, const std::vector<ValueId> &outputs) {
    const Definition &definition = *names.find(update.value.value);
    ValueId value = definition.value;
    const TensorType &found = graph.current().values[value].type;
    for (const StateSpec &state : spec.states)
      if (state.name.value == update.state.value && state.type.value != found)
        diagnostics.error(update.value.where, "the state '" + update.state.value + "' is " +
                                                  state.type.value.str() + ", and '" +
                                                  update.value.value + "' is " + found.str());
    if (definition.kind == ValueKind::result && !llvm::is_contained(outputs, value))
      return value;
    std::string name = update.state.value + ".updated";
    return graph
        .addNode({{name, update.state.where},
                  {"Identity", update.state.where},
                  {value},
                  {{name, update.state.where}},
                  {}})
        .front();
  }

  ValueId inputValue(const std::string &name) {
    if (name.empty())
      return noValue;
    const Definition *definition = names.find(name);
    return !definition || definition->value == noValue ? brokenValue : definition->value;
  }

  void addNode(size_t index) {
    const NodeSpec &node = spec.nodes[index];
    NodeDescription description{node.name,     node.op,         {},
                                node.outputs,  node.attributes, node.schedule,
                                node.external, node.activations};
    for (const auto &input : node.inputs)
      description.inputs.push_back(inputValue(input.value));
    std::vector<ValueId> results = graph.addNode(description);
    for (size_t i = 0; i < results.size(); ++i)
      if (Definition *definition = names.own(node.outputs[i].value, ValueKind::result, index, i);
          definition && results[i] != brokenValue)
        definition->value = results[i];
  }

  const GraphSpec &spec;
  const OperatorTable &operators;
  Diagnostics &diagnostics;
  WeightLoader weights;
  NameTable names;
  GraphBuilder graph;
  std::vector<GraphState> states;
};
} // namespace

Graph settingsOf(const GraphSpec &spec) {
  Graph graph;
  graph.name = spec.name.value;
  graph.dims = spec.dims;
  graph.compute = spec.compute;
  graph.accumulate = spec.accumulate.value;
  graph.winograd = spec.winograd.value;
  graph.activations = spec.activations;
  return graph;
}

std::optional<Graph> buildGraph(const GraphSpec &spec, const OperatorTable &operators,
                                Diagnostics &diagnostics) {
  return Builder(spec, operators, diagnostics).build();
}

} // namespace kgen
