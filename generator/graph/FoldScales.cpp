// Scales of channels whose numbers are known become part of the weights of the node that they
// follow: a normalization after a convolution costs nothing.
#include "graph/GraphParts.h"

#include "support/WorkTrace.h"

#include <algorithm>

namespace kgen {
namespace {

class Folder {
public:
  Folder(Graph &graph, const OperatorTable &operators, Diagnostics &diagnostics)
      : graph(graph), operators(operators), diagnostics(diagnostics),
        readers(graph.values.size(), 0), producers(graph.values.size(), nullptr) {
    for (const Node &node : graph.nodes)
      for (ValueId input : node.inputs)
        if (input != noValue)
          ++readers[input];
    for (ValueId output : graph.outputs)
      ++readers[output];
  }

  void run() {
    std::vector<Node> kept;
    kept.reserve(graph.nodes.size()); // producers are found by their address
    for (Node &node : graph.nodes) {
      if (fold(node))
        continue;
      kept.push_back(std::move(node));
      for (ValueId output : kept.back().outputs)
        if (output != noValue)
          producers[output] = &kept.back();
    }
    graph.nodes = std::move(kept);
  }

private:
  /// True if the node has become a part of what it reads.
  bool fold(const Node &node) {
    if (!node.op->scale || node.outputs.size() != 1)
      return false;
    Node *producer = producers[node.inputs[0]];
    if (!producer || !producer->op->scaled || producer->outputs.size() != 1 ||
        readers[node.inputs[0]] != 1)
      return false;
    NodeTrace trace(node.op->name, node.name, node.where);
    auto scale = node.op->scale(InferenceContext(graph, node, diagnostics));
    if (!scale)
      return false;
    auto scaled = producer->op->scaled(InferenceContext(graph, *producer, diagnostics), *scale);
    if (!scaled)
      return false;
    for (ScaledNode::Weight &weight : scaled->weights)
      replace(*producer, weight, node);
    producer->op = operators.find(scaled->op);
    producer->attributes = std::move(scaled->attributes);
    producer->outputs = node.outputs;
    producers[node.outputs[0]] = producer;
    return true;
  }

  void replace(Node &producer, ScaledNode::Weight &weight, const Node &node) {
    producer.inputs.resize(std::max(producer.inputs.size(), weight.input + 1), noValue);
    ValueId &input = producer.inputs[weight.input];
    std::string name = input == noValue ? producer.name : graph.values[input].name;
    graph.values.push_back({name + "." + node.name, weight.type, ValueKind::weight, node.where,
                            std::move(weight.data), std::nullopt});
    input = static_cast<ValueId>(graph.values.size() - 1);
    readers.push_back(1);
    producers.push_back(nullptr);
  }

  Graph &graph;
  const OperatorTable &operators;
  Diagnostics &diagnostics;
  std::vector<size_t> readers;   ///< by value
  std::vector<Node *> producers; ///< by value; null: none that is kept
};

} // namespace

void foldScales(Graph &graph, const OperatorTable &operators, Diagnostics &diagnostics) {
  if (graph.compute == ElementType::f32) // otherwise scaled weights would be rounded
    Folder(graph, operators, diagnostics).run();
}

} // namespace kgen
