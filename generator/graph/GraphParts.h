// The steps of buildGraph that have a file of their own. Private to graph/.
#pragma once

#include "graph/Operator.h"

namespace kgen {

/// Checks a node's attributes against the operator's schema, fills in defaults and converts
/// integers where reals are expected. False after reporting an error.
bool checkAttributes(const NodeSpec &spec, const Operator &op,
                     std::map<std::string, AttributeValue> &attributes, Diagnostics &diagnostics);

/// Reports weights that are to be quantized and cannot be, and uses of them that need f32.
void checkQuantizedWeights(const Graph &graph, Diagnostics &diagnostics);

/// Makes scales of channels a part of the weights of what they scale, where nobody else reads it.
void foldScales(Graph &graph, const OperatorTable &operators, Diagnostics &diagnostics);

/// Who feeds whom, by index of node.
struct NodeDependencies {
  std::vector<std::vector<size_t>> producers; ///< producers[i]: nodes whose results node i reads
};

/// An order in which every node comes after its producers; nodes with several valid positions
/// keep the order of the file. A cycle is reported, naming its nodes, and nothing is returned.
std::optional<std::vector<size_t>> topologicalOrder(const std::vector<NodeSpec> &nodes,
                                                    const NodeDependencies &dependencies,
                                                    Diagnostics &diagnostics);

} // namespace kgen
