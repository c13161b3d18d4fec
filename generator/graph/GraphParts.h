// The steps of GraphBuilder that have a file of their own. Private to graph/.
#pragma once

#include "graph/GraphBuilder.h"

namespace kgen {

/// Checks a node's attributes against the operator's schema, fills in defaults and converts
/// integers where reals are expected. False after reporting an error.
bool checkAttributes(const NodeDescription &node, const Operator &op,
                     std::map<std::string, AttributeValue> &attributes, Diagnostics &diagnostics);

/// Reports weights that are to be quantized and cannot be, and uses of them that need f32.
void checkQuantizedWeights(const Graph &graph, Diagnostics &diagnostics);

/// Reports `activations` of the graph and of nodes that multiply no rows by weights of few bits.
void checkActivations(const Graph &graph, Diagnostics &diagnostics);

/// Reports inputs of a node that are weights which the graph's `compute: f16` would make infinite.
/// False after an error.
bool checkFactors(const InferenceContext &context);

/// Reports `accumulate: f16` and `winograd`, at these places, if no node of the graph is what they
/// are about.
void checkPermissions(const Graph &graph, const SourceLoc &accumulate, const SourceLoc &winograd,
                      Diagnostics &diagnostics);

} // namespace kgen
