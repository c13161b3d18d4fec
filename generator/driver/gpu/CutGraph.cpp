#include "driver/gpu/CutGraph.h"

#include <llvm/ADT/STLExtras.h>

namespace kgen {
namespace {

/// Makes the parts of one graph.
class Cutter {
public:
  Cutter(const Graph &graph, const std::set<std::string> &onCpu,
         const std::set<std::string> &isTaken)
      : graph(graph), onCpu(onCpu), isTaken(isTaken), producers(graph.values.size(), notMade),
        step(graph.nodes.size(), 0), lastRead(graph.values.size(), 0) {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      for (ValueId id : graph.nodes[n].outputs)
        if (id != noValue)
          producers[id] = n;
      step[n] = stepOf(n);
      for (ValueId id : graph.nodes[n].inputs)
        if (id != noValue)
          lastRead[id] = std::max(lastRead[id], step[n]);
    }
  }

  std::vector<GraphPart> cut() {
    const size_t steps = 1 + *std::max_element(step.begin(), step.end());
    std::vector<GraphPart> parts;
    for (size_t at = 0; at < steps; ++at) {
      GraphPart part = makePart(at);
      if (!part.outputs.empty())
        parts.push_back(std::move(part));
    }
    return parts;
  }

private:
  static constexpr size_t notMade = ~size_t(0);

  bool isOnCpu(size_t node) const { return onCpu.count(graph.nodes[node].name) != 0; }

  /// Even for the card, odd for the CPU; at least that of each node that it reads from.
  size_t stepOf(size_t node) const {
    size_t least = 0;
    for (ValueId id : graph.nodes[node].inputs)
      if (id != noValue && producers[id] != notMade)
        least = std::max(least, step[producers[id]]);
    return least + (least % 2 != size_t(isOnCpu(node)) ? 1 : 0);
  }

  /// Returns the step of a value; 0 for one that the graph only passes on: the card copies it.
  size_t madeAt(ValueId id) const { return producers[id] == notMade ? 0 : step[producers[id]]; }

  GraphPart makePart(size_t at) {
    GraphPart part;
    part.isOnCpu = at % 2 == 1;
    part.graph.name = graph.name + (part.isOnCpu ? "_cpu" + std::to_string(at / 2 + 1)
                                                 : "$" + std::to_string(at / 2 + 1));
    while (isTaken.count(part.graph.name) != 0)
      part.graph.name += "_";
    part.graph.compute = graph.compute;
    part.graph.accumulate = graph.accumulate;
    part.graph.winograd = graph.winograd;
    part.graph.activations = graph.activations;
    std::map<ValueId, ValueId> own;
    auto read = [&](ValueId id) {
      if (id == noValue || own.count(id) != 0)
        return;
      GraphValue value = graph.values[id];
      const bool isConstant = value.kind == ValueKind::weight || value.kind == ValueKind::sizes;
      own[id] = static_cast<ValueId>(part.graph.values.size());
      if (!isConstant) {
        value.kind = ValueKind::input;
        part.graph.inputs.push_back(own[id]);
        part.inputs.push_back(id);
      }
      part.graph.values.push_back(std::move(value));
    };
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (step[n] != at)
        continue;
      Node node = graph.nodes[n];
      llvm::for_each(node.inputs, read);
      for (ValueId &id : node.inputs)
        id = id == noValue ? noValue : own.at(id);
      for (ValueId &id : node.outputs)
        if (id != noValue) {
          own[id] = static_cast<ValueId>(part.graph.values.size());
          part.graph.values.push_back(graph.values[id]);
          id = own[id];
        }
      part.graph.nodes.push_back(std::move(node));
    }
    auto give = [&](ValueId id, std::optional<size_t> result) {
      read(id);
      part.graph.outputs.push_back(own.at(id));
      part.outputs.push_back(id);
      part.results.push_back(result);
    };
    for (size_t i = 0; i < graph.outputs.size(); ++i)
      if (madeAt(graph.outputs[i]) == at)
        give(graph.outputs[i], i);
    for (ValueId id = 0; id < graph.values.size(); ++id)
      if (producers[id] != notMade && madeAt(id) == at && lastRead[id] > at &&
          !llvm::is_contained(graph.outputs, id))
        give(id, std::nullopt);
    return part;
  }

  const Graph &graph;
  const std::set<std::string> &onCpu, &isTaken;
  std::vector<size_t> producers; ///< the node of each value
  std::vector<size_t> step;      ///< of each node
  std::vector<size_t> lastRead;  ///< of each value: the last step that reads it
};

} // namespace

CutGraph cutGraph(const Graph &graph, const std::set<std::string> &onCpu,
                  const std::set<std::string> &isTaken) {
  CutGraph cut{&graph, {}};
  if (!graph.dims.empty() || !graph.states.empty()) // which graphics cards have no code for
    return cut;
  if (llvm::any_of(graph.nodes, [&](const Node &node) { return onCpu.count(node.name) != 0; }))
    cut.parts = Cutter(graph, onCpu, isTaken).cut();
  return cut;
}

std::vector<CutGraph> cutGraphs(const std::vector<Graph> &graphs,
                                const std::map<std::string, std::set<std::string>> &onCpu) {
  std::set<std::string> isTaken;
  for (const Graph &graph : graphs)
    isTaken.insert(graph.name);
  std::vector<CutGraph> cuts;
  for (const Graph &graph : graphs) {
    auto marked = onCpu.find(graph.name);
    cuts.push_back(
        cutGraph(graph, marked == onCpu.end() ? std::set<std::string>() : marked->second, isTaken));
    for (const GraphPart &part : cuts.back().parts)
      isTaken.insert(part.graph.name);
  }
  return cuts;
}

std::vector<const GraphPart *> cpuPartsOf(const std::vector<CutGraph> &graphs) {
  std::vector<const GraphPart *> parts;
  for (const CutGraph &graph : graphs)
    for (const GraphPart &part : graph.parts)
      if (part.isOnCpu)
        parts.push_back(&part);
  return parts;
}

} // namespace kgen
