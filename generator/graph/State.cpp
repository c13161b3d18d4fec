// State of graphs: which of it is updated where it lies.
#include "graph/Graph.h"

namespace kgen {

bool callsExterns(const Graph &graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node &node) { return node.external.has_value(); });
}

bool isUpdatedInPlace(const Graph &graph, const GraphState &state) {
  return state.input && state.output && !callsExterns(graph) &&
         !graph.values[graph.inputs[*state.input]].type.shape.isEmptyTensor();
}

} // namespace kgen
